//! What came of running tests under many schedules: the facts that reports show. As JSON they are `hirace.amplify/1`.
//!
//! Nothing in them hangs on time, on the machine or on how the work was divided: the same tests give the same results.

use crate::event::InputError;
use serde::{Deserialize, Serialize};

/// What the JSON calls itself.
pub const SCHEMA: &str = "hirace.amplify/1";

/// All tests of a run, and what the order of things changes in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.amplify/1`.
    pub schema: String,
    /// What makes it one run, whatever shards it is done in: a hash of sources, tests and settings.
    #[serde(default)]
    pub of: String,
    /// The shards that these are the results of, if they are not those of all: `2/3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// How many runs each strategy was given for a dispatch.
    pub runs: u32,
    /// What strategies draw by.
    pub seed: u64,
    /// Whether the run was stopped before all tests were done.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// What was launched.
    pub files: Vec<File>,
    /// By name.
    pub tests: Vec<Test>,
    /// Inputs that could not be read or run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<InputError>,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// The file, as findings name it.
    pub file: String,
    /// The hash of its text.
    pub text: String,
}

/// A test, or a launch that none names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test {
    /// What its suite calls it.
    pub name: String,
    /// What it launched, in order.
    pub launches: Vec<Launched>,
}

/// A launch of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Launched {
    /// The file that the kernel is from.
    pub file: String,
    /// The entry point, or those of all dispatches with commas between.
    pub kernel: String,
    /// Which of the test's launches of this kernel, from 1.
    pub number: u32,
    /// What it ran on.
    pub device: String,
    /// The command that launches it; nothing, if no command can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What was not given, and how it was chosen: then nothing that is found is certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guessed: Vec<String>,
    /// Its dispatches, in order. Those behind one that comes to no end are missing.
    pub dispatches: Vec<Dispatched>,
}

/// A dispatch of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dispatched {
    /// The entry point.
    pub kernel: String,
    /// The grid, in workgroups.
    pub workgroups: [u32; 3],
    /// What was tried, strategy by strategy.
    pub tried: Vec<Tried>,
    /// What the order of things changes.
    pub findings: Vec<Finding>,
}

/// The runs of one strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tried {
    /// Which: `target-first`.
    pub strategy: String,
    /// How often it was run.
    pub runs: u64,
    /// At most so many there are, as was known before the first was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// In how many of them something was found.
    pub found: u64,
    /// The first of those, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
    /// Whether these are all there are: then what they do not show is not there, on this machine.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// Runs that were ended by a limit on steps or time, so that nothing is known of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off: u64,
    /// Runs on a device in which workgroups waited in vain for one that had not started: a kernel in which they wait for
    /// each other may hang there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub absent: u64,
    /// Why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

impl Tried {
    pub(super) fn new(strategy: &str) -> Self {
        let strategy = strategy.to_owned();
        let (bound, first, left_out) = Default::default();
        Self {
            strategy,
            runs: 0,
            bound,
            found: 0,
            first,
            all: false,
            cut_off: 0,
            absent: 0,
            left_out,
        }
    }
}

/// Why a strategy was not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum LeftOut {
    /// There is one workgroup, and nothing to order.
    OneWorkgroup,
    /// The dispatch takes too many steps to choose each of them.
    TooLong,
    /// There are up to so many schedules, and no more than that may be run.
    TooMany {
        /// An upper bound, as a number: `11793336`; nothing, if it is 2^128 or more.
        schedules: Option<String>,
        /// How many may be run.
        most: u64,
    },
    /// All schedules were run.
    AllWereRun,
    /// It cannot be run so, for this reason.
    Refused {
        /// The reason.
        reason: String,
    },
}

/// Something that the order of things changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// What.
    pub what: What,
    /// A schedule that shows it: what `--replay` takes. The shortest that was found.
    pub schedule: String,
    /// The schedule that it was first found under, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_by: Option<String>,
    /// The first accesses that came in another order than in the serial schedule, and that what was found hangs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordered: Option<Reordered>,
    /// What the test itself says of it.
    pub test: Judgement,
}

