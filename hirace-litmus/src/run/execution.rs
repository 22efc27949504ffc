//! The run of one test in one environment, for a number of dispatches or for a time.

use super::{Counts, Failure, Iteration, Setup, Target};
use hirace_engine::random::Random;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The amount of work of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The maximum number of dispatches.
    pub iterations: u32,
    /// The time limit: no dispatch starts after it.
    pub time: Option<Duration>,
    /// The seed for the random choices of each dispatch.
    pub seed: u64,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// The outcomes that the test showed.
    pub counts: Counts,
    /// The number of dispatches that were counted.
    pub iterations: u32,
    /// The reason why the run is incomplete, if it is.
    pub failure: Option<Failure>,
}

/// The target duration of the dispatches that are submitted at once. It is much longer than the latency of a
/// submission, and short enough that a run can be stopped and is not mistaken for a hang.
const AT_ONCE: Duration = Duration::from_millis(200);

/// The maximum number of dispatches that are submitted at once.
const MOST_AT_ONCE: u32 = 1024;

/// Runs a test in an environment. `seen` is called with the result so far from time to time.
pub fn run<T: Target>(
    target: &mut T,
    setup: &Setup<'_>,
    plan: &Plan,
    stop: &AtomicBool,
    mut seen: impl FnMut(&RunResult),
) -> RunResult {
    let mut ran = RunResult { counts: Counts::none(setup.test), iterations: 0, failure: None };
    match target.ready(setup) {
        Ok(mut ready) => {
            ran.failure =
                run_batches(target, &mut ready, setup, plan, stop, &mut ran, &mut seen).err();
        }
        Err(failure) => ran.failure = Some(failure),
    }
    ran
}

fn run_batches<T: Target>(
    target: &mut T,
    ready: &mut T::Ready,
    setup: &Setup<'_>,
    plan: &Plan,
    stop: &AtomicBool,
    ran: &mut RunResult,
    seen: &mut impl FnMut(&RunResult),
) -> Result<(), Failure> {
    let started = Instant::now();
    let is_time_left = || plan.time.is_none_or(|time| started.elapsed() < time);
    let mut random = Random::new(plan.seed);
    let mut at_once = 1;
    while ran.iterations < plan.iterations && is_time_left() {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let count = at_once.min(plan.iterations - ran.iterations);
        let iterations: Vec<Iteration> =
            (0..count).map(|_| Iteration::draw(&mut random, setup)).collect();
        let began = Instant::now();
        let mut counted = vec![0; ran.counts.outcomes.len()];
        target.iterate_all(ready, &iterations, &mut counted, stop)?;
        let took = began.elapsed();
        check(&counted, setup.instances() * u64::from(count))?;
        for (all, new) in ran.counts.outcomes.iter_mut().zip(counted) {
            *all += new;
        }
        ran.counts.seconds += took.as_secs_f64();
        ran.iterations += count;
        seen(ran);
        at_once = match took {
            took if took < AT_ONCE / 2 => (at_once * 2).min(MOST_AT_ONCE),
            took if took > AT_ONCE * 2 => (at_once / 2).max(1),
            _ => at_once,
        };
    }
    Ok(())
}

/// Checks that each instance that ran has one outcome.
fn check(counted: &[u64], run: u64) -> Result<(), Failure> {
    match counted.iter().sum() {
        counted if counted == run => Ok(()),
        counted => Err(Failure::Checksum { counted, run }),
    }
}
