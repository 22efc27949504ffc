//! Executes one run, step by step.
//!
//! This module does everything but choose: it tracks which units are enabled, answers requests from plain
//! memory, releases units that wait for each other, wakes those that wait for memory to change, and detects
//! the end of the run.

use super::choices::Recorder;
use super::{Choices, Chooser, EnabledUnits, Unit};
use crate::ir::sites::SiteId;
use crate::vm::machine::{Answer, Group, Machine, Notes, Request, UndoMemory};
use crate::vm::observer::{Observer, Watcher};
use crate::vm::run::{InvocationStatus, NoProgress, Options, Run};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Number of steps between two checks for cancellation.
const CANCELLATION_INTERVAL: u64 = 256;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct SteppedRun {
    /// The results that the run collects by itself.
    pub run: Run,
    /// The choices that the run made, which reproduce it.
    pub choices: Choices,
    /// Number of steps of each unit.
    pub steps: Vec<u64>,
    /// Whether the run ended because all unfinished units [had used up their steps](Chooser::most_steps).
    pub cut_short: bool,
}

/// The state of a unit.
#[derive(Clone, Debug, PartialEq)]
enum UnitState {
    /// The unit is enabled, and this is its next step.
    Asks(Request),
    /// The unit waits for others, or has not started.
    Waits,
    /// The unit waits for memory to change.
    Sleeps,
    /// The unit has used up its steps.
    HeldBack,
    /// The unit exceeded its instruction limit, in this loop.
    Runs(SiteId),
    /// The unit returned.
    Done,
}

/// Why a run ended.
enum End {
    Done,
    CutShort,
    Stopped,
    OutOfSteps,
    NoProgress(Option<NoProgress>),
}

/// The state of a run.
pub(super) struct Execution<'f, 'a> {
    machine: &'f Machine<'a>,
    options: &'f Options<'a>,
    size: u32,
    memory: &'f mut UndoMemory,
    groups: Vec<Group>,
    /// The watcher of each workgroup that is not done.
    watchers: Vec<Option<Box<dyn Watcher + 'f>>>,
    notes: Notes,
    /// The state of each unit.
    unit_states: Vec<UnitState>,
    /// Number of steps of each unit.
    steps: Vec<u64>,
    enabled: EnabledUnits,
    asleep: Vec<Unit>,
    /// Number of units that have used up their steps.
    held_back: u32,
    recorder: Recorder,
    /// Whether memory need not be rolled back.
    once: bool,
}

impl<'f, 'a> Execution<'f, 'a> {
    /// Creates a run over this memory that has not started, with workgroups of `size` invocations.
    pub fn new<O: Observer>(
        machine: &'f Machine<'a>,
        options: &'f Options<'a>,
        size: u32,
        memory: &'f mut UndoMemory,
        observer: &'f O,
    ) -> Self {
        let workgroups = machine.workgroups();
        let units = (workgroups * size) as usize;
        let watch = |group| Some(Box::new(observer.watch(group)) as Box<dyn Watcher>);
        Self {
            machine,
            options,
            size,
            memory,
            groups: (0..workgroups).map(|group| machine.start(group)).collect(),
            watchers: (0..workgroups).map(watch).collect(),
            notes: machine.notes(),
            unit_states: vec![UnitState::Waits; units],
            steps: vec![0; units],
            enabled: EnabledUnits::default(),
            asleep: Vec::new(),
            held_back: 0,
            recorder: Recorder::default(),
            once: false,
        }
    }

    /// Declares that memory will not be rolled back.
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

impl Execution<'_, '_> {
    /// Executes the run to its end.
    pub fn run(
        mut self,
        chooser: &mut dyn Chooser,
        has_enough: &dyn Fn(u64) -> bool,
    ) -> SteppedRun {
        let end = self.ended(chooser, has_enough);
        let mut run = self.notes.finish();
        run.stopped = matches!(end, End::Stopped);
        run.reached_total_limit = matches!(end, End::OutOfSteps);
        let cut_short = matches!(end, End::CutShort);
        if let End::NoProgress(found) = end {
            run.no_progress = found;
        }
        SteppedRun { run, choices: self.recorder.finish(), steps: self.steps, cut_short }
    }

    fn ended(&mut self, chooser: &mut dyn Chooser, has_enough: &dyn Fn(u64) -> bool) -> End {
        let limits = &self.options.limits;
        let deadline = limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let units = self.unit_states.len() as u32;
        chooser.begin(units);
        if let Some(end) = self.advance_units((0..units).map(Unit).collect(), chooser.most_steps())
        {
            return end;
        }
        for step in 0u64.. {
            if step.is_multiple_of(CANCELLATION_INTERVAL) {
                let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                let stop = self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
                if late || stop || has_enough(self.notes.steps()) {
                    return End::Stopped;
                }
            }
            if self.enabled.count() == 0 {
                return match self.unit_states.iter().all(|standing| *standing == UnitState::Done) {
                    true => End::Done,
                    false if self.held_back > 0 => End::CutShort,
                    false => End::NoProgress(self.deadlock()),
                };
            }
            let unit = chooser.next(&self.enabled);
            let choice = self.enabled.choice_of(unit).unwrap_or(0);
            self.recorder.push(choice as u32);
            if let Some(end) = self.step(self.enabled.of_choice(choice), chooser.most_steps()) {
                return end;
            }
            if self.notes.steps() > limits.total {
                return End::OutOfSteps;
            }
        }
        End::OutOfSteps
    }

