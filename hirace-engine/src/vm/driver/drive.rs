//! The loop that all strategies share.
//!
//! The strategy decides which workgroup runs, and for how long. This loop starts workgroups, runs their time slices, releases
//! barriers, and detects that nothing can run, that a limit is reached or that the run was canceled.

use super::Dispatch;
use super::pending_workgroups::PendingWorkgroups;
use crate::vm::engine::tally::Tally;
use crate::vm::observer::{Observer, Watcher};
use crate::vm::strategy::{FragmentPosition, Gap, Pick, Ready, Start, Strategy, TimeSlice, View};
use crate::vm::workgroup::{SpareAllocations, Workgroup, WorkgroupStatus};

/// A workgroup that was started and is not done, with its watcher.
pub struct Resident<const N: usize, W> {
    pub workgroup: Workgroup<N>,
    watcher: W,
    /// The number of memory changes at which the workgroup was found to be blocked, if it has not run since.
    blocked_at: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All workgroups are done.
    Done,
    /// The run was canceled, or its strategy gave up.
    Stopped,
    /// All subgroups together reached their step limit.
    OutOfSteps,
    /// Nothing can run, or a fragment exceeded its step limit: the tally has the details.
    NoProgress,
}

/// The state of a run, apart from memory and the observer.
struct DriverState<'d, 'o, const N: usize, O: Observer + 'o> {
    dispatch: &'d Dispatch<'d>,
    observer: &'o O,
    not_started: PendingWorkgroups<'d>,
    residents: Vec<Resident<N, O::Watcher<'o>>>,
    /// The linear index of each resident.
    indices: Vec<u32>,
    tally: Tally,
    spare: SpareAllocations<N>,
    /// Whether no resident can run.
    all_blocked: bool,
    /// Whether a resident was found that can run, and nothing has run since then.
    found_runnable: bool,
}

/// Runs the workgroups of a dispatch in the order of a strategy.
pub fn drive<const N: usize, O: Observer>(
    dispatch: &Dispatch<'_>,
    observer: &O,
    strategy: &mut dyn Strategy,
    not_started: PendingWorkgroups<'_>,
) -> (Tally, End) {
    let mut state: DriverState<'_, '_, N, O> = DriverState {
        dispatch,
        observer,
        not_started,
        residents: Vec::new(),
        indices: Vec::new(),
        tally: Tally::new(dispatch.setup.code.sites),
        spare: SpareAllocations::default(),
        all_blocked: false,
        found_runnable: false,
    };
    if dispatch.stopped() {
        return (state.tally, End::Stopped);
    }
    loop {
        if let Some(end) = state.round(strategy) {
            return (state.tally, end);
        }
    }
}

