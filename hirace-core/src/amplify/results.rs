//! The results of running tests under many schedules: the facts that reports show. Their JSON format is
//! `hirace.amplify/1`.
//!
//! The results do not depend on time, on the machine or on how the work was divided: the same tests give the same
//! results.

use crate::event::InputError;
use serde::{Deserialize, Serialize};

/// The name of the JSON format.
pub const SCHEMA: &str = "hirace.amplify/1";

/// All tests of a run, and what depends on the schedule in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.amplify/1`.
    pub schema: String,
    /// The identity of the run over all its shards: a hash of sources, tests and settings.
    #[serde(default)]
    pub run_id: String,
    /// The shards whose results these are, if they are not those of the whole run: `2/3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// The number of runs of each strategy for a dispatch.
    pub runs: u32,
    /// The seed of randomized strategies.
    pub seed: u64,
    /// Whether the run was stopped before all tests were done.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// The files of the launched kernels.
    pub files: Vec<File>,
    /// The tests, sorted by name.
    pub tests: Vec<Test>,
    /// Inputs that could not be read or run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<InputError>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// The name of the file, as in findings.
    pub file: String,
    /// The hash of its text.
    pub text: String,
}

/// A test, or a launch outside of tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test {
    /// The name of the test in its suite.
    pub name: String,
    /// The launches, in order.
    pub launches: Vec<AmplifiedLaunch>,
}

/// A launch of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AmplifiedLaunch {
    /// The file of the kernel.
    pub file: String,
    /// The entry point, or those of all dispatches, separated by commas.
    pub kernel: String,
    /// The number of this launch among the test's launches of this kernel, from 1.
    pub number: u32,
    /// The name of the device.
    pub device: String,
    /// The command that makes the launch; absent if no command can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The assumptions about what was not given. If there are any, no finding is certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// The dispatches, in order. Those after one that does not terminate are missing.
    pub dispatches: Vec<AmplifiedDispatch>,
}

/// A dispatch of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AmplifiedDispatch {
    /// The entry point.
    pub kernel: String,
    /// The grid, in workgroups.
    pub workgroups: [u32; 3],
    /// The strategies that were run.
    pub strategies: Vec<StrategyRuns>,
    /// What depends on the schedule.
    pub findings: Vec<Finding>,
}

/// The runs of one strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StrategyRuns {
    /// The name of the strategy, such as `target-first`.
    pub strategy: String,
    /// The number of runs.
    pub runs: u64,
    /// An upper bound on the number of schedules, known before the first was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// The number of runs with findings.
    pub found: u64,
    /// The number of the first run with findings, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Whether all schedules were run. If so, what they do not show cannot occur on this machine.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// The number of runs that were ended by a limit on steps or time. Nothing is known about them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off: u64,
    /// The number of runs on a device in which workgroups waited in vain for one that had not started. A kernel in
    /// which workgroups wait for each other may hang there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub absent: u64,
    /// Why the strategy was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<SkipReason>,
}

impl StrategyRuns {
    pub(super) fn new(strategy: &str) -> Self {
        let strategy = strategy.to_owned();
        let (bound, first, skipped) = Default::default();
        Self {
            strategy,
            runs: 0,
            bound,
            found: 0,
            first,
            all: false,
            cut_off: 0,
            absent: 0,
            skipped,
        }
    }
}

/// Why a strategy was not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SkipReason {
    /// There is only one workgroup, so there is nothing to order.
    OneWorkgroup,
    /// The dispatch takes too many steps to choose each of them.
    TooLong,
    /// There may be more schedules than the limit.
    TooMany {
        /// An upper bound on their number, in decimal: `11793336`; absent if it is 2^128 or more.
        schedules: Option<String>,
        /// The maximum number that may be run.
        most: u64,
    },
    /// All schedules were run.
    AllWereRun,
    /// The dispatch cannot be run under this strategy.
    Refused {
        /// The reason.
        reason: String,
    },
}

/// A behavior that depends on the schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// What depends on the schedule.
    pub what: FindingFacts,
    /// A schedule that shows it, for `--replay`: the shortest that was found.
    pub schedule: String,
    /// The schedule under which it was first found, if that is a different one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_by: Option<String>,
    /// The first two accesses whose order differs from the serial schedule and that the finding depends on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordered: Option<ReorderedAccesses>,
    /// The test's own judgement.
    pub test: Judgement,
}