    /// Performs the next step of an enabled unit, and everything after it that is not visible.
    fn step(&mut self, unit: Unit, most: Option<&[u64]>) -> Option<End> {
        let (group, local) = self.place(unit);
        let changes = self.notes.changes();
        self.enabled.take(unit);
        self.steps[unit.0 as usize] += 1;
        let standing = &mut self.unit_states[unit.0 as usize];
        if let UnitState::Asks(request) = std::mem::replace(standing, UnitState::Waits) {
            let of_it = &mut self.groups[group];
            if let Some(watcher) = &mut self.watchers[group] {
                of_it.show(self.machine, local, watcher);
            }
            let answer = self.memory.answer(&request).unwrap_or(Answer::Done);
            if self.once {
                self.memory.forget();
            }
            // The answer fits: it was made for this request.
            let _ = of_it.answer(self.machine, &mut self.notes, local, &answer);
            if !matches!(request, Request::Write(..)) {
                of_it.expect_spin(local);
            }
        }
        let mut going = VecDeque::from([unit]);
        if self.notes.changes() != changes {
            for sleeper in std::mem::take(&mut self.asleep) {
                let (group, local) = self.place(sleeper);
                self.groups[group].wake(local, self.notes.changes());
                going.push_back(sleeper);
            }
        }
        self.advance_units(going, most)
    }

    /// Runs these units to their next steps, and also the units that this releases.
    fn advance_units(&mut self, mut going: VecDeque<Unit>, most: Option<&[u64]>) -> Option<End> {
        // Where a unit began to wait or ended, others may be released.
        let mut moved: Vec<usize> = Vec::new();
        loop {
            while let Some(unit) = going.pop_front() {
                let (group, local) = self.place(unit);
                let standing = self.advance(group, local, unit, most);
                if !matches!(standing, UnitState::Asks(_)) {
                    self.enabled.remove(unit);
                }
                match standing {
                    UnitState::Runs(site) => {
                        return Some(End::NoProgress(Some(self.too_long(unit, site))));
                    }
                    UnitState::Asks(_) => self.enabled.insert(unit),
                    UnitState::Sleeps => {
                        self.groups[group].sleep(local, self.notes.changes());
                        self.asleep.push(unit);
                        moved.push(group);
                    }
                    UnitState::HeldBack => self.held_back += 1,
                    UnitState::Waits | UnitState::Done => moved.push(group),
                }
                self.unit_states[unit.0 as usize] = standing;
            }
            let group = moved.pop()?;
            let Some(watcher) = &mut self.watchers[group] else { continue };
            let of_it = &mut self.groups[group];
            if of_it.release(self.machine, &mut self.notes, watcher) {
                let of_it = &self.groups[group];
                let can_run = of_it.live_invocations().filter(|local| of_it.can_run(*local));
                let waited = |unit: &Unit| self.unit_states[unit.0 as usize] == UnitState::Waits;
                going.extend(can_run.map(|local| self.unit(group, local)).filter(waited));
            } else if of_it.is_done() {
                watcher.ended();
                self.watchers[group] = None;
            }
        }
    }

    /// Runs a unit up to its next step, which is not performed.
    fn advance(&mut self, group: usize, local: u32, unit: Unit, most: Option<&[u64]>) -> UnitState {
        let of_it = &mut self.groups[group];
        loop {
            let request = of_it.step(self.machine, &mut self.notes, local);
            return match request {
                Request::Read(_) | Request::Write(..) | Request::Update(..) => {
                    let may = |most: &[u64]| most.get(unit.0 as usize).copied().unwrap_or(0);
                    match most.is_some_and(|most| self.steps[unit.0 as usize] >= may(most)) {
                        true => UnitState::HeldBack,
                        false => UnitState::Asks(request),
                    }
                }
                // Memory is sequentially consistent: there is nothing to order.
                Request::Fence { .. } => {
                    let _ = of_it.answer(self.machine, &mut self.notes, local, &Answer::Done);
                    continue;
                }
                Request::Barrier { .. } | Request::Subgroup { .. } => UnitState::Waits,
                Request::Spinning { .. } => UnitState::Sleeps,
                Request::Limit { site } => UnitState::Runs(site),
                Request::End => UnitState::Done,
            };
        }
    }

    /// Returns the unit's workgroup and its local index.
    pub(super) fn place(&self, unit: Unit) -> (usize, u32) {
        ((unit.0 / self.size) as usize, unit.0 % self.size)
    }

    fn unit(&self, group: usize, local: u32) -> Unit {
        Unit(group as u32 * self.size + local)
    }

    pub(super) fn group(&self, group: usize) -> &Group {
        &self.groups[group]
    }

    /// Returns the first of the units that wait for memory to change.
    pub(super) fn asleep(&self) -> Option<Unit> {
        self.asleep.iter().min().copied()
    }

    /// Returns the units that are not done.
    pub(super) fn unfinished_units(&self) -> impl Iterator<Item = Unit> + '_ {
        let of = move |(index, group): (usize, &'_ Group)| {
            group.live_invocations().map(move |local| self.unit(index, local)).collect::<Vec<_>>()
        };
        self.groups.iter().enumerate().flat_map(of)
    }

    pub(super) fn invocation_status(&self, unit: Unit) -> InvocationStatus {
        let (group, local) = self.place(unit);
        self.groups[group].invocation_status(self.machine, local)
    }
}
