//! Workgroups one after another, in ascending order: always the same run.
//!
//! A workgroup may wait for another: one that can only go on when memory changes, or that runs very
//! long. Then the next one is started beside it, and those that are started take turns.

use super::{AnyObserver, Dispatch};
use crate::vm::run::Run;
use crate::vm::workgroup::{Spare, Standing, Workgroup};

/// How many instructions a workgroup runs before others get their turn.
const QUANTUM: u64 = 1 << 20;

/// How many instructions a fragment runs before others of its workgroup get their turn.
const SLICE: u64 = 1 << 16;

/// Runs the dispatch.
pub(super) fn run<const N: usize>(dispatch: &Dispatch, observer: &dyn AnyObserver) -> Run {
    let machine = &dispatch.machine;
    let limits = &dispatch.options.limits;
    let mut tally = dispatch.tally();
    let mut spare = Spare::<N>::default();
    let mut resident: Vec<Workgroup<'_, N>> = Vec::new();
    let mut next = 0;
    let mut turn = 0;
    // Whether any of those started could run since they all had their last turn.
    let mut moved = false;
    loop {
        if turn >= resident.len() {
            // All have had their turn, and none ended in it: one more, if it may be.
            let room = !limits.resident_is_hard || (resident.len() as u32) < limits.resident;
            turn = 0;
            if next < dispatch.count && (resident.is_empty() || room) {
                let watcher = observer.watch(next);
                resident.push(Workgroup::start(machine, next, watcher, &mut spare));
                next += 1;
                turn = resident.len() - 1;
            } else if !moved && !resident.is_empty() {
                tally.no_progress = dispatch.deadlock(&resident, dispatch.count - next);
                break;
            }
            moved = false;
        }
        let Some(workgroup) = resident.get_mut(turn) else { break };
        let before = tally.steps;
        let done = loop {
            match workgroup.standing(machine, &mut tally, &mut spare) {
                Standing::Done => break true,
                Standing::Blocked => break false,
                Standing::Ready(_) if tally.steps - before > QUANTUM => break false,
                Standing::Ready(_) => {}
            }
            let Some(which) = workgroup.whose_turn(&tally) else { break false };
            workgroup.turn(machine, &mut tally, &mut spare, which, SLICE);
            moved = true;
            if dispatch.stopped() {
                return Run { stopped: true, serial: true, ..tally.finish() };
            }
            if workgroup.has_run(limits.steps) {
                tally.no_progress = dispatch.too_long(&resident, turn, dispatch.count - next);
                return Run { serial: true, ..tally.finish() };
            }
        };
        if done {
            resident.remove(turn).end(&mut spare);
        } else {
            turn += 1;
        }
    }
    Run { serial: true, ..tally.finish() }
}