/// What the order of things changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind", content = "facts")]
pub enum What {
    /// What a launch leaves in memory.
    OutputsDiffer(Difference),
    /// Whether memory races: it does not in the serial schedule.
    Race {
        /// The first word that does: `tile[16]`.
        element: String,
        /// The accesses.
        accesses: [Access; 2],
    },
    /// Whether all invocations of a workgroup reach a barrier: they do in the serial schedule.
    Divergence(Diverged),
    /// Whether the dispatch comes to its end.
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
    /// What it is in the serial schedule, or what the test expects.
    pub expected: String,
    /// What it is.
    pub is: String,
    /// How many numbers differ.
    pub numbers: u64,
}

/// A barrier that not all invocations reach.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Diverged {
    /// The barrier.
    pub place: Place,
    /// The first workgroup of which not all do.
    pub workgroup: [u32; 3],
    /// How many of its invocations do.
    pub arrived: u64,
    /// How many do not.
    pub missing: u64,
}

/// A dispatch that comes to no end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoProgress {
    /// The loop or barrier that somebody does not leave.
    pub place: Place,
    /// Who.
    pub who: Who,
    /// Who would end it, as the serial schedule shows: what that one writes is what is waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaits: Option<Awaited>,
    /// How many invocations of those that started were not done.
    pub unfinished: u64,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Awaited {
    /// The word that is waited for: `flags[3]`.
    pub element: String,
    /// Who writes it in the serial schedule, and where.
    pub by: Access,
    /// Whether that one's workgroup had not started.
    pub not_started: bool,
}

/// Two accesses to one word, in the order of the serial schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reordered {
    /// The word: `out[3]`.
    pub element: String,
    /// The one that is first there.
    pub first: Access,
    /// The one that is second there, and first in the schedule of the finding.
    pub second: Access,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Access {
    /// Where.
    pub place: Place,
    /// What it does.
    pub does: Does,
    /// Who did it.
    pub who: Who,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It is atomic.
    Atomic,
}

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// From 1.
    pub end_line: u32,
    /// From 1, one past the end.
    pub end_column: u32,
}

/// An invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Who {
    /// Its workgroup id.
    pub workgroup: [u32; 3],
    /// Its local invocation id.
    pub invocation: [u32; 3],
}

/// What a test says of a finding in a launch of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Nothing: it looks at no outputs, or not at these.
    Silent,
    /// It fails.
    Fails,
    /// It looks at these outputs, and passes with either.
    Passes,
}

impl Launched {
    /// Whether a run of it in another order came to its end: without one, nothing is known of it.
    pub fn is_known(&self) -> bool {
        let mut tried = self.dispatches.iter().flat_map(|dispatched| &dispatched.tried);
        tried.any(|tried| tried.runs > tried.cut_off)
    }
}

impl Finding {
    /// Whether it counts against the kernel: a test that looks at outputs and passes with either knows better.
    pub fn counts(&self) -> bool {
        self.test != Judgement::Passes
    }
}

impl Results {
    /// Of no tests yet.
    pub fn new(runs: u32, seed: u64) -> Self {
        let (of, shards, stopped, files, tests, errors) = Default::default();
        Self { schema: SCHEMA.to_owned(), of, shards, runs, seed, stopped, files, tests, errors }
    }

    /// Puts all of it in order.
    pub fn sort(&mut self) {
        self.files.sort();
        self.files.dedup();
        self.tests.sort_by(|a, b| a.name.cmp(&b.name));
        self.errors.sort();
        self.errors.dedup();
    }

    /// All findings, with the tests and launches that they are of.
    pub fn findings(&self) -> impl Iterator<Item = (&Test, &Launched, &Dispatched, &Finding)> {
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
