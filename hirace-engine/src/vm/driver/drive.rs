//! The loop that all strategies share.
//!
//! The strategy decides. This loop starts workgroups, gives them their turns, releases barriers, and detects
//! that nothing can run, that a limit is reached or that the run was cancelled.

use super::Dispatch;
use super::not_started::NotStarted;
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
    /// The run was cancelled, or its strategy gave up.
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
    not_started: NotStarted<'d>,
    residents: Vec<Resident<N, O::Watcher<'o>>>,
    /// The linear index of each resident.
    indices: Vec<u32>,
    tally: Tally,
    spare: SpareAllocations<N>,
    /// Whether no resident can run.
    all_blocked: bool,
    /// Whether a resident that can run was seen, and nothing has run since.
    one_is_awake: bool,
}

/// Runs the workgroups of a dispatch in the order of a strategy.
pub fn drive<const N: usize, O: Observer>(
    dispatch: &Dispatch<'_>,
    observer: &O,
    strategy: &mut dyn Strategy,
    not_started: NotStarted<'_>,
) -> (Tally, End) {
    let mut floor: DriverState<'_, '_, N, O> = DriverState {
        dispatch,
        observer,
        not_started,
        residents: Vec::new(),
        indices: Vec::new(),
        tally: Tally::new(dispatch.setup.code.sites),
        spare: SpareAllocations::default(),
        all_blocked: false,
        one_is_awake: false,
    };
    if dispatch.stopped() {
        return (floor.tally, End::Stopped);
    }
    loop {
        if let Some(end) = floor.round(strategy) {
            return (floor.tally, end);
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

    /// Runs one turn of one workgroup. Returns how the run ended, if it did.
    fn round(&mut self, strategy: &mut dyn Strategy) -> Option<End> {
        self.start_some(strategy);
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
        match self.standing(turn) {
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
    fn start_some(&mut self, strategy: &mut dyn Strategy) {
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
            (self.all_blocked, self.one_is_awake) = (false, false);
        }
    }

    /// Returns what the workgroup at this place can do after its barriers are released.
    fn standing(&mut self, place: usize) -> WorkgroupStatus {
        let Resident { workgroup, watcher, blocked_at } = &mut self.residents[place];
        let changes = self.tally.changes;
        if *blocked_at == Some(changes) {
            return WorkgroupStatus::Blocked;
        }
        workgroup.release(&self.dispatch.setup, watcher, &mut self.tally, &mut self.spare);
        let standing = workgroup.status(changes);
        *blocked_at = (standing == WorkgroupStatus::Blocked).then_some(changes);
        standing
    }

    fn are_all_blocked(&mut self) -> bool {
        let blocked =
            |place: usize, floor: &mut Self| floor.standing(place) == WorkgroupStatus::Blocked;
        if !self.one_is_awake {
            self.one_is_awake = !(0..self.residents.len()).all(|place| blocked(place, self));
        }
        !self.one_is_awake
    }

    fn run(&mut self, place: usize, slice: TimeSlice) {
        let resident = &mut self.residents[place];
        let which = match slice.fragment {
            Pick::RoundRobin => resident.workgroup.next_ready(self.tally.changes),
            Pick::Nth(nth) => resident.workgroup.nth_ready(self.tally.changes, nth),
        };
        let Some(which) = which else { return };
        let (setup, fuel) = (&self.dispatch.setup, slice.fuel.max(1));
        let Resident { workgroup, watcher, .. } = resident;
        workgroup.turn(setup, watcher, &mut self.tally, &mut self.spare, which, fuel);
        resident.blocked_at = None;
        self.one_is_awake = false;
    }

    fn end(&mut self, place: usize, gap: Gap) {
        let (mut resident, _) = match gap {
            Gap::Close => (self.residents.remove(place), self.indices.remove(place)),
            Gap::TakeLast => (self.residents.swap_remove(place), self.indices.swap_remove(place)),
        };
        resident.watcher.ended();
        resident.workgroup.end(&mut self.spare);
        self.one_is_awake = false;
    }
}
