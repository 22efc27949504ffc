//! `hirace litmus prefix-sum`.

use super::generated::{self, Format};
use super::target::TargetArgs;
use crate::args::{self, message};
use crate::report::ReportArgs;
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_litmus::prefix_sum::{PrefixSumSize, Protocol};
use hirace_terminal::{Exit, Output};

/// Test whether a prefix sum, whose workgroups pass messages to one another, is correct on a device
///
/// Each workgroup adds the sums that the workgroups before it have published (decoupled look-back). With `packed`, a sum
/// and its flag are one atomic word, which is correct by WGSL's memory model; with `split` and `split-fenced`, they are two.
/// Exits with status 1 if a sum is wrong, and with status 4 if a workgroup gave up.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus prefix-sum
  hirace litmus prefix-sum split --workgroups 1024 --iterations 1000
  hirace litmus prefix-sum packed --workgroups 4 --workgroup-size 8 --format wgsl > sum.wgsl")]
pub struct PrefixSumArgs {
    /// Protocols to test: packed, split or split-fenced [default: all]
    #[arg(value_name = "PROTOCOL", value_parser = message(named))]
    protocols: Vec<Protocol>,
    /// Set the number of workgroups
    #[arg(long, value_name = "N", default_value = "256", value_parser = value_parser!(u32).range(1..=65_535))]
    workgroups: u32,
    /// Set the number of elements and invocations of each workgroup
    #[arg(long, value_name = "N", default_value = "64", value_parser = value_parser!(u32).range(1..=256))]
    workgroup_size: u32,
    /// Limit the number of iterations in which a workgroup waits for those before it; then it gives up
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = value_parser!(u32).range(1..))]
    max_loop_iterations: u32,
    /// Set the number of dispatches per protocol
    #[arg(long, value_name = "N", default_value = "100", value_parser = value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

fn named(name: &str) -> Result<Protocol> {
    args::named("protocol", &Protocol::NAMED, name)
}

/// Runs `hirace litmus prefix-sum`.
pub fn run(args: &PrefixSumArgs, output: &Output) -> Result<Exit> {
    let PrefixSumArgs { workgroups, workgroup_size, max_loop_iterations, .. } = *args;
    let size = PrefixSumSize { workgroups, workgroup_size, max_loop_iterations };
    let example = "hirace litmus prefix-sum packed --format wgsl";
    match generated::test_to_print(&args.report, &args.protocols, "protocol", example)? {
        Some(protocol) => Ok(output.print(&protocol.wgsl(&size)).err().unwrap_or(Exit::Clean)),
        None => sum(args, &size, output),
    }
}

#[cfg(feature = "gpu")]
fn sum(args: &PrefixSumArgs, size: &PrefixSumSize, output: &Output) -> Result<Exit> {
    use super::generated::Conclusion;
    use crate::progress::CountedBar;
    use hirace_litmus::prefix_sum::{PrefixSumRun, PrefixSums};
    use hirace_litmus::report;
    use hirace_litmus::run::Target;
    use hirace_terminal::stop;

    let stop = stop::on_signal();
    args.report.warn_unwritable(output);
    let device = args.target.device()?;
    let mut document = PrefixSums::new(device.about(), *size);
    let quiet = args.report.quiet;
    let run = |protocol: Protocol, bar: &CountedBar| {
        document.protocols.push(device.prefix_sum(protocol, size, args.iterations, &stop, |run| {
            bar.say(&format!("{}: {} sums, {} wrong", run.protocol, run.elements, run.wrong));
        }));
    };
    document.stopped =
        generated::run_each(&Protocol::NAMED, &args.protocols, Protocol::name, quiet, &stop, run);
    let document = if output.has_timing() { document.with_timing() } else { document };
    let any = |is: fn(&PrefixSumRun) -> bool| document.protocols.iter().any(is);
    let conclusion = Conclusion {
        is_broken: any(|run| run.wrong > 0),
        is_incomplete: document.stopped || any(|run| run.failure.is_some()),
        has_missing_results: any(|run| run.missing > 0),
    };
    let text = || report::prefix_sums(&document);
    let json = || report::json(&document);
    Ok(generated::deliver(&args.report, text, json, conclusion, output))
}

#[cfg(not(feature = "gpu"))]
fn sum(args: &PrefixSumArgs, _: &PrefixSumSize, _: &Output) -> Result<Exit> {
    args.target.open().map(|_| Exit::Failed)
}
