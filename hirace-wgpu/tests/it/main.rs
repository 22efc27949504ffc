//! Programs run on plain wgpu, on a wrapped instance, and on one with a watcher that does as much as it may, and
//! each time they leave the same. Each module lists its trials, so that what cannot run on a machine shows as ignored,
//! with the reason, and never as passed.

mod acceleration;
mod buffers;
mod checked;
mod dispatches;
mod errors;
mod foreign;
mod hooks;
mod queries;
mod render;
mod restless;
mod support;
mod surfaces;
mod textures;
mod threads;
mod waiting;

use hirace_testing::harness::{self, Trial};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let modules = [
        acceleration::trials(),
        buffers::trials(),
        checked::trials(),
        dispatches::trials(),
        errors::trials(),
        foreign::trials(),
        hooks::trials(),
        queries::trials(),
        render::trials(),
        surfaces::trials(),
        textures::trials(),
        threads::trials(),
        waiting::trials(),
    ];
    let trials: Vec<Trial> = modules.into_iter().flatten().collect();
    harness::run(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("wgpu"), "", trials)
}
