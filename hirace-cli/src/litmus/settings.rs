//! How much is run, what is drawn by, and who judges.

use crate::args::{self, message};
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_core::launch::spec;
use hirace_litmus::results::Settings;
use hirace_litmus::test::Specification;
use std::time::Duration;

/// How much is run of each test in each environment.
#[derive(Debug, Args)]
#[command(next_help_heading = "How much")]
pub struct SettingsArgs {
    /// The most dispatches of a test in an environment
    #[arg(long, value_name = "N", default_value = "50", value_parser = value_parser!(u32).range(1..))]
    iterations: u32,
    /// The most seconds of a test in an environment
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    time: Option<Duration>,
    /// What environments, and what differs between dispatches, are drawn by: any text
    #[arg(long, value_name = "TEXT", default_value = "hirace")]
    pub seed: String,
    #[command(flatten)]
    pub judge: SpecificationArgs,
}

/// Who judges.
#[derive(Debug, Args)]
pub struct SpecificationArgs {
    /// The version of the specification that judges: wgsl, or wgsl-2022, in which a storage barrier releases and acquires
    /// between workgroups
    #[arg(long, value_name = "VERSION", default_value = "wgsl", value_parser = message(specification))]
    pub specification: Specification,
}

impl SettingsArgs {
    pub fn settings(&self) -> Settings {
        Settings::new(&self.seed, self.iterations, self.time.map(|time| time.as_secs_f64()))
    }
}

/// The version of this name.
pub fn specification(name: &str) -> Result<Specification> {
    args::named("version of the specification", &Specification::NAMED, name)
}
