//! Launches: which entry points run on what grids over which buffers, given or guessed.

pub mod bound;
pub mod buffers;
pub mod build;
pub mod candidates;
pub mod fields;
pub mod fitting;
pub mod grid;
mod guessed;
pub mod measures;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(not(feature = "npy"))]
#[path = "without_npy.rs"]
pub mod npy;
pub mod number;
pub mod open;
pub mod spec;
pub mod subgroups;
pub mod textures;
pub mod used;
pub mod values;
pub mod variation;
pub mod writes;

use crate::facts::{Assumption, Flag, Scheduled};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::memory::Resources;
use crate::vm::order::Order;
use crate::vm::schedule::{Limits, Schedule};
use measures::Ids;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use writes::Write;

/// A launch ready to run: everything is decided.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The dispatches, in order.
    pub dispatches: Vec<Dispatch>,
    /// What is bound. Contents are those before the first dispatch.
    pub resources: Resources,
    /// What is written into that between dispatches.
    pub writes: Vec<Write>,
    /// The dispatches after which contents are kept, beside those after the last.
    pub kept: BTreeSet<usize>,
    /// For each global variable by index: whether its contents (not its length) were guessed.
    pub guessed_contents: Vec<bool>,
    /// Likewise: whether its length or size was.
    pub guessed_lengths: Vec<bool>,
    /// What was not given and how it was chosen, but for the grid: that is the candidate's.
    pub assumptions: Vec<Assumption>,
    /// The flags that give this launch again (`--workgroups 4 --seed 7 …`). `None`: flags cannot say what
    /// its buffers hold.
    pub replay: Option<Vec<Flag>>,
    /// Lanes of a subgroup on the embedded executor.
    pub subgroup_size: u32,
    /// The order of things.
    pub schedule: Schedule,
    /// The order of one dispatch, if that is to be another.
    pub order: Option<Scheduled>,
    /// When to give up.
    pub limits: Limits,
    /// The ids that can have one value only where these sites run.
    pub pins: Arc<BTreeMap<SiteId, Ids>>,
}

impl Launch {
    /// The order of the dispatch with this index, if that is not [`Launch::schedule`].
    pub fn order(&self, dispatch: usize) -> Option<&Order> {
        self.order.as_ref().filter(|own| own.dispatch == dispatch).map(|own| &own.order)
    }

    /// What is written before the dispatch with this index.
    pub fn written_before(&self, dispatch: usize) -> impl Iterator<Item = &Write> {
        self.writes.iter().filter(move |write| write.before == dispatch)
    }

    /// Writes that.
    pub fn write_before(&self, dispatch: usize, resources: &Resources) {
        self.written_before(dispatch).for_each(|write| write.apply(resources));
    }

    /// Whether no invocation comes to `site`, whatever is given, as far as the kernel's text shows it.
    pub fn is_never(&self, site: SiteId) -> bool {
        self.pins.get(&site).is_some_and(|ids| ids.is_never())
    }

    /// Whether one invocation of `dispatch` alone can come to `site`, as far as the kernel's text shows it.
    pub fn is_of_one(&self, program: &Program, dispatch: &Dispatch, site: SiteId) -> bool {
        let entry = program.module.entry_points.get(dispatch.entry);
        let size = entry.map_or([1; 3], |entry| entry.workgroup_size);
        let pinned = self.pins.get(&site).copied().unwrap_or_default();
        pinned.are_of_one(size, dispatch.workgroups)
    }
}

/// One dispatch of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Index of the entry point in the module.
    pub entry: usize,
    /// Workgroups in x, y, z.
    pub workgroups: [u32; 3],
}
