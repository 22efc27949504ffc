//! What a test leaves, and how outcomes are numbered.
//!
//! A device counts outcomes as they are, not what a specification says of them: each value that a register or a location may
//! hold has a digit, so that an outcome is a number in a mixed radix, and has a counter. What holds anything else, which no
//! memory model explains, has one more.

use super::{Action, Test};

/// What registers and locations of one instance hold at the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outcome {
    /// By register.
    pub registers: Vec<u32>,
    /// By location.
    pub memory: Vec<u32>,
}

/// Which counter counts an outcome, from 0. The last one counts what has no other.
pub type Counter = usize;

/// The outcomes of a test that are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// How many values each register has a digit for: those below.
    pub registers: Vec<u32>,
    /// The same of each location.
    pub memory: Vec<u32>,
}

impl Space {
    /// Those of `test`: of a register or location 0 and all up to the greatest value that is written there.
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

    /// How many counters there are, that of all else included.
    pub fn counters(&self) -> usize {
        self.digits().map(|radix| radix as usize).product::<usize>() + 1
    }

    /// The counter of an outcome.
    pub fn counter(&self, outcome: &Outcome) -> Counter {
        let values = outcome.registers.iter().chain(&outcome.memory);
        let counter = self.digits().zip(values).try_fold(0, |counter, (radix, &value)| {
            (value < radix).then_some(counter * radix as usize + value as usize)
        });
        counter.unwrap_or(self.counters() - 1)
    }

    /// The outcome that a counter counts; none of the last one.
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

/// The greatest value that `location` may hold.
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
    use crate::test::{Condition, Kind, Memory, ThreadsIn};

    #[test]
    fn each_outcome_has_a_counter_of_its_own() {
        let test = Test {
            name: "message-passing".to_owned(),
            kind: Kind::Observation,
            mutator: None,
            threads_in: ThreadsIn::Workgroups,
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
