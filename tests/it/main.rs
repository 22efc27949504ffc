//! Integration tests through the facade and the binary. Each module lists its trials, so that a trial that cannot run on a
//! machine shows as ignored, with the reason, and never as passed.
//!
//! They are a target of `hirace-cli`, because cargo names the binary to run only to tests of its package.

mod amplify;
mod annotations;
mod audit;
mod audit_page;
mod bad_input;
#[cfg(unix)]
mod book;
mod browser;
mod builtins;
mod campaigns;
mod cli;
#[cfg(all(feature = "gpu", feature = "https"))]
mod command_page;
mod consumers;
mod contract;
mod corpus;
mod cover;
mod damaged;
mod determinism;
#[cfg(feature = "gpu")]
mod device;
mod editor;
mod extension_points;
mod fix;
#[cfg(all(feature = "glsl", unix))]
mod glsl;
#[cfg(feature = "host")]
mod host;
mod hostile;
#[cfg(unix)]
mod interruption;
mod layers;
#[cfg(unix)]
mod limits;
#[cfg(feature = "litmus")]
mod litmus_campaigns;
#[cfg(feature = "litmus")]
mod litmus_locks;
#[cfg(all(feature = "gpu", feature = "litmus"))]
mod litmus_prefix_sum;
#[cfg(all(feature = "gpu", feature = "litmus"))]
mod litmus_race_bounds;
#[cfg(feature = "litmus")]
mod litmus_service;
mod log;
mod mutate;
mod notes;
#[cfg(unix)]
mod outputs;
mod packages;
mod pages;
mod patterns;
#[cfg(feature = "preprocess")]
mod preprocess;
mod public_api;
mod random;
mod replays;
mod rules;
mod rust;
mod rust_files;
mod schema;
mod spans;
#[cfg(feature = "spirv")]
mod spirv;
#[cfg(feature = "spirv")]
mod spirv_features;
#[cfg(unix)]
mod suites;
mod support;
mod target_first;
#[cfg(unix)]
mod terminal;
mod tint;
mod verify;
mod verify_repair;

use hirace_testing::harness::{self, Trial};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(done) = damaged::worker::run_if_worker() {
        return done;
    }
    let modules = [
        amplify::trials(),
        audit::trials(),
        audit_page::trials(),
        bad_input::trials(),
        #[cfg(unix)]
        book::trials(),
        builtins::trials(),
        campaigns::trials(),
        consumers::trials(),
        contract::trials(),
        corpus::trials(),
        cover::trials(),
        damaged::trials(),
        determinism::trials(),
        #[cfg(feature = "gpu")]
        device::trials(),
        cli::trials(),
        #[cfg(all(feature = "gpu", feature = "https"))]
        command_page::trials(),
        editor::trials(),
        fix::trials(),
        #[cfg(all(feature = "glsl", unix))]
        glsl::trials(),
        #[cfg(feature = "host")]
        host::trials(),
        hostile::trials(),
        #[cfg(unix)]
        interruption::trials(),
        layers::trials(),
        #[cfg(unix)]
        limits::trials(),
        #[cfg(feature = "litmus")]
        litmus_campaigns::trials(),
        #[cfg(feature = "litmus")]
        litmus_locks::trials(),
        #[cfg(all(feature = "gpu", feature = "litmus"))]
        litmus_prefix_sum::trials(),
        #[cfg(all(feature = "gpu", feature = "litmus"))]
        litmus_race_bounds::trials(),
        #[cfg(feature = "litmus")]
        litmus_service::trials(),
        log::trials(),
        mutate::trials(),
        notes::trials(),
        #[cfg(unix)]
        outputs::trials(),
        packages::trials(),
        pages::trials(),
        patterns::trials(),
        public_api::trials(),
        random::trials(),
        replays::trials(),
        rules::trials(),
        rust::trials(),
        rust_files::trials(),
        extension_points::trials(),
        spans::trials(),
        #[cfg(feature = "preprocess")]
        preprocess::trials(),
        #[cfg(feature = "spirv")]
        spirv::trials(),
        #[cfg(feature = "spirv")]
        spirv_features::trials(),
        #[cfg(unix)]
        suites::trials(),
        target_first::trials(),
        #[cfg(unix)]
        terminal::trials(),
        tint::trials(),
        verify::trials(),
        verify_repair::trials(),
    ];
    let trials: Vec<Trial> = modules.into_iter().flatten().collect();
    harness::run(Path::new(env!("CARGO_TARGET_TMPDIR")), include_str!("slow.txt"), trials)
}
