//! Litmus tests: their definition and the classification of their outcomes.
//!
//! A [`Test`] does not determine how it is run. The number of instances, the placement of their memory and the stress
//! next to them are part of the environment.

mod cycle;
pub mod definition;
mod epochs;
mod executions;
mod generate;
mod interleavings;
#[cfg(test)]
pub(crate) mod judge;
mod named;
mod observations;
mod outcome;
#[cfg(test)]
mod paper_tests;
pub mod published;
mod specification;

pub use named::named;
pub use outcome::{Counter, Outcome, Space};
pub use specification::{Class, Specification};

use serde::{Deserialize, Serialize};

/// A litmus test: threads that access a few locations, all initially 0, and a condition on the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name: lower case, with hyphens.
    pub name: String,
    /// The purpose of the test.
    pub kind: Kind,
    /// The mutator of the cycle, if the test was made from a happens-before cycle.
    pub mutator: Option<Mutator>,
    /// The placement of its threads.
    pub threads_in: ThreadPlacement,
    /// The memory of its locations.
    pub memory: Memory,
    /// The operations of each thread, in order.
    pub threads: Vec<Vec<Action>>,
    /// The condition on the outcome. For a conformance test it matches what the model forbids; for a mutant, what kills
    /// the mutant and thereby shows that the environment would have revealed the bug.
    pub condition: Condition,
}

/// The purpose of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A version of the specification forbids the condition, so one match shows a bug. [`Test::kind_by`] tells for
    /// which versions this holds.
    Conformance,
    /// The condition is allowed and models a bug. A match kills the mutant.
    Mutant {
        /// The conformance test from which it was made.
        of: String,
    },
    /// The condition is allowed. The test observes whether a device shows it, and how often.
    Observation,
}

/// The edges of a happens-before cycle that the mutants of a test disrupt (Table 2 of MC Mutants).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mutator {
    /// The mutant performs accesses to one location in the opposite order.
    ReversingPoLoc,
    /// The mutant distributes accesses to one location over two locations.
    WeakeningPoLoc,
    /// The mutant leaves out fences.
    WeakeningSw,
}

/// The placement of the threads of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadPlacement {
    /// Each thread is in its own workgroup.
    Workgroups,
    /// All threads are in one workgroup.
    OneWorkgroup,
}

/// The memory of a test's locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memory {
    /// Whether the locations are in workgroup memory; otherwise they are in storage.
    pub workgroup: bool,
    /// Whether the locations are atomics; otherwise they are plain words, which only barriers can order.
    pub atomic: bool,
}

/// One operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reads a location into a register.
    Read {
        /// The number of the location, from 0.
        location: u8,
        /// The number of the register, from 0 over all threads; each is written once.
        register: u8,
        /// Whether `atomicAdd` of 0 is used instead of `atomicLoad`.
        update: bool,
    },
    /// Writes a location.
    Write {
        /// The number of the location, from 0.
        location: u8,
        /// The value that is written: not 0.
        value: u8,
        /// Whether `atomicExchange` is used instead of `atomicStore`.
        update: bool,
    },
    /// Adds to a location and stores its previous value in a register.
    Add {
        /// The number of the location, from 0.
        location: u8,
        /// The value that is added.
        value: u8,
        /// The number of the register, from 0 over all threads.
        register: u8,
    },
    /// Orders the accesses of its own thread: a `storageBarrier` or `workgroupBarrier` that all invocations of the
    /// workgroup execute together. The other threads of that workgroup have no accesses that it would order.
    Fence,
    /// A workgroup barrier at which the threads of the test wait for each other.
    Barrier,
}

/// A condition on the final values of registers and memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A register has this value.
    Register(u8, u32),
    /// A location has this value at the end.
    Memory(u8, u32),
    /// All conditions hold.
    All(Vec<Condition>),
    /// At least one condition holds.
    Any(Vec<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
}

/// Returns all named tests.
pub fn all() -> Vec<Test> {
    let mut tests = generate::tests();
    tests.extend(observations::tests());
    tests
}

impl Condition {
    /// Returns whether the condition holds for `outcome`.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        match self {
            Self::Register(register, value) => outcome.registers[usize::from(*register)] == *value,
            Self::Memory(location, value) => outcome.memory[usize::from(*location)] == *value,
            Self::All(of) => of.iter().all(|condition| condition.holds(outcome)),
            Self::Any(of) => of.iter().any(|condition| condition.holds(outcome)),
            Self::Not(of) => !of.holds(outcome),
        }
    }
}

impl Test {
    /// Returns the purpose of the test on a device that conforms to `specification`: a conformance test whose condition
    /// that version allows is an observation.
    pub fn kind_by(&self, specification: Specification) -> Kind {
        match self.kind {
            Kind::Conformance if !specification.forbids(self) => Kind::Observation,
            ref kind => kind.clone(),
        }
    }

    /// Returns the number of locations.
    pub fn locations(&self) -> usize {
        let locations = self.actions().filter_map(|action| action.location());
        locations.max().map_or(0, |last| usize::from(last) + 1)
    }

    /// Returns the number of registers.
    pub fn registers(&self) -> usize {
        let registers = self.actions().filter_map(|action| action.register());
        registers.max().map_or(0, |last| usize::from(last) + 1)
    }

    /// Returns the operations of all threads, one thread after the other.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.threads.iter().flatten()
    }
}

impl Action {
    /// Returns the location that the operation accesses.
    pub fn location(&self) -> Option<u8> {
        match self {
            Self::Read { location, .. }
            | Self::Write { location, .. }
            | Self::Add { location, .. } => Some(*location),
            Self::Fence | Self::Barrier => None,
        }
    }

    /// Returns the register that the operation writes.
    pub fn register(&self) -> Option<u8> {
        match self {
            Self::Read { register, .. } | Self::Add { register, .. } => Some(*register),
            _ => None,
        }
    }
}
