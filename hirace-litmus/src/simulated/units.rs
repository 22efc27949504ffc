//! The compute units of a simulated device. In each step each unit runs one of its subgroups up to its next access to
//! shared memory. Workgroups are launched in order, some steps apart.

use super::memory::{Answer, DelayedMemory};
use crate::run::Failure;
use hirace_engine::random::Random;
use hirace_engine::vm::deferred::{Dispatch, LANES, Subgroup, SubgroupOutcome};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of units.
const UNITS: usize = 16;

/// The maximum number of resident workgroups of a unit.
const RESIDENT: usize = 4;

/// The minimum and maximum number of steps between the launches of two workgroups: more than an undelayed thread of a
/// test needs.
const GAP: [u32; 2] = [4, 12];

/// The number of steps between two checks of the stop flag.
const STEPS: u64 = 1024;

/// A dispatch on the units.
pub struct Units<'d, 'a> {
    dispatch: &'d mut Dispatch<'a>,
    random: Random,
    units: Vec<Vec<Group>>,
    /// The next workgroup to launch.
    next: u32,
    /// The step in which it is launched, if there is room.
    launch: u64,
}

/// A workgroup on a unit.
struct Group {
    index: u32,
    members: Vec<Member>,
}

struct Member {
    subgroup: Subgroup,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Runs,
    AtBarrier,
    Ended,
}

impl<'d, 'a> Units<'d, 'a> {
    pub fn new(dispatch: &'d mut Dispatch<'a>, random: Random) -> Self {
        let units = (0..UNITS).map(|_| Vec::new()).collect();
        Self { dispatch, random, units, next: 0, launch: 0 }
    }

    /// Runs until the rest of the dispatch has no observable effect.
    pub fn run(
        &mut self,
        memory: &mut DelayedMemory<'_>,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let mut answers = Vec::new();
        for step in 0.. {
            self.launch(step);
            let first = self.random.below(UNITS);
            for unit in 0..UNITS {
                self.turn((first + unit) % UNITS, memory)?;
            }
            memory.step(&mut answers);
            answers.drain(..).for_each(|answer| self.answer(answer));
            self.release(memory);
            if self.is_over() {
                break;
            }
            if step % STEPS == 0 && stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
        }
        memory.settle();
        Ok(())
    }

    fn launch(&mut self, step: u64) {
        if step < self.launch || self.next == self.dispatch.workgroups() {
            return;
        }
        let emptiest = self.units.iter_mut().min_by_key(|unit| unit.len());
        let Some(unit) = emptiest.filter(|unit| unit.len() < RESIDENT) else { return };
        let member = |number| Member {
            subgroup: self.dispatch.start(self.next, number),
            state: State::Runs,
        };
        let members = (0..self.dispatch.subgroups()).map(member).collect();
        unit.push(Group { index: self.next, members });
        self.next += 1;
        let [least, most] = GAP;
        self.launch = step + u64::from(least + self.random.below(most - least + 1));
    }

    /// Runs one of the runnable subgroups of a unit.
    fn turn(&mut self, unit: usize, memory: &mut DelayedMemory<'_>) -> Result<(), Failure> {
        let each = self.dispatch.subgroups() as usize;
        let count = each * self.units[unit].len();
        let first = self.random.below(count);
        for at in (first..count).chain(0..first) {
            let Member { subgroup, state } = &mut self.units[unit][at / each].members[at % each];
            if *state != State::Runs {
                continue;
            }
            match self.dispatch.turn(subgroup, memory) {
                SubgroupOutcome::Ran => {}
                SubgroupOutcome::Waits => continue,
                SubgroupOutcome::Ended => *state = State::Ended,
                SubgroupOutcome::Barrier => {
                    memory.arrive(subgroup.workgroup(), subgroup.number());
                    *state = State::AtBarrier;
                }
                SubgroupOutcome::PartlyAtBarrier => {
                    let why = "some invocations of a subgroup reach a barrier, and others do not";
                    return Err(Failure::Rejected(why.to_owned()));
                }
            }
            break;
        }
        Ok(())
    }

    fn answer(&mut self, Answer { by, ticket, value }: Answer) {
        let mut groups = self.units.iter_mut().flatten();
        let group = groups.find(|group| group.index == by.workgroup);
        let number = (by.local / LANES) as usize;
        if let Some(member) = group.and_then(|group| group.members.get_mut(number)) {
            member.subgroup.answer(ticket, by.local, value);
        }
    }

    /// Releases workgroups from a barrier that all their subgroups have reached, and removes workgroups that have
    /// ended.
    fn release(&mut self, memory: &mut DelayedMemory<'_>) {
        for unit in &mut self.units {
            unit.retain(|group| group.members.iter().any(|member| member.state != State::Ended));
            for group in unit {
                let is_there = |member: &Member| match member.state {
                    State::Runs => false,
                    State::AtBarrier => memory.may_pass(group.index, member.subgroup.number()),
                    State::Ended => true,
                };
                if group.members.iter().all(is_there) {
                    memory.pass(group.index);
                    let arrived = |member: &&mut Member| member.state == State::AtBarrier;
                    let passed = group.members.iter_mut().filter(arrived);
                    passed.for_each(|member| member.state = State::Runs);
                }
            }
        }
    }

    /// Returns whether all workgroups were launched and the running ones have no further observable effect.
    fn is_over(&self) -> bool {
        let mut left = self.units.iter().flatten().flat_map(|group| &group.members);
        self.next == self.dispatch.workgroups()
            && !left.any(|member| {
                member.state != State::Ended && member.subgroup.may_affect_observed(self.dispatch)
            })
    }
}
