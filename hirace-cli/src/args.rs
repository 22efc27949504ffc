//! Command-line arguments shared by the verbs that take shaders.

use crate::reports;
use clap::{Args, Command, ValueEnum};
use hirace_core::diagnostic::{self, Diagnostic};
use hirace_core::exec::{EMBEDDED, Shortcuts};
use hirace_core::facts::DispatchOrder;
use hirace_core::launch::spec::{self, Binding, DispatchSpec, LaunchSpec};
use hirace_core::limits::Limits;
use hirace_core::shard::Shard;
use std::path::PathBuf;
use std::time::Duration;

/// Check shaders for data races, barrier divergence, out-of-bounds accesses and endless loops
///
/// A file alone is enough: grids, buffer lengths and contents that are not given are guessed, and the report lists the
/// guesses. A finding that depends on guessed contents is `possible` and does not fail the check; give the contents to
/// decide it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace check shader.wgsl
  hirace check shaders/
  hirace check src/kernels.rs --entry block_sum --override N=64
  hirace check blur.wgsl --entry main --workgroups 16,16 \\
      --buffer input=@image.npy --buffer params=640,480 --buffer output=zeros:307200
  hirace check scan.wgsl --dispatch scan:4 --dispatch add:4 --buffer data=random:1024
  hirace check light.wgsl --preprocess --define TILE=16 --module shaders/shared
  hirace check shaders/ --format sarif > report.sarif
  hirace check --schedules 100000 --shard 2/3 --report json=2.json      then: hirace merge 1.json 2.json 3.json")]
pub struct CheckArgs {
    #[command(flatten)]
    pub what: InputArgs,
    /// Run only part K of N of the schedules, for example 1/3, 2/3 or 3/3
    #[arg(long, value_name = "K/N", help_heading = "Running")]
    pub shard: Option<Shard>,
    /// Require kernels to fit within these limits; `webgpu` is what WebGPU guarantees on every device. Exceeding a
    /// limit is an error
    #[arg(long, value_name = "LIMITS", value_parser = message(str::parse::<Limits>), help_heading = "Running")]
    pub limits: Option<Limits>,
    /// Run a dispatch under this schedule, as `hirace verify` and `hirace amplify` print it, with every step by the
    /// same invocation
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "shard", value_parser = message(scheduled),
          help_heading = "Running")]
    pub replay: Option<DispatchOrder>,
    /// List the accesses to shared, written memory: those proved race-free, with the reason, and those that are
    /// monitored
    #[arg(long)]
    pub explain_static: bool,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Parses the schedule of a dispatch.
pub fn scheduled(text: &str) -> diagnostic::Result<DispatchOrder> {
    text.parse::<DispatchOrder>().map_err(|error| Box::new(Diagnostic::new(error.to_string())))
}

/// Returns the value called `name` in `all`. `kind` is the noun for the values in the error message.
///
/// # Errors
/// No value has this name.
pub fn named<T: Copy>(kind: &str, all: &[(&str, T)], name: &str) -> diagnostic::Result<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, one)| *one).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let error = Diagnostic::new(format!("no {kind} is called `{name}`"));
        Box::new(error.help(format!("use one of {}", names.join(", "))))
    })
}

fn shortcuts(names: &str) -> diagnostic::Result<Shortcuts> {
    names.split(',').try_fold(Shortcuts::NONE, |made, name| {
        Ok(made | named("shortcut", &Shortcuts::NAMED, name.trim())?)
    })
}

