//! One environment that is given, and many that are drawn.

use crate::args::message;
use clap::{Args, ValueEnum, value_parser};
use hirace_core::bounded::CONFIGURATION;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::environment::{self, Layout, Parameters, Preset, Recipe};
use hirace_litmus::results::Environment;
use std::path::PathBuf;

/// How instances of a test lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Many at once: each invocation of the testing workgroups runs threads of several
    #[default]
    Parallel,
    /// One a dispatch, between workgroups that stress
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

/// An environment with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PresetArg {
    /// Few workgroups, and no stress
    Basic,
    /// Many workgroups that are shuffled and wait for each other
    Interleave,
    /// That, and all kinds of stress
    Stress,
}

/// An environment.
#[derive(Debug, Args)]
#[command(next_help_heading = "Environment")]
pub struct EnvironmentArgs {
    /// An environment with a name
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value = "basic",
        conflicts_with = "environment"
    )]
    preset: PresetArg,
    /// An environment of a file: JSON with `layout` and `parameters`, as reports have it
    #[arg(long, value_name = "FILE", conflicts_with = "layout")]
    environment: Option<PathBuf>,
    /// Change a parameter (repeatable): testingWorkgroups, maxWorkgroups, workgroupSize, shufflePct, …
    #[arg(long, value_name = "NAME=NUMBER", value_parser = message(parameter))]
    set: Vec<(String, u32)>,
    /// How instances of a test lie
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t)]
    layout: LayoutArg,
}

fn parameter(text: &str) -> Result<(String, u32)> {
    let names = Parameters::names();
    let parsed = text.split_once('=').and_then(|(name, number)| {
        let name = name.trim().to_owned();
        names.contains(&name).then_some((name, number.trim().parse().ok()?))
    });
    parsed.ok_or_else(|| {
        let error = Diagnostic::new(format!("expected NAME=NUMBER, got `{text}`"));
        Box::new(error.help(format!("NAME is one of {}", names.join(", "))))
    })
}

impl EnvironmentArgs {
    /// What is given.
    pub fn environment(&self) -> Result<Environment> {
        let mut environment = match &self.environment {
            Some(path) => {
                let text = CONFIGURATION.text(path)?;
                Environment::read(&text).map_err(|error| {
                    let shown = path.display();
                    let error = Diagnostic::new(format!("{shown} is no environment: {error}"));
                    Box::new(error.help("give `layout` and `parameters`, as reports have them"))
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

/// Which environments are drawn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Environments")]
pub struct DrawnArgs {
    /// The most workgroups of a dispatch
    #[arg(long, value_name = "N", default_value = "1024", value_parser = value_parser!(u32).range(2..=65_535))]
    max_workgroups: u32,
    /// The most invocations of a workgroup
    #[arg(long, value_name = "N", default_value = "256", value_parser = value_parser!(u32).range(1..=1024))]
    max_workgroup_size: u32,
    /// How percentages are drawn
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    percentages: Percentages,
    /// How instances of a test lie
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t)]
    layout: LayoutArg,
}

/// How percentages are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Percentages {
    /// From 0 to 100, as GPUHarbor does
    #[default]
    Often,
    /// The same, in multiples of 5
    Rounded,
    /// 0 or 100, and workgroups have 256 invocations, as MC Mutants has it
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

impl DrawnArgs {
    /// So many of those that are drawn by a seed.
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
