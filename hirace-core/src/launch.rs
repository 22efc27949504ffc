//! Launches: the dispatches of a program, their grids and the resources that are bound, whether given or guessed.

mod assumed_contents;
pub mod buffers;
pub mod build;
pub mod candidates;
pub mod fields;
pub mod fitting;
pub mod grid;
pub mod host_memory;
pub mod measures;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(not(feature = "npy"))]
#[path = "launch/without_npy.rs"]
pub mod npy;
pub mod number;
pub mod open_values;
pub mod spec;
pub mod subgroups;
pub mod textures;
pub mod used;
pub mod values;
pub mod variation;
pub mod writes;

use crate::facts::{Assumption, DispatchOrder, Flag};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::memory::Resources;
use crate::vm::order::Order;
use crate::vm::schedule::{Limits, Schedule};
use measures::Ids;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use writes::Write;

/// A launch that is ready to run: all of its parameters are decided.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The dispatches, in order.
    pub dispatches: Vec<Dispatch>,
    /// The bound resources, with their contents before the first dispatch.
    pub resources: Resources,
    /// The writes to these resources between dispatches.
    pub writes: Vec<Write>,
    /// The dispatches after which contents are kept, in addition to those after the last dispatch.
    pub kept: BTreeSet<usize>,
    /// Whether the contents (not the length) of each global variable, by index, were guessed.
    pub inferred_contents: Vec<bool>,
    /// Whether the length or size of each global variable, by index, was guessed.
    pub inferred_lengths: Vec<bool>,
    /// What was not given and how it was chosen, except the grid, which belongs to the candidate.
    pub assumptions: Vec<Assumption>,
    /// The flags that reproduce this launch (`--workgroups 4 --seed 7 …`). `None` if flags cannot express the contents of its
    /// buffers.
    pub replay: Option<Vec<Flag>>,
    /// The number of lanes of a subgroup on the embedded executor.
    pub subgroup_size: u32,
    /// The schedule of all dispatches.
    pub schedule: Schedule,
    /// The order of one dispatch that differs from the schedule, if any.
    pub order: Option<DispatchOrder>,
    /// The limits at which a run is stopped.
    pub limits: Limits,
    /// The ids that have a single possible value, for each site that constrains them.
    pub pins: Arc<BTreeMap<SiteId, Ids>>,
}

impl Launch {
    /// Returns the order of the dispatch with this index if it differs from [`Launch::schedule`].
    pub fn order(&self, dispatch: usize) -> Option<&Order> {
        self.order.as_ref().filter(|own| own.dispatch == dispatch).map(|own| &own.order)
    }

    /// Returns the writes before the dispatch with this index.
    pub fn written_before(&self, dispatch: usize) -> impl Iterator<Item = &Write> {
        self.writes.iter().filter(move |write| write.before == dispatch)
    }

    /// Applies the writes before the dispatch with this index.
    pub fn write_before(&self, dispatch: usize, resources: &Resources) {
        self.written_before(dispatch).for_each(|write| write.apply(resources));
    }

    /// Returns whether no invocation can reach `site` for any input, as far as the kernel's text shows.
    pub fn is_never(&self, site: SiteId) -> bool {
        self.pins.get(&site).is_some_and(|ids| ids.is_never())
    }

    /// Returns whether only one invocation of `dispatch` can reach `site`, as far as the kernel's text shows.
    pub fn is_single_invocation(
        &self,
        program: &Program,
        dispatch: &Dispatch,
        site: SiteId,
    ) -> bool {
        let entry = program.module.entry_points.get(dispatch.entry);
        let size = entry.map_or([1; 3], |entry| entry.workgroup_size);
        let pinned = self.pins.get(&site).copied().unwrap_or_default();
        pinned.identify_one_invocation(size, dispatch.workgroups)
    }
}

/// One dispatch of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The index of the entry point in the module.
    pub entry: usize,
    /// The number of workgroups in x, y and z.
    pub workgroups: [u32; 3],
}
