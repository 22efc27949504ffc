//! The `hirace-bench` command, which measures the quality and the cost of `hirace`. It is a separate binary, so that
//! building `hirace` does not build it.
//!
//! Exit status: 0 `hirace` gave no wrong result, 1 `hirace` gave a wrong result, 2 bad usage or bad input, 3 could not run or was
//! stopped.

#![forbid(unsafe_code)]

mod detect;
mod overhead;
mod print;

use clap::{Parser, Subcommand};
use hirace_core::diagnostic::Diagnostic;
use hirace_terminal::{Color, Exit, Output};
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;
use std::time::Duration;

/// Measure how well hirace detects races, and what checking costs
#[derive(Debug, Parser)]
#[command(
    name = "hirace-bench",
    version,
    propagate_version = true,
    after_help = "Exit status: 0 hirace gave no wrong result, 1 hirace gave a wrong result, 2 bad usage or bad input, \
                  3 could not run or was stopped."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// When to use colors
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Detect(detect::DetectArgs),
    Overhead(overhead::OverheadArgs),
}

fn main() -> ExitCode {
    let Cli { verb, color } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return Output::new(Color::Auto).usage(&error).into(),
    };
    let output = Output::new(color);
    let done = match verb {
        Verb::Detect(args) => detect::run(&args),
        Verb::Overhead(args) => overhead::run(&args),
    };
    let exit = match done {
        Ok((text, exit)) => output.print(&text).err().unwrap_or(exit),
        Err(diagnostic) => {
            output.error(&diagnostic);
            Exit::of(&diagnostic)
        }
    };
    exit.into()
}

fn oclgrind_is_missing() -> Box<Diagnostic> {
    let error = Diagnostic::new("Oclgrind is not installed").of_device();
    Box::new(error.help("run `apt-get install oclgrind`"))
}

/// Returns a progress bar with this number of steps, shown on standard error if that is a terminal.
fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    bar.enable_steady_tick(Duration::from_millis(100));
    match ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn ran(arguments: &str) -> Result<(String, Exit), Exit> {
        let arguments = format!("hirace-bench {arguments}");
        let Cli { verb, .. } = Cli::parse_from(arguments.split_whitespace());
        let ran = match verb {
            Verb::Detect(args) => detect::run(&args),
            Verb::Overhead(args) => overhead::run(&args),
        };
        ran.map_err(|diagnostic| Exit::of(&diagnostic))
    }

    fn detect(arguments: &str) -> Result<(String, Exit), Exit> {
        ran(&format!("detect {arguments}"))
    }

    fn overhead(arguments: &str) -> Result<(String, Exit), Exit> {
        let textbook = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/src");
        ran(&format!("overhead --device embedded --textbook {textbook} {arguments}"))
    }

    #[test]
    fn command_definition_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_row_for_each_graph_and_one_for_all() {
        let kernels = "--graph DAG_5n_5e --kernel push_block_*Bug* --sample 6 --format csv";
        let (csv, exit) = detect(kernels).expect("it runs");
        assert_eq!(exit, Exit::Clean);
        let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
        assert_eq!(rows[0][..3], ["executor", "input", "launches"]);
        assert_eq!(rows[1][1..3], ["DAG_5n_5e", "6"]);
        assert_eq!(rows[2][1..3], ["all", "6"]);
    }

    #[test]
    fn unknown_graphs_and_kernels_are_bad_input() {
        assert_eq!(detect("--graph no_such_graph"), Err(Exit::BadInput));
        assert_eq!(detect("--kernel no_such_kernel"), Err(Exit::BadInput));
    }

    #[test]
    fn overhead_is_measured_with_all_and_with_remaining_checks() {
        let (json, exit) =
            overhead("--quick --kernel saxpy::clean --format json").expect("it runs");
        assert_eq!(exit, Exit::Clean);
        let json: serde_json::Value = serde_json::from_str(&json).expect("the output is JSON");
        assert_eq!(
            (&json["schema"], &json["device"]),
            (&"hirace.overhead/1".into(), &"embedded".into())
        );
        let [executor] = &json["executors"].as_array().expect("a list")[..] else {
            panic!("one executor: {json}")
        };
        assert_eq!(executor["skipped"].as_array().map(Vec::len), Some(0));
        let [kernel] = &executor["kernels"].as_array().expect("a list")[..] else {
            panic!("one kernel: {json}")
        };
        assert_eq!((&kernel["name"], &kernel["pairs"]), (&"saxpy::clean".into(), &3.into()));
        // The read and the write of `y`: four bytes per element for each of 32 invocations.
        assert_eq!((&kernel["sites"], &kernel["words"]), (&2.into(), &32.into()));
        for way in ["dynamic", "checked"] {
            let [low, ratio, high] = ["low", "ratio", "high"].map(|key| kernel[way][key].as_f64());
            assert!(low <= ratio && ratio <= high && low > Some(0.0), "{kernel}");
        }
    }

    #[test]
    fn every_requested_report_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let [text, json, page, plot] = ["o.txt", "o.json", "o.html", "o.svg"].map(path);
        let files = [("output", &text), ("json", &json), ("page", &page), ("plot", &plot)];
        let files = files.map(|(flag, path)| format!("--{flag} {}", path.display())).join(" ");
        let ran = overhead(&format!("--quick --kernel pull_neighbor_i32 {files}"));
        assert_eq!(ran, Ok((String::new(), Exit::Clean)));
        let read = |path| std::fs::read_to_string(path).expect("the file exists");
        assert!(read(text).contains("| pull_neighbor_i32 "));
        assert!(read(json).contains(r#""name": "pull_neighbor_i32""#));
        for picture in [page, plot] {
            assert!(read(picture).contains("pull_neighbor_i32 on power_law_200n_1000e"));
        }
    }

    #[test]
    fn unusable_kernels_paths_and_limits_are_bad_input() {
        assert_eq!(overhead("--kernel no_such_kernel"), Err(Exit::BadInput));
        assert_eq!(overhead("--quick --output no_such_folder/o.json"), Err(Exit::BadInput));
        assert_eq!(overhead("--quick --most=-1"), Err(Exit::BadInput));
        assert_eq!(ran("overhead --quick --textbook no_such_folder"), Err(Exit::BadInput));
    }

    #[test]
    fn a_missing_device_is_an_error() {
        let kernels = "--graph DAG_5n_5e --kernel push_block_*Bug* --sample 1";
        let ran = detect(&format!("{kernels} --device no-such-device"));
        assert!(matches!(ran, Err(Exit::BadInput | Exit::Failed)), "{ran:?}");
    }
}
