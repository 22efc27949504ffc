//! Random kernels: made from numbers, judged by their own description, and compared with the engine.

mod generate;
mod kernel;
mod layout;
mod model;
mod print;
mod statistics;

use libtest_mimic::Trial;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![statistics::trial()]
}
