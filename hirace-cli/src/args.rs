//! The flags of the verbs that take shaders.

use crate::reports;
use clap::{Args, Command, ValueEnum};
use hirace_core::diagnostic::{self, Diagnostic};
use hirace_core::exec::{EMBEDDED, Shortcuts};
use hirace_core::facts::Scheduled;
use hirace_core::launch::spec::{self, Binding, DispatchSpec, LaunchSpec};
use hirace_core::limits::Limits;
use hirace_core::shard::Shard;
use std::path::PathBuf;
use std::time::Duration;

/// Check shaders for data races, barrier divergence, out-of-bounds accesses and endless loops
///
/// A file alone is enough: grids, buffer lengths and contents that are not given are guessed, and the
/// report says how. A finding that hangs on guessed contents is `possible` and does not fail the
/// check; give the contents to make sure.
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
    pub what: WhatArgs,
    /// One of several parts of the schedules: 1/3, 2/3 or 3/3
    #[arg(long, value_name = "K/N", help_heading = "Running")]
    pub shard: Option<Shard>,
    /// What kernels have to fit in: `webgpu` is what WebGPU guarantees on every device. Those that ask for more are errors
    #[arg(long, value_name = "LIMITS", value_parser = message(str::parse::<Limits>), help_heading = "Running")]
    pub limits: Option<Limits>,
    /// Run a dispatch in this order, as `hirace verify` and `hirace amplify` print it: every step by the invocation that did it
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "shard", value_parser = message(scheduled),
          help_heading = "Running")]
    pub replay: Option<Scheduled>,
    /// List the accesses to shared, written memory: which were proved to take part in no race, and why, and which are watched
    #[arg(long)]
    pub explain_static: bool,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Reads the order of a dispatch.
pub fn scheduled(text: &str) -> diagnostic::Result<Scheduled> {
    text.parse::<Scheduled>().map_err(|error| Box::new(Diagnostic::new(error.to_string())))
}

/// What of `all` has this name; `kind` is what it is one of.
pub fn named<T: Copy>(kind: &str, all: &[(&str, T)], name: &str) -> diagnostic::Result<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, one)| *one).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let error = Diagnostic::new(format!("no {kind} is called `{name}`"));
        Box::new(error.help(format!("there are {}", names.join(", "))))
    })
}

fn shortcuts(names: &str) -> diagnostic::Result<Shortcuts> {
    names.split(',').try_fold(Shortcuts::NONE, |made, name| {
        Ok(made | named("shortcut", &Shortcuts::NAMED, name.trim())?)
    })
}

/// The flags of a verb as they are where none is given.
pub fn defaults<A: Args>() -> A {
    let matches = A::augment_args(Command::new("hirace")).get_matches_from(["hirace"]);
    A::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Which kernels, and how they are launched.
#[derive(Clone, Debug, Args)]
pub struct WhatArgs {
    /// Shaders in WGSL, Rust files with kernels, folders of both, or - for standard input; without any:
    /// the files that hirace.toml names
    #[arg(value_name = "FILE or FOLDER")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
    #[command(flatten)]
    pub launch: LaunchArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

impl WhatArgs {
    /// All that a run hangs on, beside the text of files and what hirace.toml says of them.
    pub fn key(&self) -> String {
        let Self { paths: _, preprocess, launch, run } = self;
        format!("{preprocess:?} {launch:?} {run:?}")
    }

    /// Refuses what is said of launches where a command runs tests.
    pub fn refused_beside_a_command(&self) -> diagnostic::Result<()> {
        if !self.says_anything() {
            return Ok(());
        }
        let error = Diagnostic::new("a command is given, and files or flags of launches beside it");
        Err(Box::new(error.help("tests say themselves what they launch, and on what")))
    }

    /// Whether anything is said of files, of launches, or of how they run.
    pub fn says_anything(&self) -> bool {
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

/// How files that are not WGSL yet become WGSL.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Preprocessing")]
pub struct PreprocessArgs {
    /// Take WGSL files as naga_oil does, with `#import`, `#ifdef`, `#if`, `#define` and `#{NAME}`; --define and --module
    /// ask for that too
    #[arg(long)]
    pub preprocess: bool,
    /// Define a name for `#ifdef`, `#if` and `#{NAME}` (repeatable): true if there is no value, else true, false or a
    /// whole number
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = message(parse_define))]
    pub define: Vec<(String, String)>,
    /// A file that others import, or a folder of such (repeatable); those in the folder of each file, and in folders
    /// within that, are found
    #[arg(long, value_name = "PATH")]
    pub module: Vec<PathBuf>,
}

impl PreprocessArgs {
    /// Whether anything asks for it.
    pub fn any(&self) -> bool {
        self.preprocess || !self.define.is_empty() || !self.module.is_empty()
    }
}

/// What is dispatched, over which buffers.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Launch")]
pub struct LaunchArgs {
    /// Check this entry point only (may be repeated); of several files, those that have it
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// The grid, in workgroups
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = message(spec::parse_grid))]
    pub workgroups: Option<[u32; 3]>,
    /// A dispatch of a launch of several, in order, over the same buffers (repeatable)
    #[arg(long, value_name = "ENTRY:X[,Y[,Z]]", value_parser = message(DispatchSpec::parse), conflicts_with = "entry")]
    pub dispatch: Vec<DispatchSpec>,
    /// Contents of a buffer or texture (repeatable): zeros:LEN, iota:LEN, random:LEN or random:LEN:SEED,
    /// fill:LEN:VALUE, below:LEN:VALUE or below:LEN:VALUE:SEED, a list like 1,2,3, @file.bin or @file.npy
    ///
    /// LEN counts elements of a runtime-sized array; a buffer of fixed size may leave it out. A
    /// struct takes a list of its scalars, in the order of its layout. For a texture LEN is WxH or
    /// WxHxD.
    #[arg(long, value_name = "NAME=SPEC", value_parser = message(Binding::parse))]
    pub buffer: Vec<Binding>,
    /// The value of a pipeline override, or of a const parameter of a generic kernel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = message(spec::parse_override))]
    pub r#override: Vec<(String, f64)>,
    /// The seed of random contents [default: 0]
    #[arg(long, value_name = "N", value_parser = message(spec::parse_seed))]
    pub seed: Option<u64>,
}

