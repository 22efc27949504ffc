//! Arguments for the amount of testing, the seed, and the specification.

use crate::args::{self, message};
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_core::launch::spec;
use hirace_litmus::results::Settings;
use hirace_litmus::test::Specification;
use std::time::Duration;

/// Arguments for the amount of testing per test and environment, the seed and the specification.
#[derive(Debug, Args)]
#[command(next_help_heading = "Test settings")]
pub struct SettingsArgs {
    /// Limit the number of dispatches per test and environment
    #[arg(long, value_name = "N", default_value = "50", value_parser = value_parser!(u32).range(1..))]
    iterations: u32,
    /// Stop a test in an environment after SECONDS and keep what was counted so far
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    timeout: Option<Duration>,
    /// Set the seed of environments and of variations between dispatches: any text
    #[arg(long, value_name = "TEXT", default_value = "hirace")]
    pub seed: String,
    #[command(flatten)]
    pub judge: SpecificationArgs,
}

/// The argument that chooses the specification.
#[derive(Debug, Args)]
pub struct SpecificationArgs {
    /// Choose the version of the specification that classifies outcomes: wgsl, or wgsl-2022, in which a storage barrier
    /// releases and acquires between workgroups
    #[arg(long, value_name = "VERSION", default_value = "wgsl", value_parser = message(specification))]
    pub specification: Specification,
}

impl SettingsArgs {
    pub fn settings(&self) -> Settings {
        Settings::new(&self.seed, self.iterations, self.timeout.map(|time| time.as_secs_f64()))
    }
}

/// Parses the name of a version of the specification.
pub fn specification(name: &str) -> Result<Specification> {
    args::named("version of the specification", &Specification::NAMED, name)
}
