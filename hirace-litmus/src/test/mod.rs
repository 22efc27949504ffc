//! What a litmus test is.
//!
//! A [`Test`] says nothing of how it is run: how many instances there are, where their memory lies and what runs beside them
//! is the environment's.

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
#[cfg(test)]
mod of_the_paper;
mod outcome;
pub mod published;
mod specification;

pub use named::named;
pub use outcome::{Counter, Outcome, Space};
pub use specification::{Class, Specification};

use serde::{Deserialize, Serialize};

/// A test: threads that touch a few locations, all 0 at first, and what is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// What it is called: lower case, with hyphens.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// How it was made, if it was made of a happens-before cycle.
    pub mutator: Option<Mutator>,
    /// Where its threads are.
    pub threads_in: ThreadsIn,
    /// The memory of its locations.
    pub memory: Memory,
    /// What each thread does, in order.
    pub threads: Vec<Vec<Action>>,
    /// What is looked for: of a conformance test what the model forbids, of a mutant what shows that an environment would
    /// have noticed.
    pub condition: Condition,
}

/// What a test is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What it looks for is forbidden by a version of the specification, by which is [`Test::kind_by`]'s to say: to see it
    /// once is to have found a bug.
    Conformance,
    /// What it looks for is allowed, and stands for a bug. To see it is to kill the mutant.
    Mutant {
        /// The conformance test that it was made of.
        of: String,
    },
    /// What it looks for is allowed, and of interest: whether a device shows it, and how often.
    Observation,
}

/// Which edges of a happens-before cycle a test's mutants disrupt (Table 2 of MC Mutants).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mutator {
    /// Accesses to one location in the other order.
    ReversingPoLoc,
    /// Accesses to one location become such to two.
    WeakeningPoLoc,
    /// Fences are left out.
    WeakeningSw,
}

/// Where the threads of one instance of a test are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadsIn {
    /// Each in a workgroup of its own.
    Workgroups,
    /// All in one workgroup.
    OneWorkgroup,
}

/// The memory of a test's locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Memory {
    /// Workgroup memory; otherwise storage.
    pub workgroup: bool,
    /// Atomics; otherwise plain words, which only barriers may order.
    pub atomic: bool,
}

/// One operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reads a location into a register.
    Read {
        /// Which location, from 0.
        location: u8,
        /// Which register, from 0 over all threads; each is written once.
        register: u8,
        /// By `atomicAdd` of 0 rather than `atomicLoad`.
        update: bool,
    },
    /// Writes a location.
    Write {
        /// Which location, from 0.
        location: u8,
        /// What is written: not 0.
        value: u8,
        /// By `atomicExchange` rather than `atomicStore`.
        update: bool,
    },
    /// Adds to a location, and has what was there in a register.
    Add {
        /// Which location, from 0.
        location: u8,
        /// What is added.
        value: u8,
        /// Which register, from 0 over all threads.
        register: u8,
    },
    /// Orders the thread's own accesses: `storageBarrier` or `workgroupBarrier`, of which the thread's workgroup is in
    /// step, and whose other threads have nothing to order by it.
    Fence,
    /// A barrier of the workgroup that threads of the test wait for each other at.
    Barrier,
}

/// What registers and memory hold at the end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A register holds this.
    Register(u8, u32),
    /// A location holds this at the end.
    Memory(u8, u32),
    /// All of them hold.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

/// All tests that are known by name.
pub fn all() -> Vec<Test> {
    let mut tests = generate::tests();
    tests.extend(observations::tests());
    tests
}

impl Condition {
    /// Whether it holds of `outcome`.
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
    /// What it is for where a device is to keep to `specification`: a conformance test whose condition that version allows
    /// is an observation there.
    pub fn kind_by(&self, specification: Specification) -> Kind {
        match self.kind {
            Kind::Conformance if !specification.forbids(self) => Kind::Observation,
            ref kind => kind.clone(),
        }
    }

    /// How many locations it has.
    pub fn locations(&self) -> usize {
        let locations = self.actions().filter_map(|action| action.location());
        locations.max().map_or(0, |last| usize::from(last) + 1)
    }

    /// How many registers it has.
    pub fn registers(&self) -> usize {
        let registers = self.actions().filter_map(|action| action.register());
        registers.max().map_or(0, |last| usize::from(last) + 1)
    }

    /// What its threads do, one thread after the other.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.threads.iter().flatten()
    }
}

impl Action {
    /// The location that it touches.
    pub fn location(&self) -> Option<u8> {
        match self {
            Self::Read { location, .. }
            | Self::Write { location, .. }
            | Self::Add { location, .. } => Some(*location),
            Self::Fence | Self::Barrier => None,
        }
    }

    /// The register that it writes.
    pub fn register(&self) -> Option<u8> {
        match self {
            Self::Read { register, .. } | Self::Add { register, .. } => Some(*register),
            _ => None,
        }
    }
}