/// Returns the arguments of a verb when no flag is given.
pub fn defaults<A: Args>() -> A {
    let matches = A::augment_args(Command::new("hirace")).get_matches_from(["hirace"]);
    A::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Arguments that select kernels and describe how to launch them.
#[derive(Clone, Debug, Args)]
pub struct InputArgs {
    /// Shaders, Rust files with kernels, folders of both, or - for standard input [default: the files that hirace.toml
    /// names]
    #[arg(value_name = "FILE or FOLDER")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

impl InputArgs {
    /// Returns a key of all arguments that the result depends on. File contents and hirace.toml are not part of it.
    pub fn key(&self) -> String {
        let Self { paths: _, preprocess, launch, run } = self;
        format!("{preprocess:?} {launch:?} {run:?}")
    }

    /// Rejects launch arguments when a test command is given.
    pub fn reject_with_command(&self) -> diagnostic::Result<()> {
        if !self.is_given() {
            return Ok(());
        }
        let error = Diagnostic::new("a test command cannot be combined with files or launch flags");
        Err(Box::new(
            error.help("leave out the files and launch flags: the tests define their own launches"),
        ))
    }

    /// Returns whether any argument selects files, describes a launch or changes how it runs.
    pub fn is_given(&self) -> bool {
        let Self { paths, preprocess, launch, run } = self;
        !paths.is_empty()
            || preprocess.any()
            || launch.any()
            || !launch.entry.is_empty()
            || launch.seed.is_some()
            || run.device != EMBEDDED
            || run.schedule.is_some()
            || run.schedules.is_some()
            || run.subgroup_size.is_some()
            || run.step_limit.is_some()
            || run.timeout.is_some()
            || run.oracle
            || run.shortcuts != Shortcuts::ALL
            || run.config.is_some()
    }
}

/// Arguments that control preprocessing with naga_oil.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Preprocessing")]
pub struct PreprocessArgs {
    /// Preprocess WGSL files with naga_oil: `#import`, `#ifdef`, `#if`, `#define` and `#{NAME}`; implied by --define
    /// and --module
    #[arg(long)]
    pub preprocess: bool,
    /// Define a name for `#ifdef`, `#if` and `#{NAME}` (repeatable); VALUE is true, false or an integer, and true if omitted
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = message(parse_define))]
    pub define: Vec<(String, String)>,
    /// Make a file, or the files of a folder, available to `#import` (repeatable); files in the folder of each input
    /// and its subfolders are found automatically
    #[arg(long, value_name = "PATH")]
    pub module: Vec<PathBuf>,
}

impl PreprocessArgs {
    /// Returns whether any argument requests preprocessing.
    pub fn any(&self) -> bool {
        self.preprocess || !self.define.is_empty() || !self.module.is_empty()
    }
}

/// Arguments that describe a launch.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Launch")]
pub struct LaunchArgs {
    /// Check only this entry point (repeatable); of several files, only those that define it are checked
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// Set the grid, in workgroups
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = message(spec::parse_grid))]
    pub workgroups: Option<[u32; 3]>,
    /// Add a dispatch to a launch of several, run in order over the same buffers (repeatable)
    #[arg(long, value_name = "ENTRY:X[,Y[,Z]]", value_parser = message(DispatchSpec::parse), conflicts_with = "entry")]
    pub dispatch: Vec<DispatchSpec>,
    /// Set the contents of a buffer or texture (repeatable): zeros:LEN, iota:LEN, random:LEN or random:LEN:SEED,
    /// fill:LEN:VALUE, below:LEN:VALUE or below:LEN:VALUE:SEED, a list like 1,2,3, @file.bin or @file.npy
    ///
    /// LEN is the number of elements of a runtime-sized array; a buffer of fixed size may omit it. A struct takes a
    /// list of its scalars, in layout order. For a texture, LEN is WxH or WxHxD.
    #[arg(long, value_name = "NAME=SPEC", value_parser = message(Binding::parse))]
    pub buffer: Vec<Binding>,
    /// Set a pipeline override, or a const parameter of a generic kernel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = message(spec::parse_override))]
    pub r#override: Vec<(String, f64)>,
    /// Set the seed of random contents [default: 0]
    #[arg(long, value_name = "N", value_parser = message(spec::parse_seed))]
    pub seed: Option<u64>,
}

