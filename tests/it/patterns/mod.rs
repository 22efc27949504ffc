//! The patterns of the labelled corpus, held to what others say of them.
//!
//! - `compiled`: rustc takes every kernel that the templates make;
//! - `oclgrind`: Oclgrind sees the races that the oracle sees.

mod compiled;
mod oclgrind;

use libtest_mimic::Trial;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    [compiled::trials(), oclgrind::trials()].into_iter().flatten().collect()
}
