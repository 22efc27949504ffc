//! Workgroups one after another, in ascending order: always the same run.
//!
//! A workgroup that runs very long may wait for another: then the next one is started beside it, and
//! those that are started take turns.

use super::Dispatch;
use crate::vm::observer::Observer;
use crate::vm::run::Run;
use crate::vm::workgroup::{Spare, Workgroup};

/// How many instructions a workgroup runs before others get their turn.
const QUANTUM: u64 = 1 << 20;

/// How many instructions a fragment runs before others of its workgroup get their turn.
const SLICE: u64 = 1 << 16;

/// Runs the dispatch.
pub(super) fn run<O: Observer, const N: usize>(dispatch: &Dispatch, observer: &O) -> Run {
    let machine = &dispatch.machine;
    let limits = &dispatch.options.limits;
    let mut tally = dispatch.tally();
    let mut spare = Spare::<N>::default();
    let mut resident: Vec<Workgroup<O::Watcher<'_>, N>> = Vec::new();
    let mut next = 0;
    let mut turn = 0;
    loop {
        // All that are started have had their turn, and none ended: one more, if it may be.
        if turn >= resident.len() {
            turn = 0;
            let room = !limits.resident_is_hard || (resident.len() as u32) < limits.resident.max(1);
            if next < dispatch.count && (resident.is_empty() || room) {
                let watcher = observer.watch(next);
                resident.push(Workgroup::start(machine, next, watcher, &mut spare));
                next += 1;
                turn = resident.len() - 1;
            }
        }
        let Some(workgroup) = resident.get_mut(turn) else { break };
        let before = tally.steps;
        while workgroup.ready(machine, &mut tally, &mut spare) > 0 {
            let Some(which) = workgroup.whose_turn() else { break };
            workgroup.turn(machine, &mut tally, &mut spare, which, SLICE);
            if dispatch.stopped() {
                return Run { stopped: true, serial: true, ..tally.finish() };
            }
            let long = |f: &crate::vm::engine::fragment::Fragment<N>| f.steps > limits.steps;
            if let Some(stuck) = workgroup.fragments.iter().position(long) {
                let not_started = dispatch.count - next;
                tally.no_progress = dispatch.no_progress(&resident, (turn, stuck), not_started);
                return Run { serial: true, ..tally.finish() };
            }
            if tally.steps - before > QUANTUM {
                break;
            }
        }
        if workgroup.is_done() {
            resident.remove(turn).end(&mut spare);
        } else {
            turn += 1;
        }
    }
    Run { serial: true, ..tally.finish() }
}
