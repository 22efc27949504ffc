//! `hirace-bench overhead`: which kernels to measure and where, from arguments; the measuring is the library's.

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

/// Measure what checking costs: kernels bare and checked, timed by turns
///
/// Each kernel runs on the smallest launch on which it takes a millisecond bare, in three ways: bare; checked, with all
/// checks done while it runs; and checked as `hirace check` does, with those spared that could find nothing. Times are
/// those of the kernel alone, by the device's clock where it has one. Beside them stand first runs, with all that
/// they take.
#[derive(Debug, Args)]
pub struct OverheadArgs {
    /// What kernels are measured on, as `hirace devices` shows it (repeatable) [default: embedded, and the first device]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<String>,
    /// Only the kernels of this corpus
    #[arg(long, value_enum)]
    corpus: Option<CorpusArg>,
    /// Only kernels of this name, in which `*` stands for anything (repeatable): saxpy::*, push_block_*Bug*
    #[arg(long, value_name = "PATTERN")]
    kernel: Vec<String>,
    /// Only so many kernels of each corpus, evenly chosen
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// How often each kernel is timed in each way [default: 9]
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,
    /// A few kernels of each corpus, a few times each, on small launches: to see that all of it works
    #[arg(long)]
    quick: bool,
    /// How long the timing of a kernel may take, in seconds; it is timed three times in any case
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    most: f64,
    /// The most edges of a graph that patterns run on
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    edges: u32,
    /// The folder of the textbook's kernels
    #[arg(long, value_name = "FOLDER", default_value = "kernels/src")]
    textbook: PathBuf,
    /// Time Oclgrind's --data-races too, on the kernels that OpenCL C has words for (seconds a kernel)
    #[arg(long)]
    oclgrind: bool,
    /// The seed of graphs and values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How to print what was measured
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write it to this file instead
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write all that was measured to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the page with the plot to this file
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Also write the plot alone to this file
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
    /// All that was measured
    Json,
    /// A page with a plot and tables
    Html,
    /// The plot alone
    Svg,
}

impl Format {
    fn of(self, report: &Report) -> String {
        match self {
            Self::Text => text::text(report),
            Self::Json => report.to_json(),
            Self::Html => plot::html(report),
            Self::Svg => plot::svg(report),
        }
    }
}

/// How kernels are measured, and how many, with and without `--quick`.
struct Effort {
    repeats: usize,
    least: Duration,
    sample: usize,
}

const FULL: Effort = Effort { repeats: 9, least: Duration::from_millis(1), sample: usize::MAX };
const QUICK: Effort = Effort { repeats: 3, least: Duration::ZERO, sample: 4 };

/// Measures; what to print, and the exit status.
pub fn run(args: &OverheadArgs) -> Result<(String, Exit)> {
    let output = args.output.as_ref().map(target).transpose()?;
    let mut beside = Vec::new();
    for (path, format) in
        [(&args.json, Format::Json), (&args.page, Format::Html), (&args.plot, Format::Svg)]
    {
        if let Some(path) = path {
            beside.push((target(path)?, format));
        }
    }
    let most = Duration::try_from_secs_f64(args.most)
        .map_err(|_| Box::new(Diagnostic::new("--most is no time")))?;
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
    for (file, format) in &beside {
        write(file, &format.of(&report))?;
    }
    let text = args.format.of(&report);
    let exit = if stopped { Exit::Failed } else { Exit::Clean };
    match output {
        None => Ok((text, exit)),
        Some(output) => write(&output, &text).map(|()| (String::new(), exit)),
    }
}

/// A file that can be written: to know that only after an hour would be late.
fn target(path: &PathBuf) -> Result<(&PathBuf, Target)> {
    match Target::of(path) {
        Ok(target) => Ok((path, target)),
        Err(error) => Err(not_written(path, &error)),
    }
}

fn write((path, target): &(&PathBuf, Target), text: &str) -> Result<()> {
    target.write(text.as_bytes()).map_err(|error| not_written(path, &error))
}

fn not_written(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot write {}: {error}", path.display())))
}

/// What is asked for; if nothing is, the embedded executor and the first device, if there is one.
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
        let error = Diagnostic::new("no kernel has such a name");
        return Err(Box::new(error.help(
            "names are like saxpy::clean or push_block_persistent_cond_atomicBug_i32; `*` stands for anything",
        )));
    }
    Ok(kernels)
}

fn is_wanted(args: &OverheadArgs, name: &str) -> bool {
    args.kernel.is_empty() || args.kernel.iter().any(|pattern| matches_pattern(pattern, name))
}

/// So many of `all`, evenly chosen.
fn sampled<T>(all: Vec<T>, wanted: usize) -> Vec<T> {
    let sample = Sample::new(all.len(), wanted);
    all.into_iter().enumerate().filter_map(|(at, of)| sample.has(at).then_some(of)).collect()
}
