//! The command that reproduces a finding.

use super::dispatch_order::DispatchOrder;

/// The name of standard input in reports. Commands name it `-`.
#[doc(hidden)]
pub const STANDARD_INPUT: &str = "<stdin>";

/// A command that reproduces a finding: a source and flags.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Replay {
    /// The path of the source file, as given.
    pub source: String,
    /// The flags, in order.
    pub flags: Vec<Flag>,
}

impl Replay {
    /// Creates a command that runs a source with flags.
    #[doc(hidden)]
    pub fn new(source: String, flags: Vec<Flag>) -> Self {
        Self { source, flags }
    }

    /// Returns whether the flags select the entry points.
    pub fn names_entry(&self) -> bool {
        self.flags.iter().any(|flag| matches!(flag, Flag::Entry(_) | Flag::Dispatch { .. }))
    }
}

/// A flag of the command line, with its value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Flag {
    /// `--entry`
    Entry(String),
    /// `--workgroups`
    Workgroups([u32; 3]),
    /// `--dispatch`
    Dispatch {
        /// The entry point.
        entry: String,
        /// The grid of the dispatch.
        workgroups: [u32; 3],
    },
    /// `--override`
    Override {
        /// The name of the override.
        name: String,
        /// The value of the override.
        value: f64,
    },
    /// `--buffer`
    Buffer {
        /// The name of the variable.
        name: String,
        /// The specification of the contents, as given.
        spec: String,
    },
    /// `--seed`
    Seed(u64),
    /// `--subgroup-size`
    SubgroupSize(u32),
    /// `--max-steps`
    StepLimit(u64),
    /// `--schedule`
    Schedule(u64),
    /// `--replay`
    Replay(DispatchOrder),
    /// `--device`
    Device(String),
    /// `--preprocess`
    Preprocess,
    /// `--define`
    Define {
        /// The name of the definition.
        name: String,
        /// The value of the definition, as given; empty if none was given.
        value: String,
    },
    /// `--module`
    Module(String),
    /// `--include`
    Include(String),
    /// `--target-env`
    TargetEnvironment(String),
}
