//! Outcomes of a test, and their numbers.
//!
//! A device counts outcomes themselves, not the classes that a specification assigns to them. Each register and
//! location is a digit whose radix is the number of its possible values, so an outcome is a number in a mixed radix,
//! and has a counter. One more counter counts outcomes with any other value, which no memory model explains.

use super::{Action, Test};

/// The final values of the registers and locations of one instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    /// The values of the registers.
    pub registers: Vec<u32>,
    /// The values of the locations.
    pub memory: Vec<u32>,
}

/// The counter of an outcome, from 0. The last counter counts all outcomes that have no counter of their own.
pub type Counter = usize;

/// The distinguished outcomes of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// The number of possible values of each register: its values are below this.
    pub registers: Vec<u32>,
    /// The number of possible values of each location.
    pub memory: Vec<u32>,
}

impl Space {
    /// Returns the outcomes of `test`: a register or location may hold 0 and all values up to the greatest one written
    /// to it.
    pub fn of(test: &Test) -> Self {
        let memory: Vec<u32> =
            (0..test.locations()).map(|location| greatest(test, location) + 1).collect();
        let mut registers = vec![1; test.registers()];
        for action in test.actions() {
            if let (Some(register), Some(location)) = (action.register(), action.location()) {
                registers[usize::from(register)] = memory[usize::from(location)];
            }
        }
        Self { registers, memory }
    }

    /// Returns the number of counters, with the one for all other outcomes.
    pub fn counters(&self) -> usize {
        self.digits().map(|radix| radix as usize).product::<usize>() + 1
    }

    /// Returns the counter of an outcome.
    pub fn counter(&self, outcome: &Outcome) -> Counter {
        let values = outcome.registers.iter().chain(&outcome.memory);
        let counter = self.digits().zip(values).try_fold(0, |counter, (radix, &value)| {
            (value < radix).then_some(counter * radix as usize + value as usize)
        });
        counter.unwrap_or(self.counters() - 1)
    }

    /// Returns the outcome of a counter; `None` for the last counter.
    pub fn outcome(&self, counter: Counter) -> Option<Outcome> {
        if counter + 1 >= self.counters() {
            return None;
        }
        let mut rest = counter;
        let mut values: Vec<u32> = Vec::new();
        for radix in self.digits().collect::<Vec<_>>().into_iter().rev() {
            values.push((rest % radix as usize) as u32);
            rest /= radix as usize;
        }
        values.reverse();
        let memory = values.split_off(self.registers.len());
        Some(Outcome { registers: values, memory })
    }

    fn digits(&self) -> impl Iterator<Item = u32> + '_ {
        self.registers.iter().chain(&self.memory).copied()
    }
}

/// Returns the greatest value that `location` can hold.
fn greatest(test: &Test, location: usize) -> u32 {
    let (mut written, mut added) = (0, 0);
    for action in test.actions() {
        match *action {
            Action::Write { location: of, value, .. } if usize::from(of) == location => {
                written = written.max(u32::from(value));
            }
            Action::Add { location: of, value, .. } if usize::from(of) == location => {
                added += u32::from(value);
            }
            _ => {}
        }
    }
    written + added
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{Condition, Kind, Memory, ThreadPlacement};

    #[test]
    fn each_outcome_has_a_counter_of_its_own() {
        let test = Test {
            name: "message-passing".to_owned(),
            kind: Kind::Observation,
            mutator: None,
            threads_in: ThreadPlacement::Workgroups,
            memory: Memory { workgroup: false, atomic: true },
            threads: vec![
                vec![
                    Action::Write { location: 0, value: 1, update: false },
                    Action::Write { location: 1, value: 2, update: false },
                ],
                vec![
                    Action::Read { location: 1, register: 0, update: false },
                    Action::Read { location: 0, register: 1, update: false },
                ],
            ],
            condition: Condition::All(vec![Condition::Register(0, 2), Condition::Register(1, 0)]),
        };
        let space = Space::of(&test);
        assert_eq!(space.counters(), 3 * 2 * 2 * 3 + 1);
        for counter in 0..space.counters() - 1 {
            let outcome = space.outcome(counter).expect("each counter but the last counts one");
            assert_eq!(space.counter(&outcome), counter);
        }
        assert_eq!(space.outcome(space.counters() - 1), None);
        let other = Outcome { registers: vec![3, 0], memory: vec![0, 0] };
        assert_eq!(space.counter(&other), space.counters() - 1);
    }
}
