//! Tests of the whole, through the facade and the binary. Each module lists its trials, so that
//! what cannot run on a machine shows as ignored, with the reason, and never as passed.

mod annotations;
mod mutated;
mod random;
mod spans;
mod support;
mod tint;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let trials: Vec<Trial> = [mutated::trials(), random::trials(), spans::trials(), tint::trials()]
        .into_iter()
        .flatten()
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
