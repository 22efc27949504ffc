//! What a campaign gave: as JSON it is `hirace.litmus/1`.
//!
//! Outcomes are kept as they were counted. What a specification says of them stands beside, so that whoever reads the file needs
//! no model; another version's word is had from the outcomes.

use super::{Counts, Environment, Summary};
use crate::environment::Permutation;
use crate::run::{About, Failure};
use crate::test::{Class, Kind, Mutator, Space, Specification, Test};
use serde::{Deserialize, Serialize};

/// What the JSON calls itself.
pub const SCHEMA: &str = "hirace.litmus/1";

/// Tests in environments on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document {
    /// `hirace.litmus/1`.
    pub schema: String,
    /// What was done.
    pub verb: Verb,
    /// What tests ran on.
    pub target: Target,
    /// The version of the specification by which outcomes are judged: `wgsl` or `wgsl-2022`.
    pub specification: String,
    /// How much was to be run, and what was drawn by.
    pub settings: Settings,
    /// Which parts these are, as `2/3`; none if it is the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// Whether it was stopped before it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The environments, of which runs say the index.
    pub environments: Vec<Environment>,
    /// The tests, in the order in which they were given.
    pub tests: Vec<Tested>,
    /// By environment, and then in the order of the tests.
    pub runs: Vec<Run>,
    /// What follows from the runs. If it is not there, it is had from them.
    #[serde(default)]
    pub summary: Summary,
}

impl Document {
    /// With what follows from its runs, if it did not say that.
    pub fn with_summary(mut self) -> Self {
        if self.summary == Summary::default() {
            self.summary = Summary::of(&self.runs, &self.tests);
        }
        self
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Tests in one environment.
    Run,
    /// Tests in many environments.
    Tune,
    /// Conformance tests, each in the environments that show its mutants most.
    Conform,
    /// Tests in as many environments as there is time for.
    Explore,
}

/// What tests ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// What drives it.
    pub driver: String,
}

impl From<About> for Target {
    fn from(about: About) -> Self {
        Self { name: about.name, vendor: about.vendor, driver: about.driver }
    }
}

/// How much is run, and what is drawn by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Settings {
    /// What environments, and what differs between dispatches, are drawn by.
    pub seed: String,
    /// The most dispatches of a test in an environment.
    pub iterations: u32,
    /// The most seconds of a test in an environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// By what instances are permuted.
    pub permutation: Permutation,
}

/// A test that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tested {
    /// Its name.
    pub name: String,
    /// `conformance`, `mutant` or `observation`.
    pub kind: String,
    /// The conformance test that a mutant was made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutator: Option<Mutator>,
}

impl Tested {
    /// What a version of the specification has a test be.
    pub fn new(test: &Test, specification: Specification) -> Self {
        let (kind, of) = match test.kind_by(specification) {
            Kind::Conformance => ("conformance", None),
            Kind::Mutant { of } => ("mutant", Some(of.clone())),
            Kind::Observation => ("observation", None),
        };
        Self { name: test.name.clone(), kind: kind.to_owned(), of, mutator: test.mutator }
    }

    /// Whether it is a mutant, which is to be killed.
    pub fn is_mutant(&self) -> bool {
        self.of.is_some()
    }
}

/// A test in an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// The index of the environment.
    pub environment: usize,
    /// The name of the test.
    pub test: String,
    /// How many dispatches were counted.
    pub iterations: u32,
    /// How many instances these had.
    pub instances: u64,
    /// How long that took.
    pub seconds: f64,
    /// How often what the test looks for was there.
    pub found: u64,
    /// How often each class of outcomes was there.
    pub classes: Classes,
    /// The outcomes that were there.
    pub outcomes: Vec<Observed>,
    /// How often some register or location held what nobody wrote there.
    pub other: u64,
    /// Why not all was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failed>,
}

/// Instances by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Classes {
    /// Some order of the threads gives it, each whole.
    pub sequential: u64,
    /// Some order of single operations gives it.
    pub interleaved: u64,
    /// No order does, and it is allowed.
    pub weak: u64,
    /// It is not allowed.
    pub forbidden: u64,
    /// It holds what nobody wrote.
    pub other: u64,
}

