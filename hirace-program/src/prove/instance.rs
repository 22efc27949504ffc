//! Accesses as the walk reaches them.

use super::form::{Form, SymbolId};
use super::interval::Interval;
use super::symbol::Origin;
use crate::ir::access::{Action, Extent};
use crate::ir::memory::Space;
use crate::ir::sites::SiteId;
use crate::ir::walk::{FunctionId, StatementId};
use naga::{GlobalVariable, Handle};

/// The address of an access.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Address {
    /// These byte ranges, relative to the form.
    Bytes(Form, Vec<Extent>),
    /// The coordinates of a texel.
    Texel(Vec<Form>),
    /// An unknown address.
    Anywhere,
}

impl Address {
    /// Returns the forms that determine the address, or `None` if it is unknown.
    pub fn forms(&self) -> Option<&[Form]> {
        match self {
            Self::Bytes(form, _) => Some(std::slice::from_ref(form)),
            Self::Texel(forms) => Some(forms),
            Self::Anywhere => None,
        }
    }
}

/// A loop around a point of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EnclosingLoop {
    /// The loop statement.
    pub statement: (FunctionId, StatementId),
    /// The iteration that the point is in.
    pub iteration: Iteration,
}

/// The iteration of a loop that a point of the walk is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Iteration {
    /// This symbol is its number.
    Any(SymbolId),
    /// It has this number, from 0.
    Unrolled(u32),
}

/// An access site as reached once in the walk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instance {
    /// The site.
    pub site: SiteId,
    /// The effect on the memory.
    pub action: Action,
    /// The accessed memory.
    pub global: Handle<GlobalVariable>,
    /// The kind of the memory.
    pub space: Space,
    /// The address in the memory.
    pub address: Address,
    /// Forms that are nonnegative at this point.
    pub facts: Vec<Form>,
    /// The interval between barriers that order this memory.
    pub interval: Interval,
    /// The loops around it, outermost first.
    pub enclosing_loops: Vec<EnclosingLoop>,
    /// Whether every index in the address is in bounds.
    pub is_within: bool,
    /// The values that determine the conditions of all branches before it.
    pub conditions: Origin,
    /// Whether each invocation for which the facts hold reaches it, as in [`State::is_exact`](super::state::State::is_exact).
    pub is_exact: bool,
}

/// An access with an index that was not proved to be in bounds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpenBounds {
    /// The site.
    pub site: SiteId,
    /// Forms that are nonnegative at this point.
    pub facts: Vec<Form>,
    /// Forms that are nonnegative if the index is in bounds; empty if it is unknown.
    pub forms: Vec<Form>,
    /// The values that determine the conditions of all branches before it.
    pub conditions: Origin,
    /// Whether each invocation for which the facts hold reaches it, as in [`State::is_exact`](super::state::State::is_exact).
    pub is_exact: bool,
}
