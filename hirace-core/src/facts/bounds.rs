//! Facts about accesses out of bounds.

use super::memory::Memory;
use super::place::Place;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

/// Out-of-bounds accesses to one variable on one line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutOfBounds {
    /// The element that the first of the accesses would have touched.
    pub memory: Memory,
    /// The number of elements of the variable.
    pub length: u32,
    /// The accesses, at least one.
    pub accesses: Vec<OutOfBoundsAccess>,
}

/// An access with an index that is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfBoundsAccess {
    /// The site of the access; [`SiteId::NONE`] for memory of a function.
    #[doc(hidden)]
    pub site: SiteId,
    /// The source location of the access.
    pub place: Place,
    /// What the access does; `None` if the memory is not shared between invocations.
    pub action: Option<Action>,
    /// The index, as the program computed it.
    pub index: i64,
    /// The first invocation that used the index.
    pub by: Invocation,
    /// Whether the access writes, or the value that it reads may be used.
    pub is_used: bool,
}
