//! Tests with random kernels: made from numbers, judged by their description, and compared with the engine.

mod classes;
mod differential;
pub mod divergent;
pub mod engine;
pub mod generate;
mod impaired;
mod instrumented;
pub mod kernel;
mod layout;
pub mod model;
mod plans;
pub mod print;
pub mod proofs;
pub mod shrink;
mod slices;
mod statistics;
mod stepped;

pub use generate::Random;

use hirace_testing::harness::Trial;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = differential::trials();
    trials.extend(divergent::trials());
    trials.extend(stepped::trials());
    trials.extend(plans::trials());
    trials.extend(slices::trials());
    trials.extend(classes::trials());
    trials.extend(proofs::trials());
    trials.push(statistics::trial());
    trials
}
