//! Why something is not watched. Reports put these into words.

use crate::prove::Proof;

/// Why an access site, or a whole memory, is not watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotWatched {
    /// The entry points do not get to the function that it stands in.
    NotReached,
    /// The entry points use the memory, but no access of theirs touches it: they ask for its length.
    NotAccessed,
    /// The memory is declared read-only.
    ReadOnly,
    /// All that is done to the memory is reading.
    OnlyRead,
    /// All that is done to the memory are atomic operations that every workgroup knows.
    OnlyAtomics,
    /// It was proven that the site takes part in no race.
    Proven(Proof),
    /// What races in the memory is known of this launch without watching the kernel: its addresses hang on nothing that
    /// the kernel computes of data.
    Decided,
    /// Whoever asked for the plan left it out.
    AsAsked,
    /// The memory is an array of bindings, of which a shadow cannot tell the elements apart.
    ArrayOfBindings,
    /// The memory is of a kind that has no shadow.
    Unsupported,
    /// It should be watched, and its shadow could not be had.
    NoShadow(NoShadow),
}

/// Why a memory that should be watched has no shadow in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoShadow {
    /// All shadow memory together may take so much, and this does not fit.
    OverLimit {
        /// Whole MiB, rounded up, that it takes more than are left.
        mib_more: u64,
    },
    /// The buffers of the device do not hold it.
    BuffersTooSmall,
    /// The ids of so many invocations do not fit a shadow word.
    TooManyInvocations,
    /// What is bound is shorter than the type of the memory.
    BoundTooShort,
}

impl NotWatched {
    /// Whether a race may be missed for it. The other reasons are that there is none to miss.
    pub fn may_miss_races(self) -> bool {
        match self {
            Self::NotReached
            | Self::NotAccessed
            | Self::ReadOnly
            | Self::OnlyRead
            | Self::OnlyAtomics
            | Self::Proven(_)
            | Self::Decided => false,
            Self::AsAsked | Self::ArrayOfBindings | Self::Unsupported | Self::NoShadow(_) => true,
        }
    }
}

/// A memory that is shared and written, and in which races may be missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwatched {
    /// The variable's name.
    pub name: String,
    /// Why it is not watched.
    pub reason: NotWatched,
}
