//! The seams of the project, each held by a test that uses it from outside, as something new would that is about to
//! be built on it: a file each, and a line where it is registered. Where one needs more, the seam is not right.

pub mod dispatches;

use hirace_testing::harness::Trial;

macro_rules! seams {
    ($($(#[$condition:meta])* $name:ident,)+) => {
        $($(#[$condition])* mod $name;)+

        /// The trials of this module.
        pub fn trials() -> Vec<Trial> {
            let files: Vec<Vec<Trial>> = vec![$($(#[$condition])* $name::trials(),)+];
            files.into_iter().flatten().collect()
        }
    };
}

seams! {
    arms,
    last_first,
    operators,
    #[cfg(feature = "gpu")]
    service,
    weak_memory,
}