/// How launches run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// What launches run on: `embedded`, which needs nothing and sees most, or the number or a part of
    /// the name of a device that `hirace devices` shows
    #[arg(long, value_name = "DEVICE", default_value = hirace_core::exec::EMBEDDED)]
    pub device: String,
    /// Run under this schedule: a seed for the order of workgroups, subgroups and steps; 0 is the
    /// plain order
    #[arg(long, value_name = "SEED", value_parser = message(spec::parse_seed))]
    pub schedule: Option<u64>,
    /// Run this many seeded schedules beside the plain order
    #[arg(long, value_name = "N", value_parser = message(spec::parse_schedules))]
    pub schedules: Option<u32>,
    /// Lanes of a subgroup: a power of two from 1 to 64 [default: 32]
    #[arg(long, value_name = "N")]
    pub subgroup_size: Option<u32>,
    /// Steps that a subgroup may run before the kernel counts as making no progress
    #[arg(long, value_name = "N")]
    pub step_limit: Option<u64>,
    /// End what takes longer, with what was found until then: reading a file, the set-up of a launch, a dispatch
    /// [default: 120 for a dispatch on a device]
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    pub timeout: Option<Duration>,
    /// Also run the exact full-history oracle and report any disagreement (slow)
    #[arg(long)]
    pub oracle: bool,
    /// Ways to check less while a kernel runs, with the same result: all, none, or some of proofs, slices and classes, with commas
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = message(shortcuts))]
    pub shortcuts: Shortcuts,
    /// The configuration file [default: the nearest hirace.toml, going up from each file]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What is printed, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json, sarif, github or html
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    /// Allow the findings in this file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to this file, to be allowed from now on
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Print findings and errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// Print a shader with the race monitor in it, as WGSL
///
/// The instrumented shader runs on any WebGPU device and leaves its findings in a storage buffer. Of a
/// Rust file, the kernels of one monitored item are printed.
#[derive(Debug, Args)]
pub struct ExpandArgs {
    /// A shader in WGSL, a Rust file with kernels, or - for standard input
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
    /// Print the WGSL without the monitor: what `kernel().wgsl()` gives, or what preprocessing makes
    #[arg(long, conflicts_with = "table")]
    pub plain: bool,
    /// Instrument this entry point only (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    /// Where the monitor's transition table stands
    #[arg(long, value_enum, default_value_t)]
    pub table: Table,
    /// The value of a pipeline override, or of a const parameter of a generic kernel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = message(spec::parse_override))]
    pub r#override: Vec<(String, f64)>,
    #[command(flatten)]
    pub preprocess: PreprocessArgs,
}

/// A place for the transition table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// In a storage buffer, which the host fills: fast everywhere
    #[default]
    Buffer,
    /// In private memory: nothing to fill
    Private,
    /// In a constant: slow on some devices
    Constant,
    /// Nowhere: each transition is computed
    Computed,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// `hirace.check/1`
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// One page with the source and a picture of each race
    Html,
}

impl LaunchArgs {
    /// Whether any flag says what to launch, so that launches of hirace.toml do not count.
    pub fn any(&self) -> bool {
        self.workgroups.is_some()
            || !self.dispatch.is_empty()
            || !self.buffer.is_empty()
            || !self.r#override.is_empty()
    }

    /// The launch that the flags describe.
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

/// Reads `NAME` or `NAME=VALUE`.
fn parse_define(text: &str) -> hirace_core::diagnostic::Result<(String, String)> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        let error = Diagnostic::new(format!("expected NAME or NAME=VALUE, got `{text}`"));
        return Err(Box::new(error));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// A parser for clap that says all that a diagnostic says.
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
