//! Accesses out of bounds.

use super::memory::Memory;
use super::place::Place;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

/// Accesses on one line that lie past the end of one variable.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfBounds {
    /// The element that the first of them would have been.
    pub memory: Memory,
    /// How many elements there are.
    pub length: u32,
    /// The accesses; one at least.
    pub accesses: Vec<WildAccess>,
}

/// An access past the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WildAccess {
    /// Its site; [`SiteId::NONE`] in memory of a function.
    pub site: SiteId,
    /// Where that is.
    pub place: Place,
    /// What it does, if invocations share the memory.
    pub action: Option<Action>,
    /// The index, as the program computed it.
    pub index: i64,
    /// Who used it first.
    pub by: Invocation,
}
