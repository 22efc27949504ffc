//! Requests of an invocation to its driver, and the answers to them.

use crate::ir::access::Action;
use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::vm::atomic::Update;
use crate::vm::observer::{MemoryId, Space};

/// The next visible operation of an invocation.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A read of shared memory: [`Answer::Read`] with a value for each piece.
    Read(Access),
    /// A write of these values, one for each piece: [`Answer::Done`].
    Write(Access, Vec<u32>),
    /// An atomic read-modify-write of one piece: [`Answer::Updated`] with the old value.
    Update(Access, Update),
    /// A fence, which orders the invocation's own accesses to these memory classes and waits for nothing:
    /// [`Answer::Done`].
    Fence {
        /// The memory classes.
        memory: naga::Barrier,
        /// The fence's site.
        site: SiteId,
    },
    /// The invocation waits at a barrier until [`Group::release`](super::Group::release) releases it.
    Barrier {
        /// Which invocations the barrier gathers, and what it orders.
        does: Barrier,
        /// The barrier's site.
        site: SiteId,
    },
    /// The invocation waits at a subgroup operation until [`Group::release`](super::Group::release) has
    /// performed the operation for all participants of the subgroup.
    Subgroup {
        /// The index of the subgroup in the workgroup.
        subgroup: u32,
        /// The operation's site.
        site: SiteId,
    },
    /// The invocation repeats a loop in a state that it was in before, and nothing was written in between. It
    /// continues if it is stepped again.
    Spinning {
        /// The site of the innermost loop.
        site: SiteId,
    },
    /// The invocation has reached its instruction limit.
    Limit {
        /// The site of the innermost loop, or of the next instruction.
        site: SiteId,
    },
    /// The invocation returned from the entry point.
    End,
}

impl Request {
    /// Returns the access of a request that accesses memory.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Self::Read(access) | Self::Write(access, _) | Self::Update(access, _) => Some(access),
            _ => None,
        }
    }
}

/// An access to memory that invocations share and that may be written. (Memory that nothing may write is read
/// without a request.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The accessed memory.
    pub place: Place,
    /// The accessed bytes in the order of the value, one piece per scalar. A 64-bit scalar is two pieces,
    /// unless it is updated atomically. Never empty.
    pub pieces: Vec<Piece>,
    /// The access site; [`SiteId::NONE`] if there is none.
    pub site: SiteId,
    /// The operation as the site states it: a plain read or write, or an atomic of some scope.
    pub action: Action,
}

/// One instance of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The memory. A texture is a memory with four words per texel.
    pub memory: MemoryId,
    /// The address space.
    pub space: Space,
    /// The workgroup that the instance belongs to, for workgroup memory; 0 otherwise.
    pub workgroup: u32,
}

/// Bytes of a memory that are read or written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// Offset in bytes from the start of the memory. A multiple of `bytes`, or of 4.
    pub offset: u32,
    /// Number of bytes: 1, 2 or 4; 8 for an update of a 64-bit atomic.
    pub bytes: u32,
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The bits of each piece, at the low end.
    Read(Vec<u32>),
    /// The old value, at the low end.
    Updated(u64),
    /// The operation is done.
    Done,
}

/// An error: the answer does not match the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this answer does not match the request of the invocation")]
pub struct UnexpectedAnswer;
