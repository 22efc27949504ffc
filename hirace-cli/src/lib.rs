//! The `hirace` command: argument parsing and wiring. The functionality is in `hirace-core` and the other library
//! crates.
//!
//! Exit status of every verb that checks: 0 nothing found, 1 findings, 2 bad usage or input, 3 could not run, was
//! stopped or could not write a report, 4 inconclusive. The first signal stops the run in an orderly way; a second one
//! kills the process.
//!
//! The library has no interface of its own: it contains everything but the entry point of the binary, so that tests can
//! run the command in their process.

mod amplify;
mod application;
mod args;
mod audit;
mod check;
mod config;
mod contract;
mod cover;
mod devices;
mod entries;
mod expand;
mod explain_static;
mod files;
mod fix;
mod fsm;
mod inputs;
#[cfg(feature = "litmus")]
mod litmus;
mod log;
mod merge;
mod meta;
mod modules;
mod mutate;
mod output_folder;
mod package;
#[cfg(feature = "litmus")]
mod program;
mod progress;
mod repairs;
mod report;
mod verify;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use hirace_core::deadline::has_unfinished_work;
use hirace_core::process_mutation::reject_selected_mutant;
use hirace_terminal::{Color, Exit, Output, stop};
use std::ffi::OsString;
use std::process::ExitCode;

/// The hidden verb that cargo uses as its test runner.
const RUN_TESTS: &str = "run-tests";

/// Finds data races, barrier divergence, out-of-bounds accesses and endless loops in GPU compute shaders, at source
/// level, without a device
#[derive(Debug, Parser)]
#[command(
    name = "hirace",
    version,
    propagate_version = true,
    after_help = "Start with `hirace check shader.wgsl`. Exit status: 0 nothing found, \
                  1 findings, 2 bad usage or input, 3 could not run, was stopped \
                  or could not write a report, 4 inconclusive."
)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Choose when to color the output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
    /// Leave times, dates and memory use out of reports, so that reports of equal runs are equal byte by byte
    #[arg(long, global = true)]
    no_timing: bool,
    #[command(flatten)]
    log: log::LogArgs,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(Box<check::CheckArgs>),
    Contract(Box<contract::ContractArgs>),
    Cover(Box<cover::CoverArgs>),
    Mutate(Box<mutate::MutateArgs>),
    Amplify(Box<amplify::AmplifyArgs>),
    Audit(Box<audit::AuditArgs>),
    Verify(Box<verify::VerifyArgs>),
    Run(application::RunArgs),
    Test(application::TestArgs),
    #[cfg(feature = "litmus")]
    Litmus(litmus::LitmusArgs),
    Merge(merge::MergeArgs),
    /// Run a test binary for `cover`, `mutate` and `amplify`; cargo runs this command instead of the test binary
    #[command(hide = true)]
    RunTests {
        /// The test binary and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
    Expand(Box<expand::ExpandArgs>),
    /// List the devices that --device accepts
    Devices,
    /// Describe a kind of finding, with an example and how to fix it
    Explain {
        /// A rule code or name: HR001, data-race
        rule: String,
    },
    Fsm(fsm::FsmArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command into a folder
    Man {
        /// Write one page per command into this folder
        #[arg(long, value_name = "FOLDER")]
        output: Option<std::path::PathBuf>,
    },
}

impl Verb {
    /// Returns the name of a verb that runs kernels.
    fn name_if_it_runs_kernels(&self) -> Option<&'static str> {
        Some(match self {
            Self::Check(_) => "check",
            Self::Contract(_) => "contract",
            Self::Cover(_) => "cover",
            Self::Mutate(_) => "mutate",
            Self::Amplify(_) => "amplify",
            Self::Audit(_) => "audit",
            Self::Verify(_) => "verify",
            Self::Run(_) => "run",
            Self::Test(_) => "test",
            _ => return None,
        })
    }
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    let status = match parse(std::env::args_os()) {
        Ok(cli) => run(cli),
        Err(said) => Output::new(Color::Auto).usage(&said).into(),
    };
    match has_unfinished_work() {
        true => stop::exit_without_handlers(status),
        false => status,
    }
}

/// Parses a command line, whose first argument is the name of the program.
///
/// # Errors
/// An argument is invalid, or asks for a help text or the version.
#[doc(hidden)]
pub fn parse<A: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = A>,
) -> Result<Cli, clap::Error> {
    let mut matches = command().try_get_matches_from(arguments)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command()))
}

