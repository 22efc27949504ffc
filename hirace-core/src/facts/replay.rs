//! The command that shows a finding again.

use super::scheduled::Scheduled;

/// A command: a source and flags.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The source file, as given.
    pub source: String,
    /// The flags, in order.
    pub flags: Vec<Flag>,
}

impl Replay {
    /// Whether it says which entry points run.
    pub fn names_entry(&self) -> bool {
        self.flags.iter().any(|flag| matches!(flag, Flag::Entry(_) | Flag::Dispatch { .. }))
    }
}

/// A flag of the command line, with its value.
#[derive(Clone, Debug, PartialEq)]
pub enum Flag {
    /// `--entry`
    Entry(String),
    /// `--workgroups`
    Workgroups([u32; 3]),
    /// `--dispatch`
    Dispatch {
        /// The entry point.
        entry: String,
        /// Its grid.
        workgroups: [u32; 3],
    },
    /// `--override`
    Override {
        /// Its name.
        name: String,
        /// Its value.
        value: f64,
    },
    /// `--buffer`
    Buffer {
        /// The variable.
        name: String,
        /// Its contents, as they were written.
        spec: String,
    },
    /// `--seed`
    Seed(u64),
    /// `--subgroup-size`
    SubgroupSize(u32),
    /// `--step-limit`
    StepLimit(u64),
    /// `--schedule`
    Schedule(u64),
    /// `--replay`
    Replay(Scheduled),
    /// `--device`
    Device(String),
    /// `--preprocess`
    Preprocess,
    /// `--define`
    Define {
        /// The name.
        name: String,
        /// Its value, as it was written.
        value: String,
    },
    /// `--module`
    Module(String),
}
