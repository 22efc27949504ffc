//! Tests of the extension points of the project. Each is used from outside, as a new component would use it: one file each, and
//! one line of registration. If a component needs more than that, the extension point has to be changed.

pub mod dispatches;

use hirace_testing::harness::Trial;

macro_rules! extension_points {
    ($($(#[$condition:meta])* $name:ident,)+) => {
        $($(#[$condition])* mod $name;)+

        /// Returns the trials of this module.
        pub fn trials() -> Vec<Trial> {
            let files: Vec<Vec<Trial>> = vec![$($(#[$condition])* $name::trials(),)+];
            files.into_iter().flatten().collect()
        }
    };
}

extension_points! {
    arms,
    last_first,
    operators,
    #[cfg(feature = "gpu")]
    service,
    weak_memory,
}
