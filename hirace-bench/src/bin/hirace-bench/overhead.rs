//! The command `hirace-bench overhead`: selects kernels and devices; the library measures them.

mod text;

use crate::{oclgrind_is_missing, progress};
use clap::{Args, ValueEnum};
use hirace_bench::detect::Sample;
use hirace_bench::overhead::corpus::{self, Kernel};
use hirace_bench::overhead::report::Report;
use hirace_bench::overhead::{self, Graphs, Options, plot};
use hirace_bench::pattern::{Data, Variant};
use hirace_bench::peers::oclgrind;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::{self, Executor, matches_pattern};
use hirace_terminal::file::Target;
use hirace_terminal::{Exit, stop};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Measure the cost of checking: time each kernel bare and checked, alternately
///
/// Each kernel runs on the smallest launch on which it takes at least a millisecond bare, in three ways: bare; with all checks at
/// run time; and as `hirace check` runs it, without checks that are statically unnecessary. Times are those of the kernel alone,
/// by the clock of the device if it has one. The report also lists the times of first runs, which include planning, compilation
/// and copying.
#[derive(Debug, Args)]
pub struct OverheadArgs {
    /// Measure on this device, as shown by `hirace devices` (repeatable) [default: embedded, and the first device]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<String>,
    /// Measure only the kernels of this corpus
    #[arg(long, value_enum)]
    corpus: Option<CorpusArg>,
    /// Measure only kernels whose names match PATTERN, in which `*` matches any text (repeatable): saxpy::*, push_block_*Bug*
    #[arg(long, value_name = "PATTERN")]
    kernel: Vec<String>,
    /// Measure only N kernels of each corpus, evenly spread
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Time each kernel N times in each way [default: 9]
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,
    /// Measure a few kernels of each corpus a few times on small launches, as a smoke test
    #[arg(long)]
    quick: bool,
    /// Stop timing a kernel after SECONDS, but time it at least three times in each way
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    most: f64,
    /// Run patterns on graphs of at most N edges
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    edges: u32,
    /// Read the textbook kernels from FOLDER
    #[arg(long, value_name = "FOLDER", default_value = "kernels/src")]
    textbook: PathBuf,
    /// Also time Oclgrind's --data-races, on kernels that can be expressed in OpenCL C (takes seconds per kernel)
    #[arg(long)]
    oclgrind: bool,
    /// Set the seed of graphs and values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Choose the format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write the report to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write the report to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the page with the plot to FILE
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Also write the plot to FILE
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CorpusArg {
    /// Patterns of irregular programs, on graphs
    Patterns,
    /// The kernels of textbooks and suites
    Textbook,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Tables
    Text,
    /// The report as JSON
    Json,
    /// A page with a plot and tables
    Html,
    /// Only the plot
    Svg,
}

impl Format {
    fn render(self, report: &Report) -> String {
        match self {
            Self::Text => text::text(report),
            Self::Json => report.to_json(),
            Self::Html => plot::html(report),
            Self::Svg => plot::svg(report),
        }
    }
}

/// The parameters of a measurement, with and without `--quick`.
struct Effort {
    repeats: usize,
    least: Duration,
    sample: usize,
}

const FULL: Effort = Effort { repeats: 9, least: Duration::from_millis(1), sample: usize::MAX };
const QUICK: Effort = Effort { repeats: 3, least: Duration::ZERO, sample: 4 };

/// Measures the kernels. Returns the text to print and the exit status.
pub fn run(args: &OverheadArgs) -> Result<(String, Exit)> {
    let output = args.output.as_ref().map(target).transpose()?;
    let mut extra_files = Vec::new();
    for (path, format) in
        [(&args.json, Format::Json), (&args.page, Format::Html), (&args.plot, Format::Svg)]
    {
        if let Some(path) = path {
            extra_files.push((target(path)?, format));
        }
    }
    let most = Duration::try_from_secs_f64(args.most)
        .map_err(|_| Box::new(Diagnostic::new("the value of --most is not a valid duration")))?;
    if args.oclgrind && !oclgrind::is_installed() {
        return Err(oclgrind_is_missing());
    }
    let kernels = kernels(args)?;
    let executors = executors(args)?;
    let stop = stop::on_signal();
    let effort = if args.quick { QUICK } else { FULL };
    let options = Options {
        repeats: args.repeat.unwrap_or(effort.repeats),
        least: effort.least,
        most,
        oclgrind: args.oclgrind,
        stop: Some(&stop),
    };
    let graphs = Graphs::published(args.edges, args.seed);
    let bar = progress(kernels.len() * executors.len());
    let measured = executors.iter().map(|executor| {
        let name = executor.device().name;
        overhead::run(&**executor, &kernels, &graphs, &options, &|kernel| {
            bar.set_message(format!("{} on {name}", kernel.name));
            bar.inc(1);
        })
    });
    let measured = measured.collect();
    bar.finish_and_clear();
    let stopped = stop.load(Ordering::Relaxed);
    let report = Report::new(measured, stopped);
    for (file, format) in &extra_files {
        write(file, &format.render(&report))?;
    }
    let text = args.format.render(&report);
    let exit = if stopped { Exit::Failed } else { Exit::Clean };
    match output {
        None => Ok((text, exit)),
        Some(output) => write(&output, &text).map(|()| (String::new(), exit)),
    }
}

/// Checks early that a file can be written, since the measurement takes an hour.
fn target(path: &PathBuf) -> Result<(&PathBuf, Target)> {
    match Target::of(path) {
        Ok(target) => Ok((path, target)),
        Err(error) => Err(write_error(path, &error)),
    }
}

fn write((path, target): &(&PathBuf, Target), text: &str) -> Result<()> {
    target.write(text.as_bytes()).map_err(|error| write_error(path, &error))
}

fn write_error(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot write {}: {error}", path.display())))
}

/// Returns the requested executors; by default the embedded executor and the first device, if there is one.
fn executors(args: &OverheadArgs) -> Result<Vec<Box<dyn Executor + Send + Sync>>> {
    if !args.device.is_empty() {
        return args.device.iter().map(|device| exec::open(device)).collect();
    }
    let embedded = exec::open(exec::EMBEDDED)?;
    Ok(std::iter::once(embedded).chain(exec::open("0").ok()).collect())
}

fn kernels(args: &OverheadArgs) -> Result<Vec<Kernel>> {
    let sample = args.sample.unwrap_or(if args.quick { QUICK.sample } else { FULL.sample });
    let mut kernels = Vec::new();
    if args.corpus != Some(CorpusArg::Patterns) {
        for file in corpus::textbook_files(&args.textbook)? {
            kernels.extend(corpus::textbook(&file)?);
        }
        kernels.retain(|kernel| is_wanted(args, &kernel.name));
        kernels = sampled(kernels, sample);
    }
    if args.corpus != Some(CorpusArg::Textbook) {
        let all = Variant::all(Data::I32).filter(|variant| is_wanted(args, &variant.to_string()));
        for variant in sampled(all.collect(), sample) {
            kernels.push(corpus::pattern(&variant)?);
        }
    }
    if kernels.is_empty() {
        let error = Diagnostic::new("no kernel matches the name");
        return Err(Box::new(error.help(
            "names are like saxpy::clean or push_block_persistent_cond_atomicBug_i32; `*` matches any text",
        )));
    }
    Ok(kernels)
}

fn is_wanted(args: &OverheadArgs, name: &str) -> bool {
    args.kernel.is_empty() || args.kernel.iter().any(|pattern| matches_pattern(pattern, name))
}

/// Returns an evenly spread sample.
fn sampled<T>(all: Vec<T>, wanted: usize) -> Vec<T> {
    let sample = Sample::new(all.len(), wanted);
    all.into_iter().enumerate().filter_map(|(at, of)| sample.has(at).then_some(of)).collect()
}
