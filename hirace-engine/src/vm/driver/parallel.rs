//! Runs workgroups on all cores, each to its end.

use super::Dispatch;
use super::drive::{End, drive};
use super::pending_workgroups::PendingWorkgroups;
use crate::vm::engine::tally::Tally;
use crate::vm::observer::Observer;
use crate::vm::run::Run;
use crate::vm::strategy::parallel::Worker;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Runs the dispatch; returns `None` if its outcome may depend on how the workgroups interacted.
pub(super) fn run<const N: usize, O: Observer>(
    dispatch: &Dispatch<'_>,
    observer: &O,
) -> Option<Run> {
    let next = AtomicU32::new(0);
    let give_up = AtomicBool::new(false);
    let flowed = || observer.flowed();
    let workers = rayon::current_num_threads().min(dispatch.count as usize);
    let worker = |_| {
        let mut worker = Worker::new(&give_up, &flowed, dispatch.options.limits.steps);
        let not_started = PendingWorkgroups::Shared(&next, dispatch.count);
        let (tally, end) = drive::<N, O>(dispatch, observer, &mut worker, not_started);
        if matches!(end, End::NoProgress | End::OutOfSteps) {
            give_up.store(true, Ordering::Relaxed);
        }
        tally
    };
    let tallies: Vec<Tally> = (0..workers).into_par_iter().map(worker).collect();
    let stopped = dispatch.stopped();
    // The state of the workers when the step limit is reached depends on their relative speed.
    let steps = tallies.iter().fold(0u64, |sum, tally| sum.saturating_add(tally.steps));
    let spent = steps > dispatch.options.limits.total;
    if !stopped && (spent || give_up.load(Ordering::Relaxed) || observer.flowed()) {
        return None;
    }
    let mut all = Tally::new(dispatch.setup.code.sites);
    for tally in tallies {
        all.merge(tally);
    }
    Some(Run { stopped, ..all.finish() })
}
