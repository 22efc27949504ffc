//! Why something is not watched, in words.

use crate::prove::Proof;
use crate::watch::{NoShadow, NotWatched};

/// The reason as the end of a sentence that starts with what is not watched.
pub fn not_watched(reason: NotWatched) -> String {
    let words = match reason {
        NotWatched::NotReached => "is not reached",
        NotWatched::NotAccessed => "is not accessed",
        NotWatched::ReadOnly => "is read-only",
        NotWatched::OnlyRead => "is read and never written",
        NotWatched::OnlyAtomics => "is accessed by atomic operations only",
        NotWatched::Proven(proof) => proven(proof),
        NotWatched::Decided => "is known without watching the kernel: no address hangs on data",
        NotWatched::AsAsked => "was left out, as asked",
        NotWatched::ArrayOfBindings => "is an array of bindings",
        NotWatched::Unsupported => "is of a kind that is not watched",
        NotWatched::NoShadow(reason) => return no_shadow(reason),
    };
    words.to_owned()
}

fn proven(proof: Proof) -> &'static str {
    match proof {
        Proof::Unreached => "takes part in no race: no invocation gets there",
        Proof::NoConflict => {
            "takes part in no race: nothing that is done to the memory conflicts with it"
        }
        Proof::Barriers => {
            "takes part in no race: barriers lie between it and what conflicts with it"
        }
        Proof::OneInvocation => "takes part in no race: one invocation alone gets there",
        Proof::OwnWords => "takes part in no race: no other invocation touches the same words",
    }
}

fn no_shadow(reason: NoShadow) -> String {
    let words = match reason {
        NoShadow::OverLimit { mib_more } => {
            return format!("takes {mib_more} MiB of shadow memory more than is allowed");
        }
        NoShadow::BuffersTooSmall => "has no room for its shadow in the buffers of the device",
        NoShadow::TooManyInvocations => {
            "has no room in its shadow words for the ids of so many invocations"
        }
        NoShadow::BoundTooShort => "is bound to less than its type needs",
    };
    words.to_owned()
}
