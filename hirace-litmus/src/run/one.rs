//! One test in one environment, for a number of dispatches or for a time.

use super::{Failure, Iteration, Setup, Target};
use crate::results::Counts;
use hirace_engine::random::Random;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many dispatches at most.
    pub iterations: u32,
    /// For how long at most: no dispatch begins later.
    pub time: Option<Duration>,
    /// What is drawn for each dispatch is drawn by this.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// What the test showed.
    pub counts: Counts,
    /// How many dispatches were counted.
    pub iterations: u32,
    /// Why it was not to the end, if it was not.
    pub failure: Option<Failure>,
}

/// How long the dispatches that a target is given at once should take: much longer than to wait for them, and short enough
/// to be stopped, and not to be taken for one that hangs.
const AT_ONCE: Duration = Duration::from_millis(200);

/// The most of them.
const MOST_AT_ONCE: u32 = 1024;

/// Runs a test in an environment. `seen` has what came of it so far, from time to time.
pub fn run<T: Target>(
    target: &mut T,
    setup: &Setup<'_>,
    plan: &Plan,
    stop: &AtomicBool,
    mut seen: impl FnMut(&Ran),
) -> Ran {
    let mut ran = Ran { counts: Counts::none(setup.test), iterations: 0, failure: None };
    match target.ready(setup) {
        Ok(mut ready) => {
            ran.failure = turns(target, &mut ready, setup, plan, stop, &mut ran, &mut seen).err();
        }
        Err(failure) => ran.failure = Some(failure),
    }
    ran
}

fn turns<T: Target>(
    target: &mut T,
    ready: &mut T::Ready,
    setup: &Setup<'_>,
    plan: &Plan,
    stop: &AtomicBool,
    ran: &mut Ran,
    seen: &mut impl FnMut(&Ran),
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

/// Each instance that ran has one outcome.
fn check(counted: &[u64], run: u64) -> Result<(), Failure> {
    match counted.iter().sum() {
        counted if counted == run => Ok(()),
        counted => Err(Failure::Checksum { counted, run }),
    }
}