/// What depends on the schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind", content = "facts")]
pub enum FindingFacts {
    /// The contents of memory after the launch.
    OutputsDiffer(Difference),
    /// Whether there is a data race: there is none in the serial schedule.
    Race {
        /// The first racy word: `tile[16]`.
        element: String,
        /// The two accesses.
        accesses: [Access; 2],
    },
    /// Whether all invocations of a workgroup reach a barrier: they do in the serial schedule.
    Divergence(DivergentBarrier),
    /// Whether the dispatch terminates.
    NoProgress(NoProgress),
}

/// A number that is not the same in all schedules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    /// The buffer or texture.
    pub variable: String,
    /// The first number that differs: `out[3].x`.
    pub element: String,
    /// Its value in the serial schedule, or the value that the test expects.
    pub expected: String,
    /// Its value in this schedule.
    pub actual: String,
    /// The number of numbers that differ.
    pub differing: u64,
}

/// A barrier that not all invocations reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DivergentBarrier {
    /// The barrier.
    pub place: Place,
    /// The first workgroup in which not all invocations reach it.
    pub workgroup: [u32; 3],
    /// The number of its invocations that reach it.
    pub arrived: u64,
    /// The number of its invocations that do not.
    pub missing: u64,
}

/// A dispatch that does not terminate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoProgress {
    /// The loop or barrier that an invocation does not leave.
    pub place: Place,
    /// Who.
    pub invocation: InvocationIds,
    /// What it waits for: the write that ends the wait in the serial schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaits: Option<AwaitedWrite>,
    /// The number of invocations that had started and not finished.
    pub unfinished: u64,
}

/// What an invocation waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AwaitedWrite {
    /// The word that is waited for: `flags[3]`.
    pub element: String,
    /// The access that writes the word in the serial schedule.
    pub write: Access,
    /// Whether the workgroup of that access had not started.
    pub workgroup_not_started: bool,
}

/// Two accesses to one word, in the order of the serial schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReorderedAccesses {
    /// The word: `out[3]`.
    pub element: String,
    /// The access that is first in the serial schedule.
    pub first: Access,
    /// The access that is second in the serial schedule, and first in the schedule of the finding.
    pub second: Access,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Access {
    /// The location of the access.
    pub place: Place,
    /// The kind of access.
    pub kind: AccessKind,
    /// The invocation that made it.
    pub invocation: InvocationIds,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic operation.
    Atomic,
}

/// A source location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The line, from 1.
    pub end_line: u32,
    /// The column one past the end, from 1.
    pub end_column: u32,
}

/// An invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvocationIds {
    /// The workgroup id.
    pub workgroup: [u32; 3],
    /// The local invocation id.
    pub invocation: [u32; 3],
}

/// The judgement of a test on a finding in its own launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// None: the test does not read these outputs.
    Silent,
    /// The test fails.
    Fails,
    /// The test reads these outputs, and passes with either value.
    Passes,
}

impl AmplifiedLaunch {
    /// Returns whether a run in another order terminated. Without one, nothing is known of the launch.
    pub fn is_known(&self) -> bool {
        let mut tried = self.dispatches.iter().flat_map(|dispatched| &dispatched.strategies);
        tried.any(|tried| tried.runs > tried.cut_off)
    }
}

impl Finding {
    /// Returns whether the finding counts against the kernel. It does not if a test reads the outputs and passes with
    /// either value.
    pub fn counts(&self) -> bool {
        self.test != Judgement::Passes
    }
}

impl Results {
    /// Creates results without tests.
    pub fn new(runs: u32, seed: u64) -> Self {
        let (of, shards, stopped, files, tests, errors) = Default::default();
        Self {
            schema: SCHEMA.to_owned(),
            run_id: of,
            shards,
            runs,
            seed,
            stopped,
            files,
            tests,
            errors,
        }
    }

    /// Sorts files, tests and errors.
    pub fn sort(&mut self) {
        self.files.sort();
        self.files.dedup();
        self.tests.sort_by(|a, b| a.name.cmp(&b.name));
        self.errors.sort();
        self.errors.dedup();
    }

    /// Returns all findings, with their tests, launches and dispatches.
    pub fn findings(
        &self,
    ) -> impl Iterator<Item = (&Test, &AmplifiedLaunch, &AmplifiedDispatch, &Finding)> {
        self.tests.iter().flat_map(|test| {
            test.launches.iter().flat_map(move |launched| {
                launched.dispatches.iter().flat_map(move |dispatched| {
                    let findings = dispatched.findings.iter();
                    findings.map(move |finding| (test, launched, dispatched, finding))
                })
            })
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}
