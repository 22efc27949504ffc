//! `hirace litmus locks`.

use super::generated::{self, Format};
use super::target::TargetArgs;
use crate::args::{self, message};
use crate::report::ReportArgs;
use clap::{Args, value_parser};
use hirace_core::diagnostic::Result;
use hirace_litmus::locks::{Load, Lock};
use hirace_terminal::{Exit, Output};

/// Test whether locks written in WGSL protect the memory that they guard
///
/// One invocation of each workgroup takes the lock repeatedly and adds 1 to plain memory each time; updates that are
/// missing at the end were lost. By WGSL's memory model none of these locks is correct: check the output of `--format
/// wgsl` with `hirace check` or `hirace verify`. Exits with status 1 if a lock lost updates.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hirace litmus locks
  hirace litmus locks ttas ttas-fenced --workgroups 64 --device 0
  hirace litmus locks cas-fenced --workgroups 2 --acquisitions 1 --max-loop-iterations 3 --format wgsl > cas.wgsl
  hirace verify cas.wgsl --workgroups 2")]
pub struct LocksArgs {
    /// Locks to test: tas, ttas or cas, each also with -fenced, or none, which does not wait [default: all]
    #[arg(value_name = "LOCK", value_parser = message(named))]
    locks: Vec<Lock>,
    /// Set the number of workgroups that compete for the lock
    #[arg(long, value_name = "N", default_value = "8", value_parser = value_parser!(u32).range(1..=65_535))]
    workgroups: u32,
    /// Set how often each workgroup takes the lock
    #[arg(long, value_name = "N", default_value = "1000", value_parser = value_parser!(u32).range(1..=1_000_000))]
    acquisitions: u32,
    /// Limit the number of iterations of the loop in which a workgroup waits; then it gives up
    #[arg(long, value_name = "N", default_value = "60000", value_parser = value_parser!(u32).range(1..))]
    max_loop_iterations: u32,
    /// Set the number of dispatches per lock
    #[arg(long, value_name = "N", default_value = "100", value_parser = value_parser!(u32).range(1..))]
    iterations: u32,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    report: ReportArgs<Format>,
}

fn named(name: &str) -> Result<Lock> {
    args::named("lock", &Lock::NAMED, name)
}

/// Runs `hirace litmus locks`.
pub fn run(args: &LocksArgs, output: &Output) -> Result<Exit> {
    let LocksArgs { workgroups, acquisitions, max_loop_iterations, .. } = *args;
    let load = Load { workgroups, acquisitions, max_loop_iterations };
    let example = "hirace litmus locks cas-fenced --format wgsl";
    match generated::test_to_print(&args.report, &args.locks, "lock", example)? {
        Some(lock) => Ok(output.print(&lock.wgsl(&load)).err().unwrap_or(Exit::Clean)),
        None => contend(args, &load, output),
    }
}

#[cfg(feature = "gpu")]
fn contend(args: &LocksArgs, load: &Load, output: &Output) -> Result<Exit> {
    use super::generated::Conclusion;
    use crate::progress::CountedBar;
    use hirace_litmus::locks::{LockRun, Locks};
    use hirace_litmus::report;
    use hirace_litmus::run::Target;
    use hirace_terminal::stop;

    let stop = stop::on_signal();
    args.report.warn_unwritable(output);
    let device = args.target.device()?;
    let mut document = Locks::new(device.about(), *load);
    let quiet = args.report.quiet;
    let run = |lock: Lock, bar: &CountedBar| {
        document.locks.push(device.contend(lock, load, args.iterations, &stop, |run| {
            bar.say(&format!("{}: held {}, lost {}", run.lock, run.held, run.lost));
        }));
    };
    document.stopped =
        generated::run_each(&Lock::NAMED, &args.locks, Lock::name, quiet, &stop, run);
    let document = if output.has_timing() { document.with_timing() } else { document };
    let conclusion = Conclusion {
        is_broken: document.locks.iter().any(LockRun::is_broken),
        is_incomplete: document.stopped || document.locks.iter().any(|run| run.failure.is_some()),
        has_missing_results: false,
    };
    let text = || report::locks(&document);
    let json = || report::json(&document);
    Ok(generated::deliver(&args.report, text, json, conclusion, output))
}

#[cfg(not(feature = "gpu"))]
fn contend(args: &LocksArgs, _: &Load, _: &Output) -> Result<Exit> {
    args.target.open().map(|_| Exit::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lock_has_a_name_of_its_own() {
        for (name, lock) in Lock::NAMED {
            assert_eq!(named(name).unwrap(), lock);
        }
        let error = named("mutex").unwrap_err();
        assert_eq!(error.to_string(), "no lock is called `mutex`");
        assert_eq!(
            error.help.as_deref(),
            Some("use one of tas, tas-fenced, ttas, ttas-fenced, cas, cas-fenced, none")
        );
    }
}
