//! Any order, chosen by a seed: which workgroups are started, which runs next, which of its
//! fragments, and for how many instructions. The same seed gives the same run.

use super::random::Random;
use super::{AnyObserver, Dispatch};
use crate::vm::run::Run;
use crate::vm::workgroup::{Spare, Standing, Workgroup};

/// If none of the started workgroups ended in this many instructions for each, they may wait for
/// one that was not started.
const QUANTUM: u64 = 1 << 20;

/// Runs the dispatch.
pub(super) fn run<const N: usize>(dispatch: &Dispatch, observer: &dyn AnyObserver) -> Run {
    let machine = &dispatch.machine;
    let limits = &dispatch.options.limits;
    let mut random = Random::new(dispatch.options.schedule.seed);
    let mut tally = dispatch.tally();
    let mut spare = Spare::<N>::default();
    let mut resident: Vec<Workgroup<'_, N>> = Vec::new();
    let mut order = Shuffle::new(dispatch.count);
    let mut room = limits.resident.max(1) as usize;
    let mut last_end = 0;
    loop {
        while resident.len() < room
            && let Some(index) = order.next(&mut random)
        {
            let watcher = observer.watch(index);
            resident.push(Workgroup::start(machine, index, watcher, &mut spare));
        }
        if resident.is_empty() {
            break;
        }
        let turn = random.below(resident.len());
        let workgroup = &mut resident[turn];
        match workgroup.standing(machine, &mut tally, &mut spare) {
            Standing::Done => {
                resident.swap_remove(turn).end(&mut spare);
                last_end = tally.steps;
                continue;
            }
            Standing::Ready(ready) => {
                if let Some(which) = workgroup.nth_ready(&tally, random.below(ready)) {
                    workgroup.turn(machine, &mut tally, &mut spare, which, fuel(&mut random));
                }
            }
            Standing::Blocked => {
                let mut others = resident.iter_mut();
                let all = others.all(|workgroup| {
                    workgroup.standing(machine, &mut tally, &mut spare) == Standing::Blocked
                });
                if all && (order.left == 0 || limits.resident_is_hard) {
                    tally.no_progress = dispatch.deadlock(&resident, order.left);
                    break;
                }
                room += usize::from(all);
                continue;
            }
        }
        if workgroup.has_run(limits.steps) {
            tally.no_progress = dispatch.too_long(&resident, turn, order.left);
            break;
        }
        if dispatch.stopped() {
            return Run { stopped: true, serial: true, ..tally.finish() };
        }
        if tally.steps - last_end > QUANTUM * room as u64 && !limits.resident_is_hard {
            room += 1;
            last_end = tally.steps;
        }
    }
    Run { serial: true, ..tally.finish() }
}

/// How long a turn lasts: mostly short, so that turns interleave; sometimes a single instruction,
/// sometimes long.
fn fuel(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => 1,
        1 => 4096,
        _ => 1 + random.below(64) as u64,
    }
}

/// The workgroups in random order, without a list of all of them until it is needed.
struct Shuffle {
    /// Indices that were swapped to where they are not their own.
    moved: rustc_hash::FxHashMap<u32, u32>,
    left: u32,
}

impl Shuffle {
    fn new(count: u32) -> Self {
        Self { moved: rustc_hash::FxHashMap::default(), left: count }
    }

    fn next(&mut self, random: &mut Random) -> Option<u32> {
        let last = self.left.checked_sub(1)?;
        let chosen = random.below(self.left as usize) as u32;
        let at = |moved: &rustc_hash::FxHashMap<u32, u32>, i| moved.get(&i).copied().unwrap_or(i);
        let value = at(&self.moved, chosen);
        let end = at(&self.moved, last);
        self.moved.insert(chosen, end);
        self.moved.remove(&last);
        self.left = last;
        Some(value)
    }
}
