//! Programs run on plain wgpu, on a wrapped instance, and with a watcher that changes as much as it is allowed to. The
//! results must be the same. Each module lists its trials, so that a trial that cannot run on a machine is shown as
//! ignored with the reason, and never as passed.

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
