//! What an invocation asks of whoever drives it, and what it can be answered.

use crate::ir::access::Action;
use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::vm::atomic::Update;
use crate::vm::observer::{MemoryId, Space};

/// The next visible operation of an invocation.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// It reads shared memory: [`Answer::Read`], with a value for each piece.
    Read(Access),
    /// It writes these values, one for each piece: [`Answer::Done`].
    Write(Access, Vec<u32>),
    /// An atomic read-modify-write of one piece: [`Answer::Updated`], with what was there before.
    Update(Access, Update),
    /// It orders its own accesses to these classes of memory, and waits for nobody: [`Answer::Done`].
    Fence {
        /// The classes.
        memory: naga::Barrier,
        /// Where.
        site: SiteId,
    },
    /// It waits at a barrier, until [`Group::release`](super::Group::release) lets it pass.
    Barrier {
        /// Whom the barrier gathers, and what it orders.
        does: Barrier,
        /// Where.
        site: SiteId,
    },
    /// It waits at an operation of its subgroup, until [`Group::release`](super::Group::release) has
    /// done that for all of the subgroup that take part.
    Subgroup {
        /// The index of the subgroup in the workgroup.
        subgroup: u32,
        /// Where.
        site: SiteId,
    },
    /// It goes round in a loop, and was so before; nothing was written meanwhile. If it is stepped on
    /// it goes on.
    Spinning {
        /// The innermost loop.
        site: SiteId,
    },
    /// It has run as many instructions as it may.
    Limit {
        /// The innermost loop, or what it would run next.
        site: SiteId,
    },
    /// It returned from the entry point.
    End,
}

impl Request {
    /// The access that it is, of those that touch memory.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Read(access) | Self::Write(access, _) | Self::Update(access, _) => Some(access),
            _ => None,
        }
    }
}

/// A touch of memory that others share and somebody may write. (What nobody may write is read without
/// asking.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where it is.
    pub place: Place,
    /// The bytes, scalar by scalar (64-bit ones in two halves, unless updated), in the order of the
    /// value. Never empty.
    pub pieces: Vec<Piece>,
    /// Where in the program; [`SiteId::NONE`] if that is no site.
    pub site: SiteId,
    /// What the program does, as sites say it: a plain read or write, or an atomic of some scope.
    pub action: Action,
}

/// One instance of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The memory. A texture is a memory of four words a texel.
    pub memory: MemoryId,
    /// Its kind.
    pub space: Space,
    /// Whose instance of it, for workgroup memory; 0 otherwise.
    pub workgroup: u32,
}

/// Some bytes of a memory that are read or written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// Offset in bytes from the start of the memory. A multiple of `bytes`, or of 4.
    pub offset: u32,
    /// 1, 2 or 4; 8 where a 64-bit atomic is updated.
    pub bytes: u32,
}

/// What an invocation is answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The bits of each piece, at the low end.
    Read(Vec<u32>),
    /// What was there before, at the low end.
    Updated(u64),
    /// It is done.
    Done,
}

/// An answer to what was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the invocation did not ask for this answer")]
pub struct NotAsked;