impl<const N: usize, O: Observer> DriverState<'_, '_, N, O> {
    fn view(&self) -> View<'_> {
        View {
            residents: &self.indices,
            not_started: self.not_started.left(),
            all_blocked: self.all_blocked,
            steps: self.tally.steps,
            limits: &self.dispatch.options.limits,
        }
    }

    /// Lets the strategy choose a workgroup, and runs a time slice of it, or ends it if it is done. Returns how the run ended, if
    /// it did.
    fn round(&mut self, strategy: &mut dyn Strategy) -> Option<End> {
        self.start_workgroups(strategy);
        if self.residents.is_empty() {
            return Some(End::Done);
        }
        if self.all_blocked {
            let not_started = self.not_started.left();
            self.tally.no_progress = self.dispatch.deadlock(&self.residents, not_started);
            return Some(End::NoProgress);
        }
        if strategy.gives_up(&self.view()) {
            return Some(End::Stopped);
        }
        let turn = strategy.turn(&self.view()).min(self.residents.len() - 1);
        match self.status(turn) {
            WorkgroupStatus::Done => {
                let gap = strategy.ended(turn, &self.view());
                self.end(turn, gap);
                return None;
            }
            WorkgroupStatus::Blocked => {
                strategy.blocked(turn, &self.view());
                self.all_blocked = self.are_all_blocked();
            }
            WorkgroupStatus::Ready(count) => {
                let workgroup = &self.residents[turn].workgroup;
                let (code, changes) = (self.dispatch.setup.code, self.tally.changes);
                let nth = |nth: usize| {
                    let fragment = &workgroup.fragments[workgroup.nth_ready(changes, nth)?];
                    let site = code.places.get(fragment.pc as usize).copied()?;
                    Some(FragmentPosition {
                        subgroup: fragment.subgroup,
                        site,
                        steps: fragment.steps,
                    })
                };
                let slice = strategy.slice(turn, &Ready { count, nth: &nth }, &self.view());
                if let Some(slice) = slice {
                    self.run(turn, slice);
                }
            }
        }
        if self.dispatch.stopped() || self.observer.has_enough(self.tally.steps) {
            return Some(End::Stopped);
        }
        if self.residents[turn].workgroup.has_run(self.dispatch.options.limits.steps) {
            let not_started = self.not_started.left();
            self.tally.no_progress = self.dispatch.too_long(&self.residents, turn, not_started);
            return Some(End::NoProgress);
        }
        if self.tally.steps > self.dispatch.options.limits.total {
            return Some(End::OutOfSteps);
        }
        None
    }

    /// Starts as many workgroups as the strategy wants and the limits allow.
    fn start_workgroups(&mut self, strategy: &mut dyn Strategy) {
        let limits = &self.dispatch.options.limits;
        let most = match limits.resident_is_hard {
            true => limits.resident.max(1) as usize,
            false => usize::MAX,
        };
        while self.residents.len() < most && self.not_started.left() > 0 {
            let none = self.residents.is_empty();
            let start = strategy.start(&self.view()).or(none.then_some(Start::First));
            let Some(index) = start.and_then(|start| self.not_started.take(start)) else { break };
            let workgroup = Workgroup::start(&self.dispatch.setup, index, &mut self.spare);
            let watcher = self.observer.watch(index);
            self.residents.push(Resident { workgroup, watcher, blocked_at: None });
            self.indices.push(index);
            (self.all_blocked, self.found_runnable) = (false, false);
        }
    }

    /// Releases the barriers of a workgroup where possible, and returns its status.
    fn status(&mut self, index: usize) -> WorkgroupStatus {
        let Resident { workgroup, watcher, blocked_at } = &mut self.residents[index];
        let changes = self.tally.changes;
        if *blocked_at == Some(changes) {
            return WorkgroupStatus::Blocked;
        }
        workgroup.release(&self.dispatch.setup, watcher, &mut self.tally, &mut self.spare);
        let status = workgroup.status(changes);
        *blocked_at = (status == WorkgroupStatus::Blocked).then_some(changes);
        status
    }

    fn are_all_blocked(&mut self) -> bool {
        let blocked =
            |index: usize, state: &mut Self| state.status(index) == WorkgroupStatus::Blocked;
        if !self.found_runnable {
            self.found_runnable = !(0..self.residents.len()).all(|index| blocked(index, self));
        }
        !self.found_runnable
    }

    fn run(&mut self, index: usize, slice: TimeSlice) {
        let resident = &mut self.residents[index];
        let which = match slice.fragment {
            Pick::RoundRobin => resident.workgroup.next_ready(self.tally.changes),
            Pick::Nth(nth) => resident.workgroup.nth_ready(self.tally.changes, nth),
        };
        let Some(which) = which else { return };
        let (setup, fuel) = (&self.dispatch.setup, slice.fuel.max(1));
        let Resident { workgroup, watcher, .. } = resident;
        workgroup.turn(setup, watcher, &mut self.tally, &mut self.spare, which, fuel);
        resident.blocked_at = None;
        self.found_runnable = false;
    }

    fn end(&mut self, index: usize, gap: Gap) {
        let (mut resident, _) = match gap {
            Gap::Close => (self.residents.remove(index), self.indices.remove(index)),
            Gap::TakeLast => (self.residents.swap_remove(index), self.indices.swap_remove(index)),
        };
        resident.watcher.ended();
        resident.workgroup.end(&mut self.spare);
        self.found_runnable = false;
    }
}
