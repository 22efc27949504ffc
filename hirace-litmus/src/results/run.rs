//! The result of a test in an environment.
//!
//! Outcomes are stored as they were counted. Each has its class next to it, so that readers of the file need no memory
//! model; the classes of another version of the specification can be computed from the outcomes.

use crate::run::{Counts, Failure};
use crate::test::{Class, Kind, Mutator, Space, Specification, Test};
use serde::{Deserialize, Serialize};

/// A test that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestInfo {
    /// The name.
    pub name: String,
    /// `conformance`, `mutant` or `observation`.
    pub kind: String,
    /// The conformance test from which a mutant was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance_test: Option<String>,
    /// The mutator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
}

impl TestInfo {
    /// Describes a test under a version of the specification.
    pub fn new(test: &Test, specification: Specification) -> Self {
        let (kind, of) = match test.kind_by(specification) {
            Kind::Conformance => ("conformance", None),
            Kind::Mutant { of } => ("mutant", Some(of.clone())),
            Kind::Observation => ("observation", None),
        };
        Self {
            name: test.name.clone(),
            kind: kind.to_owned(),
            conformance_test: of,
            mutator: test.mutator,
        }
    }

    /// Returns whether the test is a mutant, which is to be killed.
    pub fn is_mutant(&self) -> bool {
        self.conformance_test.is_some()
    }
}

/// The result of a test in an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// The index of the environment.
    pub environment: usize,
    /// The name of the test.
    pub test: String,
    /// The number of dispatches that were counted.
    pub iterations: u32,
    /// The number of instances in these dispatches.
    pub instances: u64,
    /// The time that they took, in seconds. In documents it is in `timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The number of instances that met the condition of the test.
    pub found: u64,
    /// The number of instances of each class.
    pub classes: Classes,
    /// The outcomes that occurred.
    pub outcomes: Vec<ObservedOutcome>,
    /// The number of instances in which a register or location held a value that was never written to it.
    pub other: u64,
    /// The reason why the run is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RunFailure>,
}

/// The number of instances of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Classes {
    /// Outcomes of executing the threads one after the other.
    pub sequential: u64,
    /// Outcomes of interleaving single operations.
    pub interleaved: u64,
    /// Allowed outcomes that no interleaving gives.
    pub weak: u64,
    /// Outcomes that are not allowed.
    pub forbidden: u64,
    /// Outcomes with a value that was never written.
    pub other: u64,
}

impl Classes {
    /// Sums counts by class. `classes` has the class of each count.
    pub fn of(counts: &[u64], classes: &[Class]) -> Self {
        let mut all = Self::default();
        for (count, class) in counts.iter().zip(classes) {
            *match class {
                Class::Sequential => &mut all.sequential,
                Class::Interleaved => &mut all.interleaved,
                Class::Weak => &mut all.weak,
                Class::Forbidden => &mut all.forbidden,
                Class::Other => &mut all.other,
            } += count;
        }
        all
    }

    /// Returns the number of instances that violate the memory model.
    pub fn violation_count(&self) -> u64 {
        self.forbidden.saturating_add(self.other)
    }
}

/// An outcome and the number of times it occurred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ObservedOutcome {
    /// The final values.
    #[serde(flatten)]
    pub held: FinalState,
    /// The class.
    pub class: Class,
    /// Whether the outcome meets the condition of the test.
    pub found: bool,
    /// The number of instances with this outcome.
    pub count: u64,
}

/// The final values of registers and locations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FinalState {
    /// The values of the registers.
    pub registers: Vec<u32>,
    /// The values of the locations.
    pub memory: Vec<u32>,
}

/// The reason why a test did not run, or not completely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunFailure {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The description of the failure.
    pub reason: String,
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The environment is invalid, or does not suit the test.
    Unsuitable,
    /// The test needs more memory than the device has.
    TooLarge,
    /// The device rejected the shader.
    Refused,
    /// The device was lost.
    Lost,
    /// A dispatch exceeded its time limit.
    Hangs,
    /// The number of outcomes differs from the number of instances.
    Checksum,
    /// The run was stopped.
    Stopped,
}

impl RunFailure {
    /// Returns whether the target is at fault, not the request.
    pub fn is_of_target(&self) -> bool {
        !matches!(self.kind, FailureKind::Unsuitable | FailureKind::TooLarge)
    }
}

impl From<&Failure> for RunFailure {
    fn from(failure: &Failure) -> Self {
        let kind = match failure {
            Failure::Unsuitable(_) => FailureKind::Unsuitable,
            Failure::TooLarge { .. } => FailureKind::TooLarge,
            Failure::Rejected(_) => FailureKind::Refused,
            Failure::Lost(_) => FailureKind::Lost,
            Failure::Hangs(_) => FailureKind::Hangs,
            Failure::Checksum { .. } => FailureKind::Checksum,
            Failure::Stopped => FailureKind::Stopped,
        };
        Self { kind, reason: failure.to_string() }
    }
}

impl Run {
    /// Creates the result of a test in an environment. `classes` has the class of each outcome, by counter.
    pub fn new(
        environment: usize,
        test: &Test,
        classes: &[Class],
        iterations: u32,
        counts: &Counts,
        failure: Option<&Failure>,
    ) -> Self {
        let space = Space::of(test);
        let counted = counts.outcomes.iter().zip(classes).enumerate();
        let outcomes = counted.filter(|(_, (count, _))| **count > 0);
        let outcomes = outcomes.filter_map(|(counter, (count, class))| {
            let outcome = space.outcome(counter)?;
            Some(ObservedOutcome {
                class: *class,
                found: test.condition.holds(&outcome),
                count: *count,
                held: FinalState { registers: outcome.registers, memory: outcome.memory },
            })
        });
        Self {
            environment,
            test: test.name.clone(),
            iterations,
            instances: counts.instances(),
            seconds: Some(counts.seconds),
            found: counts.found(test),
            classes: Classes::of(&counts.outcomes, classes),
            outcomes: outcomes.collect(),
            other: counts.outcomes.last().copied().unwrap_or_default(),
            failure: failure.map(RunFailure::from),
        }
    }

    /// Returns whether the device was lost or hung.
    pub fn lost_device(&self) -> bool {
        let kind = self.failure.as_ref().map(|failed| failed.kind);
        matches!(kind, Some(FailureKind::Lost | FailureKind::Hangs))
    }

    /// Returns whether the run shows a bug of the memory model's implementation.
    pub fn violates(&self, tested: &TestInfo) -> bool {
        let is_looked_for = tested.kind == "conformance" && self.found > 0;
        is_looked_for || self.classes.violation_count() > 0
    }
}
