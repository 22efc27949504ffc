//! The meaning of the numbers that a host gives, as far as the kernel's text shows it.
//!
//! A kernel that compares `global_invocation_id.x` with `params.n` expects `n` to be about as large as the width of the grid. A
//! kernel that multiplies `id.y` by `params.width` uses `width` as the length of a row. A guessed launch gives such numbers the
//! values that a host would give (`launch::fitting`) instead of arbitrary ones.
//!
//! Values are followed through arithmetic, variables (including private variables of the module), structures and calls,
//! independent of control flow. Each component of a vector is followed separately.

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

/// A use of a number that the host gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A value computed from these ids is compared with the number.
    Bound(Ids),
    /// An id within the workgroup is compared with the number directly.
    Lane(Ids),
    /// A value computed from these ids is multiplied by the number, which is the length of a row or of a plane.
    Stride(Ids),
    /// A value computed from these ids is divided by the number.
    Divisor(Ids),
    /// The number is the modulus of a value computed from these ids.
    Modulus(Ids),
    /// The number bounds a value that is not computed from any id, usually a loop counter.
    Count,
    /// The number is compared for equality with this constant.
    Equal(i64),
    /// The number is a shift amount.
    Shift,
    /// The number is an index.
    Index,
    /// The number is subtracted from a value computed from ids, usually to access a neighbor.
    Before,
    /// A value computed from ids is compared for equality with the number.
    Pick,
    /// The number is added to a value computed from ids.
    Offset,
    /// The number is added to a value that is not computed from ids, usually a loop counter.
    Step,
}

/// What is known about the numbers that an entry point is given.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// The uses of each number.
    pub uses: BTreeMap<Slot, Vec<Use>>,
    /// The buffers whose elements are used as indices, and the minimum known length of the arrays that they index.
    pub indices: BTreeMap<Handle<GlobalVariable>, Option<u32>>,
    /// The minimum length of the arrays that are indexed by a value not computed from ids, usually a loop counter.
    pub counted: Option<u32>,
    /// The integers with which elements of buffers are compared.
    pub sentinels: BTreeMap<Handle<GlobalVariable>, BTreeSet<i64>>,
    /// The integer literals of the kernel.
    pub numbers: BTreeSet<i64>,
    /// The buffers whose length the kernel queries.
    pub asked_lengths: BTreeSet<Handle<GlobalVariable>>,
    /// Whether the kernel's control flow or accesses depend on the contents of memory.
    pub is_steered: bool,
    /// The dimensions of the grid by which the kernel distinguishes workgroups, or whose size it reads.
    pub reads: [bool; 3],
    /// The dimensions of the workgroup by which the kernel distinguishes invocations, if it reads no linear id.
    pub lanes: [bool; 3],
    /// The ids that have a single possible value, for each site that constrains them.
    pub pins: Arc<BTreeMap<SiteId, Ids>>,
    /// The constant strides: a value computed from these ids is multiplied by this number.
    pub rows: Vec<(Ids, u32)>,
}

impl Measures {
    /// Returns the measures of the entry point with this index.
    pub fn of(program: &Program, entry: usize) -> Self {
        match entry < program.module.entry_points.len() {
            true => flow::measures(program, entry),
            false => Self::default(),
        }
    }

    /// Adds the measures of another entry point.
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
        self.lanes = [0, 1, 2].map(|d| self.lanes[d] || other.lanes[d]);
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
