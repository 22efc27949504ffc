//! Arguments for testing environments: a given one, or random ones.

use super::run_folder;
use crate::args::message;
use clap::{Args, ValueEnum, value_parser};
use hirace_core::bounded::CONFIGURATION;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::campaign::{TuningError, best_environments};
use hirace_litmus::environment::Environment;
use hirace_litmus::environment::{self, Layout, Parameters, Preset, Recipe};
use hirace_terminal::Output;
use std::path::PathBuf;

/// An arrangement of test instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Many instances at once: each invocation of the testing workgroups runs threads of several
    #[default]
    Parallel,
    /// One instance per dispatch, between stressing workgroups
    Single,
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Parallel => Self::Parallel,
            LayoutArg::Single => Self::Single,
        }
    }
}

/// A named environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PresetArg {
    /// Few workgroups and no stress
    Basic,
    /// Many workgroups that are shuffled and wait for each other
    Interleave,
    /// As interleave, with all kinds of stress
    Stress,
}

/// Arguments that define one environment.
#[derive(Debug, Args)]
#[command(next_help_heading = "Environment")]
pub struct EnvironmentArgs {
    /// Use a named environment
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value = "basic",
        conflicts_with = "environment"
    )]
    preset: PresetArg,
    /// Read the environment from a JSON file with `layout` and `parameters`, as in reports; of the folder of a campaign, use
    /// the environment that killed the most mutants
    #[arg(long, value_name = "FILE or FOLDER", conflicts_with = "layout")]
    environment: Option<PathBuf>,
    /// Set a parameter of the environment (repeatable): testingWorkgroups, maxWorkgroups, workgroupSize, shufflePct, …
    #[arg(long, value_name = "NAME=NUMBER", value_parser = message(parse_parameter))]
    set: Vec<(String, u32)>,
    /// Choose how the instances of a test are arranged
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t)]
    layout: LayoutArg,
}

fn parse_parameter(text: &str) -> Result<(String, u32)> {
    let names = Parameters::names();
    let parsed = text.split_once('=').and_then(|(name, number)| {
        let name = name.trim().to_owned();
        names.contains(&name).then_some((name, number.trim().parse().ok()?))
    });
    parsed.ok_or_else(|| {
        let error = Diagnostic::new(format!("expected NAME=NUMBER, got `{text}`"));
        Box::new(error.help(format!("use one of these for NAME: {}", names.join(", "))))
    })
}

impl EnvironmentArgs {
    /// Returns the environment that the arguments define.
    pub fn environment(&self, output: &Output) -> Result<Environment> {
        let mut environment = match &self.environment {
            Some(path) if path.is_dir() => {
                let tuned = run_folder::read_tuned(path, output)?;
                let best = best_environments(&tuned).map_err(|error| {
                    let shown = path.display();
                    let error = match error {
                        TuningError::NothingKilled => {
                            format!("no mutant was killed by the campaign in {shown}")
                        }
                        TuningError::NoTimes => format!("the campaign in {shown} has no times"),
                    };
                    Box::new(Diagnostic::new(error).help("name the folder of a tuning run"))
                })?;
                best[0].clone()
            }
            Some(path) => {
                let text = CONFIGURATION.text(path)?;
                Environment::read(&text).map_err(|error| {
                    let shown = path.display();
                    let error = Diagnostic::new(format!("{shown} is not an environment: {error}"));
                    Box::new(error.help("give `layout` and `parameters`, as in reports"))
                })?
            }
            None => {
                let preset = match self.preset {
                    PresetArg::Basic => Preset::Basic,
                    PresetArg::Interleave => Preset::Interleave,
                    PresetArg::Stress => Preset::Stress,
                };
                Environment { layout: self.layout.into(), parameters: preset.parameters() }
            }
        };
        for (name, number) in &self.set {
            if let Some(changed) = environment.parameters.with(name, *number) {
                environment.parameters = changed;
            }
        }
        Ok(environment)
    }
}

/// Arguments that define random environments.
#[derive(Debug, Args)]
#[command(next_help_heading = "Environments")]
pub struct RandomEnvironmentArgs {
    /// Limit the number of workgroups of a dispatch
    #[arg(long, value_name = "N", default_value = "1024", value_parser = value_parser!(u32).range(2..=65_535))]
    max_workgroups: u32,
    /// Limit the number of invocations of a workgroup
    #[arg(long, value_name = "N", default_value = "256", value_parser = value_parser!(u32).range(1..=1024))]
    max_workgroup_size: u32,
    /// Choose how percentages are drawn
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    percentages: Percentages,
    /// Choose how the instances of a test are arranged
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t)]
    layout: LayoutArg,
}

/// A distribution of percentages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Percentages {
    /// From 0 to 100, as in GPUHarbor
    #[default]
    Often,
    /// From 0 to 100 in multiples of 5
    Rounded,
    /// 0 or 100, with workgroups of 256 invocations, as in MC Mutants
    Always,
}

impl From<Percentages> for environment::Percentages {
    fn from(percentages: Percentages) -> Self {
        match percentages {
            Percentages::Often => Self::Often,
            Percentages::Rounded => Self::Rounded,
            Percentages::Always => Self::Always,
        }
    }
}

impl RandomEnvironmentArgs {
    /// Returns `number` random environments for a seed.
    pub fn environments(&self, seed: &str, number: u32) -> Vec<Environment> {
        let recipe = Recipe {
            seed: seed.to_owned(),
            number,
            max_workgroups: self.max_workgroups,
            max_workgroup_size: self.max_workgroup_size,
            percentages: self.percentages.into(),
            layout: self.layout.into(),
        };
        recipe.environments().collect()
    }
}