/// Arguments that control how launches run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Run launches on this device: `embedded`, which needs no installation and detects the most, or the number or part
    /// of the name of a device that `hirace devices` lists
    #[arg(long, value_name = "DEVICE", default_value = hirace_core::exec::EMBEDDED)]
    pub device: String,
    /// Run under the schedule of this seed, which determines the order of workgroups, subgroups and steps; 0 is the
    /// serial order
    #[arg(long, value_name = "SEED", value_parser = message(spec::parse_seed))]
    pub schedule: Option<u64>,
    /// Run this many seeded schedules in addition to the serial order
    #[arg(long, value_name = "N", value_parser = message(spec::parse_schedules))]
    pub schedules: Option<u32>,
    /// Set the number of invocations per subgroup: a power of two from 1 to 64 [default: 32]
    #[arg(long, value_name = "N")]
    pub subgroup_size: Option<u32>,
    /// Set the number of steps a subgroup may run before the kernel counts as making no progress
    #[arg(long, value_name = "N")]
    pub step_limit: Option<u64>,
    /// Stop an operation after SECONDS and report what was found so far; applies to reading a file, setting up a
    /// launch, and a dispatch [default: 120 for a dispatch on a device]
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    pub timeout: Option<Duration>,
    /// Also run the exact full-history oracle and report any disagreement (slow)
    #[arg(long)]
    pub oracle: bool,
    /// Choose optimizations that check less at run time with the same result: all, none, or a comma-separated list of
    /// proofs, slices and classes
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = message(shortcuts))]
    pub shortcuts: Shortcuts,
    /// Read this configuration file [default: the nearest hirace.toml in the folder of each file or its parents]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Arguments that control the report and where it goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Choose the format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json, sarif, github or html
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    /// Suppress the findings listed in this file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to this file, so that later runs can suppress them with --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Print findings and errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// Print a shader instrumented with the race monitor, as WGSL
///
/// The instrumented shader runs on any WebGPU device and leaves its findings in a storage buffer. For a Rust file, the
/// kernels of one monitored item are printed.
#[derive(Debug, Args)]
pub struct ExpandArgs {
    /// A shader in WGSL, a Rust file with kernels, or - for standard input
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// Print the WGSL without the monitor: the result of `kernel().wgsl()` or of preprocessing
    #[arg(long, conflicts_with = "table")]
    pub plain: bool,
    /// Instrument only this entry point (repeatable)
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// Choose where to store the monitor's transition table
    #[arg(long, value_enum, default_value_t)]
    pub table: Table,
    /// Set a pipeline override, or a const parameter of a generic kernel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = message(spec::parse_override))]
    pub r#override: Vec<(String, f64)>,
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
}

/// A storage location for the monitor's transition table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// In a storage buffer that the host fills; fast everywhere
    #[default]
    Buffer,
    /// In private memory; nothing to fill
    Private,
    /// In a constant; slow on some devices
    Constant,
    /// Not stored; each transition is computed
    Computed,
}

/// An output format of `hirace check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable text
    #[default]
    Text,
    /// `hirace.check/1`
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations
    Github,
    /// A page with the source and a diagram of each race
    Html,
}

impl LaunchArgs {
    /// Returns whether any flag describes what to launch, which makes the launches of hirace.toml not apply.
    pub fn any(&self) -> bool {
        self.workgroups.is_some()
            || !self.dispatch.is_empty()
            || !self.buffer.is_empty()
            || !self.r#override.is_empty()
    }

    /// Returns the launch that the flags describe.
    pub fn spec(&self) -> LaunchSpec {
        LaunchSpec {
            dispatches: self.dispatch.clone(),
            workgroups: self.workgroups,
            bindings: self.buffer.clone(),
            overrides: self.r#override.clone(),
            ..LaunchSpec::default()
        }
    }
}

/// Parses `NAME` or `NAME=VALUE`.
fn parse_define(text: &str) -> hirace_core::diagnostic::Result<(String, String)> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        let error = Diagnostic::new(format!("expected NAME or NAME=VALUE, got `{text}`"));
        return Err(Box::new(error));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Wraps a parser for clap, so that its error message includes the notes and help of the diagnostic.
pub fn message<T>(
    parse: impl Fn(&str) -> hirace_core::diagnostic::Result<T> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        parse(text).map_err(|error| {
            let notes = error.notes.iter().map(|note| format!("\n  note: {note}"));
            let help = error.help.iter().map(|help| format!("\n  help: {help}"));
            error.message.clone() + &notes.chain(help).collect::<String>()
        })
    }
}
