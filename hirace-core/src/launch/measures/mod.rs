//! What the numbers that a host gives measure, as far as the kernel's text shows it.
//!
//! A kernel that compares `global_invocation_id.x` with `params.n` wants `n` to be about as large as the grid
//! is wide; one that multiplies `id.y` by `params.width` takes that for the length of a row. A launch that is
//! guessed gives such numbers the values that a host would, and not any (`launch::fitting`).
//!
//! Values are followed, without regard to control flow, through arithmetic, variables (private ones of the
//! module too), structures and calls. Each component of a vector is followed for itself.

mod constants;
mod flow;
mod live;
mod memory;
mod pins;
mod value;

pub use value::{Ids, Slot};

use crate::ir::sites::SiteId;
use crate::program::Program;
use naga::{GlobalVariable, Handle};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How a kernel uses a number that the host gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Something computed of these ids is compared with it.
    Bound(Ids),
    /// An id within the workgroup is compared with it, as it is.
    Lane(Ids),
    /// Such is multiplied by it: it is the length of a row, or of a plane.
    Stride(Ids),
    /// Such is divided by it.
    Divisor(Ids),
    /// The remainder of such is taken.
    Modulus(Ids),
    /// It bounds something that is computed of no id: as a rule, the turns of a loop.
    Count,
    /// It is asked whether it is this.
    Equal(i64),
    /// It says how far to shift.
    Shift,
    /// It is an index.
    Index,
    /// It is subtracted from something computed of ids: as a rule, what is beside an edge.
    Before,
    /// It is asked whether something computed of ids is it.
    Pick,
    /// It is added to something computed of ids.
    Offset,
    /// It is added to something that is computed of none: as a rule, what counts the turns of a loop.
    Step,
}

/// What is known of the numbers that an entry point is given.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// How each is used.
    pub uses: BTreeMap<Slot, Vec<Use>>,
    /// Buffers whose elements are used as indices, and the least length of what they index, if that is known.
    pub indices: BTreeMap<Handle<GlobalVariable>, Option<u32>>,
    /// The least length of arrays that are indexed by what is computed of no id: by what counts turns, as a rule.
    pub counted: Option<u32>,
    /// Whole numbers that elements of buffers are compared with.
    pub sentinels: BTreeMap<Handle<GlobalVariable>, BTreeSet<i64>>,
    /// Whole numbers that stand in the kernel.
    pub numbers: BTreeSet<i64>,
    /// Buffers whose length the kernel asks for.
    pub asked_lengths: BTreeSet<Handle<GlobalVariable>>,
    /// Whether what memory holds decides where the kernel goes, or what it touches.
    pub is_steered: bool,
    /// The dimensions of the grid that the kernel tells workgroups apart by, or asks the size of.
    pub reads: [bool; 3],
    /// The ids that can have one value only where these sites run.
    pub pins: Arc<BTreeMap<SiteId, Ids>>,
    /// Strides that are constants: what is computed of these ids is multiplied by so much.
    pub rows: Vec<(Ids, u32)>,
}

impl Measures {
    /// Those of the entry point with this index.
    pub fn of(program: &Program, entry: usize) -> Self {
        match entry < program.module.entry_points.len() {
            true => flow::measures(program, entry),
            false => Self::default(),
        }
    }

    /// What is known of several entry points together.
    pub fn join(&mut self, other: Self) {
        for (slot, uses) in other.uses {
            uses.into_iter().for_each(|used| self.add(slot, used));
        }
        for (variable, length) in other.indices {
            self.index(variable, length);
        }
        self.is_steered |= other.is_steered;
        self.counted = self.counted.into_iter().chain(other.counted).min();
        for (variable, values) in other.sentinels {
            self.sentinels.entry(variable).or_default().extend(values);
        }
        self.numbers.extend(other.numbers);
        self.asked_lengths.extend(other.asked_lengths);
        self.reads = [0, 1, 2].map(|d| self.reads[d] || other.reads[d]);
        self.rows.extend(other.rows);
        let own = Arc::make_mut(&mut self.pins);
        for (&site, &pins) in other.pins.iter() {
            let known = own.entry(site).or_insert(pins);
            *known = *known & pins;
        }
    }

    fn add(&mut self, slot: Slot, used: Use) {
        let uses = self.uses.entry(slot).or_default();
        if !uses.contains(&used) {
            uses.push(used);
        }
    }

    fn index(&mut self, variable: Handle<GlobalVariable>, length: Option<u32>) {
        let least = self.indices.entry(variable).or_default();
        *least = least.iter().copied().chain(length).min();
    }
}

#[cfg(test)]
mod tests;
