//! The abstract value of an expression: the ids from which it is computed, and whether it is a number that the host gives.

use crate::ir::dataflow::JoinSemiLattice;
use crate::ir::walk::FunctionId;
use naga::{GlobalVariable, Handle, LocalVariable};
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A number that the host gives: a scalar of a buffer, identified by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// The buffer.
    pub variable: Handle<GlobalVariable>,
    /// The offset of the scalar's first byte.
    pub offset: u32,
}

/// The set of ids from which a value is computed, by dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ids(u16);

impl Ids {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns the local invocation id in a dimension.
    pub fn local(dimension: usize) -> Self {
        Self(1 << dimension)
    }

    /// Returns the workgroup id in a dimension.
    pub fn workgroup(dimension: usize) -> Self {
        Self(1 << (3 + dimension))
    }

    /// Returns the number of workgroups in a dimension.
    pub fn count(dimension: usize) -> Self {
        Self(1 << (6 + dimension))
    }

    /// Returns the ids from which a global invocation id is computed in a dimension.
    pub fn global(dimension: usize) -> Self {
        Self::local(dimension) | Self::workgroup(dimension)
    }

    /// The contents of a buffer or of workgroup memory, which is not an id.
    pub const DATA: Self = Self(1 << 9);

    /// The ids at unreachable code, which no invocation has.
    pub const NEVER: Self = Self(u16::MAX);

    /// Returns whether no invocation has these ids.
    pub fn is_never(self) -> bool {
        self == Self::NEVER
    }

    /// Returns whether the value is computed from the contents of memory.
    pub fn are_of_data(self) -> bool {
        self.has(Self::DATA)
    }

    /// Returns whether the set contains an id that differs between invocations.
    pub fn vary(self) -> bool {
        self.dimensions().contains(&true)
    }

    /// Returns the dimensions in which the value differs between invocations.
    pub fn dimensions(self) -> [bool; 3] {
        [0, 1, 2].map(|d| self.has(Self::local(d)) || self.has(Self::workgroup(d)))
    }

    /// Returns the dimensions in which the value depends on the grid.
    pub fn of_grid(self) -> [bool; 3] {
        [0, 1, 2].map(|d| self.has(Self::workgroup(d)) || self.has(Self::count(d)))
    }

    /// Returns the dimensions in which the value differs between invocations of a workgroup.
    pub fn of_lanes(self) -> [bool; 3] {
        [0, 1, 2].map(|d| self.has(Self::local(d)))
    }

    /// Returns whether the value counts workgroups, and not invocations, in this dimension.
    pub fn counts_workgroups(self, dimension: usize) -> bool {
        self.has(Self::workgroup(dimension)) && !self.has(Self::local(dimension))
    }

    /// Returns whether the value depends on the workgroup in this dimension.
    pub fn is_across(self, dimension: usize) -> bool {
        self.has(Self::workgroup(dimension))
    }

    /// Returns whether the value differs between workgroups, but not between invocations of one workgroup.
    pub fn is_of_workgroups(self) -> bool {
        (0..3).any(|d| self.has(Self::workgroup(d))) && (0..3).all(|d| !self.has(Self::local(d)))
    }

    /// Returns whether the value does not depend on the workgroup or the number of workgroups.
    pub fn is_within(self) -> bool {
        (0..3).all(|d| !self.has(Self::workgroup(d)) && !self.has(Self::count(d)))
    }

    /// Returns whether only one invocation has these ids, for this workgroup size and number of workgroups.
    pub fn identify_one_invocation(self, workgroup_size: [u32; 3], workgroups: [u32; 3]) -> bool {
        (0..3).all(|d| {
            (workgroup_size[d] <= 1 || self.has(Self::local(d)))
                && (workgroups[d] <= 1 || self.has(Self::workgroup(d)))
        })
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Ids {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Ids {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Ids {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What a scalar is, in addition to the ids with which it varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScalarOrigin {
    /// Nothing was stored yet.
    #[default]
    Nothing,
    /// An unmodified number that the host gives.
    Given(Slot),
    /// This constant.
    Constant(i64),
    /// These ids, unmodified.
    Id(Ids),
    /// An unmodified element of this buffer.
    Element(Handle<GlobalVariable>),
    /// Any other value.
    Other,
}

/// A scalar value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scalar {
    pub ids: Ids,
    pub what: ScalarOrigin,
}

impl Scalar {
    pub const OTHER: Self = Self { ids: Ids::NONE, what: ScalarOrigin::Other };

    pub fn of(ids: Ids) -> Self {
        Self { ids, what: ScalarOrigin::Other }
    }

    /// Returns an unmodified id.
    pub fn id(ids: Ids) -> Self {
        Self { ids, what: ScalarOrigin::Id(ids) }
    }

    pub fn is(what: ScalarOrigin) -> Self {
        Self { ids: Ids::NONE, what }
    }

    /// Returns the join: a value that is one or the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let what = match (self.what, other.what) {
            (ScalarOrigin::Nothing, what) | (what, ScalarOrigin::Nothing) => what,
            (a, b) if a == b => a,
            _ => ScalarOrigin::Other,
        };
        Self { ids: self.ids | other.ids, what }
    }

    /// Returns a value that is computed from both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self::of(self.ids | other.ids)
    }
}

impl JoinSemiLattice for Scalar {
    fn join(&mut self, other: &Self) -> bool {
        let joined = self.or(*other);
        std::mem::replace(self, joined) != joined
    }
}

/// The components of a scalar or vector value. A scalar has the same value in all components.
pub type Components = [Scalar; 4];

/// The variable in which a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    Global(Handle<GlobalVariable>),
    Local(FunctionId, Handle<LocalVariable>),
}

/// A memory location, or the aggregate that is loaded from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub root: Root,
    /// `None` if an index is unknown.
    pub offset: Option<u32>,
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Components(Components),
    Place(Place),
    /// An argument of the entry point that is a structure of built-in values.
    Inputs(u32),
}

impl Value {
    pub const UNKNOWN: Self = Self::Components([Scalar::OTHER; 4]);

    pub fn splat(scalar: Scalar) -> Self {
        Self::Components([scalar; 4])
    }

    pub fn components(self) -> Components {
        match self {
            Self::Components(components) => components,
            Self::Place(_) | Self::Inputs(_) => [Scalar::OTHER; 4],
        }
    }
}

/// Nothing was stored yet.
impl Default for Value {
    fn default() -> Self {
        Self::splat(Scalar::default())
    }
}

/// The join is a value that is one or the other.
impl JoinSemiLattice for Value {
    fn join(&mut self, other: &Self) -> bool {
        let joined = match (*self, *other) {
            (a, b) if a == b || b == Self::default() => a,
            (a, b) if a == Self::default() => b,
            (Self::Components(a), Self::Components(b)) => {
                Self::Components([0, 1, 2, 3].map(|i| a[i].or(b[i])))
            }
            _ => Self::UNKNOWN,
        };
        std::mem::replace(self, joined) != joined
    }
}
