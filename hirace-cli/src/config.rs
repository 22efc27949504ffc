//! Settings from hirace.toml, overridden by flags.

use crate::args::InputArgs;
use crate::files::Input;
use hirace_core::check::Options;
use hirace_core::config::{Config, FileSettings, NearestConfigs, TestSpec};
use hirace_core::diagnostic::Result;
use hirace_core::exec::Watch;
use hirace_core::launch::spec::LaunchSpec;
use hirace_core::limits::Limits;
use hirace_core::preprocessing::Preprocessing;
use std::path::PathBuf;
use std::time::Duration;

/// The configurations in use.
pub struct Configs {
    /// The configuration that `--config` names.
    given: Option<Config>,
    nearest: NearestConfigs,
}

impl Configs {
    /// Reads the configuration that `--config` names, if any. Others are found on demand.
    pub fn new(args: &InputArgs) -> Result<Self> {
        let given = args.run.config.as_deref().map(Config::read).transpose()?;
        Ok(Self { given, nearest: NearestConfigs::default() })
    }

    /// Returns the configuration for files in `folder`.
    pub fn of(&mut self, folder: PathBuf) -> Result<Option<&Config>> {
        match &self.given {
            Some(given) => Ok(Some(given)),
            None => self.nearest.of(folder),
        }
    }

    /// Returns how `input` is preprocessed according to its configuration.
    pub fn preprocessing(&mut self, input: &Input) -> Result<Preprocessing> {
        match &self.given {
            Some(given) => Ok(given.settings(&input.path)?.preprocessing),
            None => self.nearest.preprocessing(&input.path),
        }
    }

    /// Returns the time limit for reading `input`.
    pub fn timeout(&mut self, args: &InputArgs, input: &Input) -> Result<Option<Duration>> {
        let config = self.of(input.folder())?;
        let configured = config.and_then(|config| config.check().timeout);
        Ok(args.run.timeout.or(configured.map(|seconds| seconds.0)))
    }

    /// Returns the device limits for the kernels of `input`.
    pub fn limits(&mut self, input: &Input) -> Result<Option<Limits>> {
        Ok(self.of(input.folder())?.and_then(|config| config.check().limits))
    }

    /// Returns the tests of `input`, with the launch flags applied to them.
    pub fn tests(&mut self, args: &InputArgs, input: &Input) -> Result<Vec<TestSpec>> {
        let config = self.of(input.folder())?;
        let settings = config.map(|config| config.settings(&input.path)).transpose()?;
        let mut tests = settings.map(|settings| settings.tests).unwrap_or_default();
        if args.launch.any() {
            tests.clear();
        }
        let entries = &args.launch.entry;
        tests.retain(|test| {
            let mut dispatches = test.launch.dispatches.iter();
            entries.is_empty() || dispatches.all(|dispatch| entries.contains(&dispatch.entry))
        });
        for TestSpec { launch, .. } in &mut tests {
            launch.schedule = args.run.schedule.unwrap_or(launch.schedule);
            launch.seed = args.launch.seed.unwrap_or(launch.seed);
            launch.subgroup_size = args.run.subgroup_size.or(launch.subgroup_size);
            launch.step_limit = args.run.max_steps.or(launch.step_limit);
            launch.timeout = args.run.timeout.or(launch.timeout);
        }
        Ok(tests)
    }

    /// Returns the options for `input`: its settings in the configuration, overridden by the flags.
    pub fn options(&mut self, args: &InputArgs, input: &Input) -> Result<Options> {
        let config = self.of(input.folder())?;
        let mut settings = match config {
            Some(config) => config.settings(&input.path)?,
            None => FileSettings::default(),
        };
        let schedules = config.map_or(0, |config| config.check().schedules);
        let mut defaults = LaunchSpec::default();
        if let Some(config) = config {
            let check = config.check();
            defaults.seed = check.seed;
            defaults.subgroup_size = check.subgroup_size;
            defaults.step_limit = check.max_steps;
            defaults.timeout = check.timeout.map(|seconds| seconds.0);
        }
        let entries = &args.launch.entry;
        let asked = |launch: &LaunchSpec| {
            let mut dispatches = launch.dispatches.iter();
            entries.is_empty() || dispatches.all(|dispatch| entries.contains(&dispatch.entry))
        };
        settings.launches.retain(asked);
        if args.launch.any() || settings.launches.is_empty() {
            let LaunchSpec { seed, subgroup_size, step_limit, timeout, .. } = defaults;
            settings.launches =
                vec![LaunchSpec { seed, subgroup_size, step_limit, timeout, ..args.launch.spec() }];
        }
        for launch in &mut settings.launches {
            launch.seed = args.launch.seed.unwrap_or(launch.seed);
            launch.schedule = args.run.schedule.unwrap_or(launch.schedule);
            launch.subgroup_size = args.run.subgroup_size.or(launch.subgroup_size);
            launch.step_limit = args.run.max_steps.or(launch.step_limit);
            launch.timeout = args.run.timeout.or(launch.timeout);
        }
        let kernels = match entries.is_empty() {
            true => settings.kernels,
            false => entries.clone(),
        };
        let oracle = settings.watch.oracle || args.run.oracle;
        Ok(Options {
            kernels,
            launches: settings.launches,
            schedules: args.run.schedules.unwrap_or(schedules),
            watch: Watch { oracle, shortcuts: args.run.shortcuts, ..settings.watch },
            limits: None,
        })
    }
}
