//! Texts that explain why something is not watched.

use crate::prove::Proof;
use crate::watch::{NoShadow, NotWatched};

/// Returns the reason as the end of a sentence that starts with the name of what is not watched.
pub fn not_watched(reason: NotWatched) -> String {
    let words = match reason {
        NotWatched::NotReached => "is not reached",
        NotWatched::NotAccessed => "is not accessed",
        NotWatched::ReadOnly => "is read-only",
        NotWatched::OnlyRead => "is read and never written",
        NotWatched::OnlyAtomics => "is accessed by atomic operations only",
        NotWatched::Proven(proof) => proven(proof),
        NotWatched::DecidedBySlice => {
            "was decided without watching the kernel: no address depends on data"
        }
        NotWatched::ExcludedByRequest => "was excluded, as requested",
        NotWatched::ArrayOfBindings => "is an array of bindings",
        NotWatched::Unsupported => "is of an unsupported kind",
        NotWatched::NoShadow(reason) => return no_shadow(reason),
    };
    words.to_owned()
}

fn proven(proof: Proof) -> &'static str {
    match proof {
        Proof::Unreached => "takes part in no race: no invocation reaches it",
        Proof::NoConflict => "takes part in no race: no access to the memory conflicts with it",
        Proof::Barriers => {
            "takes part in no race: barriers separate it from all conflicting accesses"
        }
        Proof::OneInvocation => "takes part in no race: only one invocation reaches it",
        Proof::OwnWords => "takes part in no race: no other invocation accesses the same words",
    }
}

fn no_shadow(reason: NoShadow) -> String {
    let words = match reason {
        NoShadow::OverLimit { mib_more } => {
            return format!("needs {mib_more} MiB more shadow memory than is allowed");
        }
        NoShadow::BuffersTooSmall => {
            "needs more shadow memory than the buffers of the device can hold"
        }
        NoShadow::TooManyInvocations => {
            "has shadow words too small for the ids of so many invocations"
        }
        NoShadow::LimitTooSmall => "is bound to a buffer that is too small for its type",
    };
    words.to_owned()
}
