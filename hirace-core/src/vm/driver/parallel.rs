//! Workgroups on all cores, each run to its end.

use super::{AnyObserver, Dispatch};
use crate::vm::run::Run;
use crate::vm::workgroup::{Spare, Standing, Workgroup};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A workgroup that runs longer than this may wait for one that was not started: only the serial
/// order knows what to do then.
const QUANTUM: u64 = 16_000_000;

/// How many instructions run between two looks at what others want.
const SLICE: u64 = 1 << 16;

/// Runs the dispatch; `None` if its outcome may depend on how the workgroups met.
pub(super) fn run<const N: usize>(dispatch: &Dispatch, observer: &dyn AnyObserver) -> Option<Run> {
    let next = AtomicU32::new(0);
    let give_up = AtomicBool::new(false);
    let workers = rayon::current_num_threads().min(dispatch.count as usize);
    let tallies: Vec<_> = (0..workers)
        .into_par_iter()
        .map(|_| worker::<N>(dispatch, observer, &next, &give_up))
        .collect();
    let stopped = dispatch.stopped();
    if !stopped && (give_up.load(Ordering::Relaxed) || observer.flowed()) {
        return None;
    }
    let mut all = dispatch.tally();
    for tally in tallies {
        all.merge(tally);
    }
    Some(Run { stopped, ..all.finish() })
}

fn worker<const N: usize>(
    dispatch: &Dispatch,
    observer: &dyn AnyObserver,
    next: &AtomicU32,
    give_up: &AtomicBool,
) -> crate::vm::engine::tally::Tally {
    let machine = &dispatch.machine;
    let mut tally = dispatch.tally();
    let mut spare = Spare::<N>::default();
    let quantum = QUANTUM.min(dispatch.options.limits.steps);
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= dispatch.count || give_up.load(Ordering::Relaxed) || dispatch.stopped() {
            return tally;
        }
        let watcher = observer.watch(index);
        let mut workgroup = Workgroup::start(machine, index, watcher, &mut spare);
        let before = tally.steps;
        loop {
            match workgroup.standing(machine, &mut tally, &mut spare) {
                Standing::Done => break,
                Standing::Blocked => give_up.store(true, Ordering::Relaxed),
                Standing::Ready(_) => {}
            }
            let Some(which) = workgroup.whose_turn(&tally) else { return tally };
            workgroup.turn(machine, &mut tally, &mut spare, which, SLICE);
            let steps = tally.steps - before;
            if steps > quantum || (steps > SLICE && observer.flowed()) {
                give_up.store(true, Ordering::Relaxed);
            }
            if give_up.load(Ordering::Relaxed) || dispatch.stopped() {
                return tally;
            }
        }
        workgroup.end(&mut spare);
        if observer.flowed() {
            give_up.store(true, Ordering::Relaxed);
        }
    }
}
