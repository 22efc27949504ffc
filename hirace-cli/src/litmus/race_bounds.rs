//! `hirace litmus race-bounds`.

use super::generated::{self, Format};
use super::target::TargetArgs;
use crate::args::{self, message};
use crate::report::ReportArgs;
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_litmus::race_bounds::{RaceBoundsSize, RaceBoundsTest};
use hirace_terminal::{Exit, Output};

/// Test whether the effects of data races end with the race on a device
///
/// Two invocations of a workgroup write different values to one element, and a barrier ends the race. After it, two reads
/// must be equal (rr), a read must not see a later write (rw), and must see an earlier one (wr). Exits with status 1 if the
/// effects of a race continue after the barrier.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus race-bounds
  hirace litmus race-bounds rr-storage --workgroups 1024 --iterations 1000
  hirace litmus race-bounds wr-workgroup --workgroup-size 8 --format wgsl > race.wgsl")]
pub struct RaceBoundsArgs {
    /// Tests to run: rr, rw or wr, each with -storage or -workgroup for the memory [default: all]
    #[arg(value_name = "TEST", value_parser = message(named))]
    tests: Vec<RaceBoundsTest>,
    /// Set the number of workgroups
    #[arg(long, value_name = "N", default_value = "256", value_parser = value_parser!(u32).range(1..=65_535))]
    workgroups: u32,
    /// Set the number of elements and invocations of each workgroup
    #[arg(long, value_name = "N", default_value = "64", value_parser = value_parser!(u32).range(2..=256))]
    workgroup_size: u32,
    /// Set the number of dispatches per test
    #[arg(long, value_name = "N", default_value = "100", value_parser = value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

fn named(name: &str) -> Result<RaceBoundsTest> {
    args::named("test", &RaceBoundsTest::NAMED, name)
}

/// Runs `hirace litmus race-bounds`.
pub fn run(args: &RaceBoundsArgs, output: &Output) -> Result<Exit> {
    let RaceBoundsArgs { workgroups, workgroup_size, .. } = *args;
    let size = RaceBoundsSize { workgroups, workgroup_size };
    let example = "hirace litmus race-bounds rr-storage --format wgsl";
    match generated::test_to_print(&args.report, &args.tests, "test", example)? {
        Some(test) => Ok(output.print(&test.wgsl(&size)).err().unwrap_or(Exit::Clean)),
        None => race(args, &size, output),
    }
}

#[cfg(feature = "gpu")]
fn race(args: &RaceBoundsArgs, size: &RaceBoundsSize, output: &Output) -> Result<Exit> {
    use super::generated::Conclusion;
    use crate::progress::CountedBar;
    use hirace_litmus::race_bounds::{RaceBounds, RaceBoundsRun};
    use hirace_litmus::report;
    use hirace_litmus::run::Target;
    use hirace_terminal::stop;

    let stop = stop::on_signal();
    args.report.warn_unwritable(output);
    let device = args.target.device()?;
    let mut document = RaceBounds::new(device.about(), *size);
    let quiet = args.report.quiet;
    let run = |test: RaceBoundsTest, bar: &CountedBar| {
        document.tests.push(device.race_bounds(test, size, args.iterations, &stop, |run| {
            bar.say(&format!("{}: {} races, {} unbounded", run.test, run.elements, run.unbounded));
        }));
    };
    let (all, name) = (&RaceBoundsTest::NAMED, RaceBoundsTest::name);
    document.stopped = generated::run_each(all, &args.tests, name, quiet, &stop, run);
    let document = if output.has_timing() { document.with_timing() } else { document };
    let conclusion = Conclusion {
        is_broken: document.tests.iter().any(RaceBoundsRun::is_broken),
        is_incomplete: document.stopped || document.tests.iter().any(|run| run.failure.is_some()),
        has_missing_results: false,
    };
    let text = || report::race_bounds(&document);
    let json = || report::json(&document);
    Ok(generated::deliver(&args.report, text, json, conclusion, output))
}

#[cfg(not(feature = "gpu"))]
fn race(args: &RaceBoundsArgs, _: &RaceBoundsSize, _: &Output) -> Result<Exit> {
    args.target.open().map(|_| Exit::Failed)
}
