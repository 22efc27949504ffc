//! Command-line arguments that several verbs share.

use clap::{Args, Command};
use hirace_core::diagnostic::{self, Diagnostic};
use hirace_core::exec::{EMBEDDED, Shortcuts};
use hirace_core::facts::DispatchOrder;
use hirace_core::launch::spec::{self, Binding, DispatchSpec, LaunchSpec};
use hirace_core::preprocessing::{parse_define, parse_target};
use std::path::PathBuf;
use std::time::Duration;

/// Parses the schedule of a dispatch.
pub fn parse_order(text: &str) -> diagnostic::Result<DispatchOrder> {
    text.parse::<DispatchOrder>().map_err(|error| Box::new(Diagnostic::new(error.to_string())))
}

/// Returns the value called `name` in `values`. `kind` is the noun for the values in the error message.
///
/// # Errors
/// No value has this name.
pub fn named<T: Copy>(kind: &str, values: &[(&str, T)], name: &str) -> diagnostic::Result<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let error = Diagnostic::new(format!("no {kind} is called `{name}`"));
        Box::new(error.help(format!("use one of {}", names.join(", "))))
    })
}

fn parse_shortcuts(names: &str) -> diagnostic::Result<Shortcuts> {
    names.split(',').try_fold(Shortcuts::NONE, |combined, name| {
        Ok(combined | named("shortcut", &Shortcuts::NAMED, name.trim())?)
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
    /// Shaders, programs with kernels, folders of both, or - for standard input [default: the files that hirace.toml
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

    /// Returns the arguments without `--schedules`, for verbs that run the schedules themselves.
    pub fn without_schedules(&self) -> Self {
        Self { run: RunArgs { schedules: None, ..self.run.clone() }, ..self.clone() }
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

    /// Returns whether any argument selects files, describes a launch or changes how it runs. The number of schedules
    /// applies to test commands too.
    pub fn is_given(&self) -> bool {
        let Self { paths, preprocess, launch, run } = self;
        !paths.is_empty()
            || preprocess.any()
            || launch.any()
            || !launch.entry.is_empty()
            || launch.seed.is_some()
            || run.device != EMBEDDED
            || run.schedule.is_some()
            || run.subgroup_size.is_some()
            || run.max_steps.is_some()
            || run.timeout.is_some()
            || run.oracle
            || run.shortcuts != Shortcuts::ALL
            || run.config.is_some()
    }
}

/// Arguments that control preprocessing: of WGSL with naga_oil, and of GLSL.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Preprocessing")]
pub struct PreprocessArgs {
    /// Preprocess WGSL files with naga_oil: `#import`, `#ifdef`, `#if`, `#define` and `#{NAME}`; implied by --define
    /// and --module
    #[arg(long)]
    pub preprocess: bool,
    /// Define a name for `#ifdef`, `#if`, `#{NAME}`, `${NAME}` and `{{NAME}}` in WGSL and in programs, or a macro in GLSL
    /// (repeatable); for directives in WGSL, VALUE is true, false or an integer, and true if omitted
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = message(parse_define))]
    pub define: Vec<(String, String)>,
    /// Make a file, or the files of a folder, available to `#import` (repeatable); files in the folder of each input
    /// and its subfolders are found automatically
    #[arg(long, value_name = "PATH")]
    pub module: Vec<PathBuf>,
    /// Search a folder for files that GLSL includes (repeatable); the folder of the file with the `#include "FILE"` is searched
    /// first
    #[arg(short = 'I', long, value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Compile GLSL for this environment, as `glslangValidator` names it: vulkan1.0 to vulkan1.4 [default: vulkan1.3]
    #[arg(long, value_name = "NAME", value_parser = message(parse_target))]
    pub target_env: Option<String>,
}

impl PreprocessArgs {
    /// Returns whether any argument is given.
    pub fn any(&self) -> bool {
        self.of_wgsl() || !self.include.is_empty() || self.target_env.is_some()
    }

    /// Returns whether any argument requests preprocessing of WGSL.
    pub fn of_wgsl(&self) -> bool {
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
    /// permutation:LEN or permutation:LEN:SEED, fill:LEN:VALUE, below:LEN:VALUE or below:LEN:VALUE:SEED, a list like 1,2,3,
    /// @file.bin or @file.npy
    ///
    /// LEN is the number of elements of a runtime-sized array. A buffer of fixed size may omit it: it is the length of an
    /// array, and 1 for other types. A struct takes a
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
    /// Run each launch or test under this many seeded schedules in addition to the serial one; in `amplify`, under this
    /// many schedules of each strategy [default: 0; mutate: 19; amplify: 20; audit: 19 seeded and 5 of each strategy]
    #[arg(long, value_name = "N", value_parser = message(spec::parse_schedules))]
    pub schedules: Option<u32>,
    /// Set the number of invocations per subgroup: a power of two from 1 to 64 [default: 32]
    #[arg(long, value_name = "N")]
    pub subgroup_size: Option<u32>,
    /// Limit the number of steps of a subgroup; a kernel that reaches the limit counts as making no progress
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u64>,
    /// Stop an operation after SECONDS and report what was found so far; applies to reading a file, setting up a
    /// launch, and a dispatch [default: 120 for a dispatch on a device]
    #[arg(long, value_name = "SECONDS", value_parser = message(spec::parse_seconds))]
    pub timeout: Option<Duration>,
    /// Also run the exact full-history oracle and report any disagreement (slow)
    #[arg(long)]
    pub oracle: bool,
    /// Choose optimizations that check less at run time with the same result: all, none, or a comma-separated list of
    /// proofs, slices and classes
    #[arg(long, value_name = "NAMES", default_value = "all", value_parser = message(parse_shortcuts))]
    pub shortcuts: Shortcuts,
    /// Read this configuration file [default: the nearest hirace.toml in the folder of each file or its parents]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
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
