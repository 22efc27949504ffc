//! Reasons why memory is not watched. Reports contain the texts for them.

use crate::prove::Proof;

/// The reason why an access site, or a whole memory, is not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotWatched {
    /// The entry points do not reach the function that contains the site.
    NotReached,
    /// The entry points use the memory, but only query its length.
    NotAccessed,
    /// The memory is declared read-only.
    ReadOnly,
    /// The memory is only read.
    OnlyRead,
    /// All accesses are atomic operations with a scope that covers all workgroups.
    OnlyAtomics,
    /// The site was proved to take part in no race.
    Proven(Proof),
    /// The races in the memory are known for this launch without watching the kernel, because its addresses do not depend on data
    /// that the kernel computes.
    DecidedBySlice,
    /// The creator of the plan left it out.
    ExcludedByRequest,
    /// The memory is an array of bindings, whose elements a shadow cannot distinguish.
    ArrayOfBindings,
    /// The memory is of a kind that cannot have a shadow.
    Unsupported,
    /// It should be watched, but there is no shadow for it.
    NoShadow(NoShadow),
}

/// Why a memory that should be watched has no shadow in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoShadow {
    /// The shadow exceeds the limit on total shadow memory.
    OverLimit {
        /// The excess over the limit in MiB, rounded up.
        mib_more: u64,
    },
    /// The shadow does not fit in the device's buffers.
    BuffersTooSmall,
    /// The invocation ids do not fit in a shadow word.
    TooManyInvocations,
    /// The bound buffer is shorter than the type of the memory.
    BoundTooShort,
}

impl NotWatched {
    /// Returns whether races may be missed for this reason. For the other reasons there are none.
    pub fn may_miss_races(self) -> bool {
        match self {
            Self::NotReached
            | Self::NotAccessed
            | Self::ReadOnly
            | Self::OnlyRead
            | Self::OnlyAtomics
            | Self::Proven(_)
            | Self::DecidedBySlice => false,
            Self::ExcludedByRequest
            | Self::ArrayOfBindings
            | Self::Unsupported
            | Self::NoShadow(_) => true,
        }
    }
}

/// A memory that is shared and written, and in which races may be missed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnwatchedVariable {
    /// The variable's name.
    pub name: String,
    /// Why it is not watched.
    #[doc(hidden)]
    pub reason: NotWatched,
}

impl UnwatchedVariable {
    /// Creates the entry for a variable.
    #[doc(hidden)]
    pub fn new(name: String, reason: NotWatched) -> Self {
        Self { name, reason }
    }
}