impl Classes {
    /// Those of counts, of which each has a class.
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

    /// How many there are of a memory model's bugs.
    pub fn against_the_model(&self) -> u64 {
        self.forbidden.saturating_add(self.other)
    }
}

/// An outcome, and how often it was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Observed {
    /// What it left.
    #[serde(flatten)]
    pub held: Held,
    /// What it is.
    pub class: Class,
    /// Whether it is what the test looks for.
    pub found: bool,
    /// How often.
    pub count: u64,
}

/// What is left at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Held {
    /// By register.
    pub registers: Vec<u32>,
    /// By location.
    pub memory: Vec<u32>,
}

/// Why a test did not run, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failed {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened.
    pub why: String,
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The environment cannot be, or not for the test.
    Unsuitable,
    /// It asks for more than there is.
    TooLarge,
    /// The shader was not taken.
    Refused,
    /// The device was lost.
    Lost,
    /// A dispatch did not end in its time.
    Hangs,
    /// The outcomes are not as many as the instances.
    Checksum,
    /// It was stopped.
    Stopped,
}

impl Failed {
    /// Whether the target is at fault, and not what was asked of it.
    pub fn is_of_target(&self) -> bool {
        !matches!(self.kind, FailureKind::Unsuitable | FailureKind::TooLarge)
    }
}

impl From<&Failure> for Failed {
    fn from(failure: &Failure) -> Self {
        let kind = match failure {
            Failure::Unsuitable(_) => FailureKind::Unsuitable,
            Failure::TooLarge { .. } => FailureKind::TooLarge,
            Failure::Refused(_) => FailureKind::Refused,
            Failure::Lost(_) => FailureKind::Lost,
            Failure::Hangs(_) => FailureKind::Hangs,
            Failure::Checksum { .. } => FailureKind::Checksum,
            Failure::Stopped => FailureKind::Stopped,
        };
        Self { kind, why: failure.to_string() }
    }
}

impl Run {
    /// What came of a test in an environment. Its outcomes have these classes, by their counters.
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
            Some(Observed {
                class: *class,
                found: test.condition.holds(&outcome),
                count: *count,
                held: Held { registers: outcome.registers, memory: outcome.memory },
            })
        });
        Self {
            environment,
            test: test.name.clone(),
            iterations,
            instances: counts.instances(),
            seconds: counts.seconds,
            found: counts.found(test),
            classes: Classes::of(&counts.outcomes, classes),
            outcomes: outcomes.collect(),
            other: counts.outcomes.last().copied().unwrap_or_default(),
            failure: failure.map(Failed::from),
        }
    }

    /// How often a second what the test looks for was there.
    pub fn rate(&self) -> f64 {
        let rate = self.found as f64 / self.seconds;
        if rate.is_finite() { rate } else { 0.0 }
    }

    /// Whether the device was lost, or hung.
    pub fn lost_device(&self) -> bool {
        let kind = self.failure.as_ref().map(|failed| failed.kind);
        matches!(kind, Some(FailureKind::Lost | FailureKind::Hangs))
    }

    /// Whether what shows a bug was there.
    pub fn violates(&self, tested: &Tested) -> bool {
        let is_looked_for = tested.kind == "conformance" && self.found > 0;
        is_looked_for || self.classes.against_the_model() > 0
    }
}

/// Reads what a document is as JSON. Of another version, that is all there is to say.
///
/// # Errors
/// It is something else.
pub fn read(text: &str) -> serde_json::Result<Document> {
    let document = serde_json::from_str::<Document>(text)?.with_summary();
    let has_environment = |run: &Run| run.environment < document.environments.len();
    match document.runs.iter().find(|run| !has_environment(run)) {
        Some(run) => Err(serde::de::Error::custom(format!(
            "a run is of environment {}, and there are {}",
            run.environment,
            document.environments.len()
        ))),
        None => Ok(document),
    }
}
