//! The results of an audit, which all its reports show. Serialized as `hirace.audit/1`.

use super::point::Point;
use super::proposal::Proposal;
use crate::mutate::results::{Results as Mutants, Summary as MutantSummary};
use hirace_core::amplify::results::Results as Schedules;
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::Summary;
use hirace_core::report::finding_summary::FindingSummary;
use serde::{Deserialize, Serialize};

/// The value of `schema` in the JSON.
pub const SCHEMA: &str = "hirace.audit/1";

/// The assessment of the tests of kernels, and advice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Audit {
    /// `hirace.audit/1`.
    pub schema: String,
    /// Whether the audit was stopped early, so that it is incomplete.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// The kernels, by file and name.
    pub kernels: Vec<Kernel>,
    /// The advice, the most valuable first.
    pub advice: Vec<Advice>,
    /// The coverage of the tests: a `hirace.cover/1`.
    #[cfg_attr(test, schemars(schema_with = "super::schema::coverage"))]
    pub coverage: Coverage,
    /// The outcomes of mutants: a `hirace.mutate/1`.
    pub mutants: Mutants,
    /// The effect of schedules on the tests: a `hirace.amplify/1`.
    #[cfg_attr(test, schemars(schema_with = "super::schema::schedules"))]
    pub schedules: Schedules,
    /// The findings on launches of the tests.
    #[cfg_attr(test, schemars(with = "Vec<super::schema::Found>"))]
    pub found: Vec<FindingSummary>,
}

/// A kernel with figures of its tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// The file.
    pub file: String,
    /// The entry point.
    pub name: String,
    /// The tests that launch it.
    pub tests: Vec<String>,
    /// The coverage of what it may run.
    #[cfg_attr(test, schemars(schema_with = "super::schema::summary"))]
    pub coverage: Summary,
    /// Its mutants, including those in functions shared with other kernels.
    pub mutants: MutantSummary,
    /// The number of launches tried to reach what no test reaches.
    pub launches_tried: u64,
    /// The number of arms, loop cases, barriers and functions that no test runs.
    pub missing: u64,
    /// The number of these for which a launch was found.
    pub reached: u64,
}

/// A piece of advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Advice {
    /// The file.
    pub file: String,
    /// The line it refers to, from 1.
    pub line: u32,
    /// The kernel, if it refers to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// What to do.
    pub action: AdviceKind,
}

/// The kind of a piece of advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum AdviceKind {
    /// Fix a finding on a launch of a test.
    Fix {
        /// The finding.
        #[cfg_attr(test, schemars(with = "super::schema::Found"))]
        found: FindingSummary,
    },
    /// Find out why a result of a test depends on the schedule.
    Order {
        /// The test.
        test: String,
        /// What depends on the schedule, in one line.
        message: String,
        /// A schedule that shows it.
        schedule: String,
    },
    /// Add a test.
    AddTest {
        /// The proposed test.
        test: Box<Proposal>,
        /// What it reaches and detects, in the words of the source.
        gains: Vec<Gain>,
    },
    /// A barrier whose removal tests do not detect.
    Barrier {
        /// The barrier.
        barrier: String,
        /// Whether it is needed, and the evidence.
        needed: BarrierNeed,
    },
    /// Check a line: no test detects its mutants, and no launch was found that shows them.
    Look {
        /// The mutants.
        mutants: Vec<Change>,
        /// The closest test, if any runs the line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
        /// The number of launches in which they did not show.
        tried: u64,
    },
    /// Reach a point that no tried launch reaches.
    Reach {
        /// The point.
        point: Point,
        /// The source text of the condition that decides it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        /// The number of launches that did not reach it.
        tried: u64,
    },
}

/// Something that a proposed test gains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Gain {
    /// It reaches a point.
    Reaches {
        /// The point.
        point: Point,
        /// The source text of the condition that decides it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
    },
    /// It detects a mutant.
    Notices {
        /// The line, from 1.
        line: u32,
        /// The mutant.
        change: Change,
    },
}

/// The change of the source that makes a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// The id of the mutant.
    pub id: String,
    /// The original text.
    pub original: String,
    /// The replacement; empty if the text is deleted.
    pub replacement: String,
}

/// Whether a barrier is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum BarrierNeed {
    /// Without it, a launch of a test has findings of these rules; outputs alone would not show its removal.
    ByFindings {
        /// The test.
        test: String,
        /// The rules.
        rules: Vec<String>,
    },
    /// Nothing that was tried shows its removal.
    ByNothing {
        /// The number of launches tried.
        tried: u64,
    },
}

fn is_false(is: &bool) -> bool {
    !is
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            stopped: false,
            kernels: Vec::new(),
            advice: Vec::new(),
            coverage: Coverage::default(),
            mutants: Mutants::default(),
            schedules: Schedules::new(0, 0),
            found: Vec::new(),
        }
    }
}
