//! What is known of a value: which ids it is computed of, and whether it is a number that the host gives.

use crate::ir::walk::FunctionId;
use naga::{GlobalVariable, Handle, LocalVariable};
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A number that the host gives: a scalar of a buffer, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// The buffer.
    pub variable: Handle<GlobalVariable>,
    /// The scalar's first byte.
    pub offset: u32,
}

/// The ids that a value is computed of, by dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ids(u16);

impl Ids {
    /// None.
    pub const NONE: Self = Self(0);

    /// That of an invocation within its workgroup.
    pub fn local(dimension: usize) -> Self {
        Self(1 << dimension)
    }

    /// That of a workgroup.
    pub fn workgroup(dimension: usize) -> Self {
        Self(1 << (3 + dimension))
    }

    /// The number of workgroups.
    pub fn count(dimension: usize) -> Self {
        Self(1 << (6 + dimension))
    }

    /// That of an invocation in the grid.
    pub fn global(dimension: usize) -> Self {
        Self::local(dimension) | Self::workgroup(dimension)
    }

    /// No id: what a buffer, or memory of the workgroup, holds.
    pub const DATA: Self = Self(1 << 9);

    /// What no invocation has: that of code that none comes to.
    pub const NEVER: Self = Self(u16::MAX);

    /// Whether no invocation has it.
    pub fn is_never(self) -> bool {
        self == Self::NEVER
    }

    /// Whether it is computed of what memory holds.
    pub fn are_of_data(self) -> bool {
        self.has(Self::DATA)
    }

    /// Whether there is any by which invocations differ.
    pub fn vary(self) -> bool {
        self.dimensions().contains(&true)
    }

    /// The dimensions in which invocations differ in it.
    pub fn dimensions(self) -> [bool; 3] {
        [0, 1, 2].map(|d| self.has(Self::local(d)) || self.has(Self::workgroup(d)))
    }

    /// The dimensions in which it tells something of the grid.
    pub fn of_grid(self) -> [bool; 3] {
        [0, 1, 2].map(|d| self.has(Self::workgroup(d)) || self.has(Self::count(d)))
    }

    /// Whether it counts workgroups in this dimension, and not invocations.
    pub fn counts_workgroups(self, dimension: usize) -> bool {
        self.has(Self::workgroup(dimension)) && !self.has(Self::local(dimension))
    }

    /// Whether it is of workgroups in this dimension at all.
    pub fn is_across(self, dimension: usize) -> bool {
        self.has(Self::workgroup(dimension))
    }

    /// Whether it tells workgroups apart, and no invocations of one.
    pub fn is_of_workgroups(self) -> bool {
        (0..3).any(|d| self.has(Self::workgroup(d))) && (0..3).all(|d| !self.has(Self::local(d)))
    }

    /// Whether it is of the workgroup alone.
    pub fn is_within(self) -> bool {
        (0..3).all(|d| !self.has(Self::workgroup(d)) && !self.has(Self::count(d)))
    }

    /// Whether one invocation alone has these ids, of workgroups of this size in a grid of so many.
    pub fn are_of_one(self, workgroup_size: [u32; 3], workgroups: [u32; 3]) -> bool {
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

/// What a scalar is, beside what it varies with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// Nothing was stored there yet.
    #[default]
    Nothing,
    /// A number that the host gives, as it is.
    Given(Slot),
    /// This number.
    Constant(i64),
    /// These ids, as they are.
    Id(Ids),
    /// An element of this buffer, as it is.
    Element(Handle<GlobalVariable>),
    /// Anything else.
    Other,
}

/// A scalar value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scalar {
    pub ids: Ids,
    pub what: What,
}

impl Scalar {
    pub const OTHER: Self = Self { ids: Ids::NONE, what: What::Other };

    pub fn of(ids: Ids) -> Self {
        Self { ids, what: What::Other }
    }

    /// An id as it is.
    pub fn id(ids: Ids) -> Self {
        Self { ids, what: What::Id(ids) }
    }

    pub fn is(what: What) -> Self {
        Self { ids: Ids::NONE, what }
    }

    /// What is one or the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let what = match (self.what, other.what) {
            (What::Nothing, what) | (what, What::Nothing) => what,
            (a, b) if a == b => a,
            _ => What::Other,
        };
        Self { ids: self.ids | other.ids, what }
    }

    /// What is computed of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self::of(self.ids | other.ids)
    }
}

/// The components of a value that is a scalar or a vector; a scalar is all of them.
pub type Components = [Scalar; 4];

/// What memory a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    Global(Handle<GlobalVariable>),
    Local(FunctionId, Handle<LocalVariable>),
}

/// Memory, or the aggregate that is loaded from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub root: Root,
    /// `None` where an index is not known.
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

    /// What is one or the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Components(a), Self::Components(b)) => {
                Self::Components([0, 1, 2, 3].map(|i| a[i].or(b[i])))
            }
            _ => Self::UNKNOWN,
        }
    }
}
