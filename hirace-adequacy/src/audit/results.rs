//! What an audit finds: the facts that its reports show. As JSON they are `hirace.audit/1`.

use super::point::Point;
use super::proposal::Proposal;
use crate::mutate::results::{Results as Mutants, Summary as MutantSummary};
use hirace_core::amplify::results::Results as Schedules;
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::Summary;
use hirace_core::report::found::Found;
use serde::{Deserialize, Serialize};

/// What the JSON calls itself.
pub const SCHEMA: &str = "hirace.audit/1";

/// How good the tests of kernels are, and what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Audit {
    /// `hirace.audit/1`.
    pub schema: String,
    /// Whether it was stopped before its end: then it says less than there is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// Each kernel, by file and name.
    pub kernels: Vec<Kernel>,
    /// What to do, what is most worth it first.
    pub advice: Vec<Advice>,
    /// What tests run: a `hirace.cover/1`.
    #[cfg_attr(test, schemars(schema_with = "super::schema::coverage"))]
    pub coverage: Coverage,
    /// What they would notice: a `hirace.mutate/1`.
    pub mutants: Mutants,
    /// What the order of things changes in them: a `hirace.amplify/1`.
    #[cfg_attr(test, schemars(schema_with = "super::schema::schedules"))]
    pub schedules: Schedules,
    /// What was found on their launches.
    #[cfg_attr(test, schemars(with = "Vec<super::schema::Found>"))]
    pub found: Vec<Found>,
}

/// A kernel, and how good its tests are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// The file.
    pub file: String,
    /// The entry point.
    pub name: String,
    /// The tests that launch it.
    pub tests: Vec<String>,
    /// How much of what it may run is covered.
    #[cfg_attr(test, schemars(schema_with = "super::schema::summary"))]
    pub coverage: Summary,
    /// Its mutants, those of functions that other kernels run too with them.
    pub mutants: MutantSummary,
    /// How many launches were tried to reach what no test does.
    pub tried: u64,
    /// How many arms, cases of loops, barriers and functions no test runs.
    pub missing: u64,
    /// How many of them a launch was found for.
    pub reached: u64,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Advice {
    /// The file.
    pub file: String,
    /// The line that it is about, from 1.
    pub line: u32,
    /// The kernel, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// What to do.
    #[serde(rename = "do")]
    pub what: What,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum What {
    /// Fix what was found on a launch of a test.
    Fix {
        /// What was found.
        #[cfg_attr(test, schemars(with = "super::schema::Found"))]
        found: Found,
    },
    /// Find out why what a test launches hangs on the order of things.
    Order {
        /// The test.
        test: String,
        /// What hangs on it, in a line.
        message: String,
        /// A schedule that shows it.
        schedule: String,
    },
    /// Add a test.
    AddTest {
        /// It.
        test: Box<Proposal>,
        /// What it reaches and notices, in the words of the source.
        gains: Vec<Gain>,
    },
    /// A barrier that tests do not miss.
    Barrier {
        /// The barrier.
        barrier: String,
        /// Whether it is needed, and what says so.
        needed: Needed,
    },
    /// Look at a line: no test notices mistakes there, and no launch was found on which they show.
    Look {
        /// The mistakes.
        mutants: Vec<Change>,
        /// The test that came nearest, if any runs the line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
        /// In how many launches they did not show.
        tried: u64,
    },
    /// Reach what nothing does that was tried.
    Reach {
        /// What.
        point: Point,
        /// The condition that decides it, as the source has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
        /// In how many launches it was not reached.
        tried: u64,
    },
}

/// What a test gains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Gain {
    /// It reaches something.
    Reaches {
        /// What.
        point: Point,
        /// The condition that decides it, as the source has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
    },
    /// It notices a mistake.
    Notices {
        /// Where, from 1.
        line: u32,
        /// The mistake.
        change: Change,
    },
}

/// A change of the source that a mutant is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// The mutant.
    pub id: String,
    /// What stands there.
    pub original: String,
    /// What it becomes; empty, if it is deleted.
    pub replacement: String,
}

/// Whether a barrier is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "says")]
pub enum Needed {
    /// Without it a launch of a test has findings of these rules: outputs alone would not show that it is gone.
    ByFindings {
        /// The test.
        test: String,
        /// The rules.
        rules: Vec<String>,
    },
    /// Nothing that was tried misses it.
    ByNothing {
        /// How many launches.
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
