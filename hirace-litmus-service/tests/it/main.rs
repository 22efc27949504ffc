//! Tests of the service as a separate process, over HTTP. A test that cannot run on a machine shows as ignored, with
//! the reason.

mod api;
mod backup;
mod browser;
mod campaigns;
mod client;
mod crash;
mod disk;
mod examples;
mod fuzz;
mod hostile;
mod import;
mod load;
mod migration;
mod running;
mod samples;

use hirace_testing::harness::{self, Trial};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let modules = [
        api::trials(),
        backup::trials(),
        browser::trials(),
        campaigns::trials(),
        client::trials(),
        crash::trials(),
        disk::trials(),
        examples::trials(),
        fuzz::trials(),
        hostile::trials(),
        import::trials(),
        load::trials(),
        migration::trials(),
    ];
    let trials: Vec<Trial> = modules.into_iter().flatten().collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("litmus-service");
    harness::run(&folder, "", trials)
}