/// Returns the definition of the command line. Help texts leave out the flags that a verb shares with others and rejects.
fn command() -> Command {
    Cli::command().mut_subcommand("verify", |verify| {
        let hide = |command: Command, flag| command.mut_arg(flag, |argument| argument.hide(true));
        verify::REJECTED_FLAGS.into_iter().fold(verify, hide)
    })
}

/// Runs a parsed command line, and returns the exit status.
#[doc(hidden)]
pub fn run(Cli { mut verb, color, no_timing, log }: Cli) -> ExitCode {
    let output = Output::new(color).with_timing(!no_timing);
    if let Err(diagnostic) = log::start(&log) {
        return match verb {
            Verb::Check(args) => check::report_refusal(&args.report, false, &diagnostic, &output),
            _ => {
                output.error(&diagnostic);
                Exit::BadInput
            }
        }
        .into();
    }
    if let Some(name) = verb.name_if_it_runs_kernels()
        && let Err(error) = reject_selected_mutant(&format!("`hirace {name}`"))
    {
        output.error(&error);
        return Exit::BadInput.into();
    }
    if let Some(taken) = of_package(&mut verb) {
        output.note(&taken);
    }
    match verb {
        Verb::Check(args) => check::run(*args, &output),
        Verb::Cover(args) => cover::run(&args, &output),
        Verb::Mutate(args) => mutate::run(&args, &output),
        Verb::Amplify(args) => amplify::run(&args, &output),
        Verb::Audit(args) => audit::run(&args, &output),
        Verb::Verify(args) => verify::run(*args, &output),
        Verb::Run(args) => application::run(&args, &output),
        Verb::Test(args) => application::test(&args, &output),
        #[cfg(feature = "litmus")]
        Verb::Litmus(args) => litmus::run(args, &output),
        Verb::Merge(args) => merge::run(&args, &output),
        Verb::RunTests { command } => match command.split_first() {
            Some((binary, arguments)) => hirace_adequacy::suite::runner::run(binary, arguments),
            None => Exit::BadInput.into(),
        },
        Verb::Contract(args) => contract::run(&args, &output),
        Verb::Expand(args) => expand::run(&args, &output),
        Verb::Devices => devices::run(&output),
        Verb::Explain { rule } => meta::explain(&rule, &output),
        Verb::Fsm(args) => fsm::run(args, &output),
        Verb::Completions { shell } => meta::completions(shell, &output),
        Verb::Man { output: folder } => meta::man(folder.as_deref(), &output),
    }
}

/// Fills in the default inputs of a verb that `cargo hirace` runs without any. Returns a description of the inputs if
/// it did.
fn of_package(verb: &mut Verb) -> Option<String> {
    match verb {
        Verb::Check(args) => package::fill(&mut args.what, None),
        Verb::Cover(args) => package::fill(&mut args.what, Some(&mut args.command)),
        Verb::Mutate(args) => package::fill(&mut args.what, Some(&mut args.command)),
        Verb::Amplify(args) => package::fill(&mut args.what, Some(&mut args.command)),
        Verb::Audit(args) => package::fill(&mut args.what, Some(&mut args.command)),
        Verb::Verify(args) => package::fill(&mut args.what, None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    /// Flags whose descriptions differ between verbs, because they apply to different things.
    const SPECIFIC: &[&str] =
        &["entry", "format", "output", "quiet", "replay", "report", "skip-function", "strict"];

    /// As [`SPECIFIC`], for flags that only verbs for litmus tests describe in their own way.
    const SPECIFIC_TO_LITMUS: &[&str] = if cfg!(feature = "litmus") {
        &[
            "device",
            "iterations",
            "max-loop-iterations",
            "seed",
            "specification",
            "timeout",
            "workgroups",
        ]
    } else {
        &[]
    };

    #[test]
    fn command_definition_is_valid() {
        super::command().debug_assert();
    }

    #[test]
    fn a_flag_of_several_verbs_has_one_description() {
        let mut descriptions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut commands = vec![super::command()];
        while let Some(command) = commands.pop() {
            for argument in command.get_arguments() {
                let Some(name) = argument.get_long() else { continue };
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                descriptions.entry(name.to_owned()).or_default().insert(help);
            }
            commands.extend(command.get_subcommands().cloned());
        }
        let several = descriptions.iter().filter(|(_, helps)| helps.len() > 1);
        let several: BTreeSet<&str> = several.map(|(name, _)| name.as_str()).collect();
        let expected = SPECIFIC.iter().chain(SPECIFIC_TO_LITMUS).copied().collect();
        assert_eq!(several, expected, "{descriptions:#?}");
    }
}
