//! What of kernels ran, by the lines of their sources, and how what ran here and there is put together.

use super::merge::{join, join_sets};
use crate::event::InputError;
use serde::{Deserialize, Serialize};
use std::mem;

/// What the JSON of a coverage calls itself.
pub const SCHEMA: &str = "hirace.cover/1";

/// What of kernels ran. As JSON it is `hirace.cover/1`.
///
/// All counts are over all invocations of all launches, and stay at the largest `u64` that there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Coverage {
    /// `hirace.cover/1`.
    pub schema: String,
    /// Whether counts are only 0 or 1: run or not.
    #[serde(default)]
    pub hits: bool,
    /// By name.
    pub files: Vec<File>,
    /// Over all files.
    pub summary: Summary,
    /// The tests that ran, where a suite did, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Test>,
    /// Kernels that were handed to a device behind hirace's back: in no figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_seen: Vec<NeverSeen>,
    /// The shards that this is of, `2/3`; none, if it is of a whole run. What follows is of shards too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// A hash of the names of all tests and launches, by which shards of one run are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Whether a shard was stopped before its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Kernels that were launched, as those name them that hand them to a device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
    /// Inputs that could not be read or run: nothing in them is counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<InputError>,
}

/// A kernel that was launched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Seen {
    /// The file that it is from, or what it is called.
    pub file: String,
    /// Its entry point.
    pub kernel: String,
}

/// A test of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test {
    /// What its suite calls it.
    pub name: String,
    /// How many launches it ran to their end.
    pub launches: u64,
    /// The kernels that it ran.
    pub kernels: Vec<String>,
}

/// A kernel that was handed to a device behind hirace's back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NeverSeen {
    /// The file that it is from, or what it is called.
    pub file: String,
    /// Its entry point; nothing, if any of that file may be meant.
    pub kernel: String,
    /// The test that did that.
    pub test: String,
}

/// What of a source file ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// Its path, or what it is called.
    pub file: String,
    /// A hash of its text: what ran of another text is not added to this. Nothing, where a part of it is known alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The kernels in it that were launched.
    pub kernels: Vec<Kernel>,
    /// Lines that hold something to run, in order.
    pub lines: Vec<Line>,
    /// Functions, in order.
    pub functions: Vec<Function>,
    /// Branches, in order.
    pub branches: Vec<Branch>,
    /// Loops, in order.
    pub loops: Vec<Loop>,
    /// Barriers of workgroups, in order.
    pub barriers: Vec<Barrier>,
}

/// A kernel that was launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// The name of its entry point.
    pub name: String,
    /// How many dispatches of it there were.
    pub dispatches: u64,
    /// The functions that it may call, itself included.
    pub functions: Vec<String>,
}

/// A line that holds something to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line {
    /// From 1.
    pub line: u32,
    /// How often what runs most often of it did.
    pub count: u64,
    /// The function that it is in.
    pub function: String,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line of that, from 1.
    pub line: u32,
    /// How often it was entered.
    pub count: u64,
}

/// A branch: a place where control, or a value, goes one of several ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Branch {
    /// Where it stands, from 1; of `&&` and `||`: where their right operand does.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// What it is.
    pub kind: BranchKind,
    /// Which of those that begin there, if there are several: lines of SPIR-V have no columns.
    #[serde(default, skip_serializing_if = "is_none")]
    pub nth: u32,
    /// The function that it is in.
    pub function: String,
    /// Its ways.
    pub arms: Vec<Arm>,
    /// How often a subgroup went more than one way at once: each further way counts. Nothing, if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diverged: Option<u64>,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

/// What a branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BranchKind {
    /// `if`
    If,
    /// `switch`, or Rust's `match`
    Switch,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `select`, or `? :`
    Select,
}

/// One way of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Arm {
    /// Which: `true` and `false`, `case 1, 2`, `default`.
    pub label: String,
    /// Where what it does stands, from 1.
    pub line: u32,
    /// How often it was taken.
    pub count: u64,
}

/// A loop. Each time that it is come to is one of `zero`, `once` and `many`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loop {
    /// Where it stands, from 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The function that it is in.
    pub function: String,
    /// How often its body did not run. Nothing, if it always does.
    pub zero: Option<u64>,
    /// How often it ran exactly once.
    pub once: u64,
    /// How often it ran more than once.
    pub many: u64,
    /// How often it was left because its condition said so. Nothing, if it has none.
    pub boundary: Option<u64>,
}

/// A barrier of a workgroup. A visit is that some invocation of a workgroup comes to it, for the first time, for the
/// second, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Barrier {
    /// Where it stands, from 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The function that it is in.
    pub function: String,
    /// Visits of all invocations of a workgroup.
    pub full: u64,
    /// Visits of some and not of others.
    pub divergent: u64,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    /// How many are covered.
    pub covered: u64,
    /// How many there are.
    pub total: u64,
}

impl Part {
    /// How many of a hundred are covered; nothing, where there are none.
    pub fn percent(self) -> Option<f64> {
        (self.total > 0).then(|| 100.0 * self.covered as f64 / self.total as f64)
    }

    fn of(all: impl Iterator<Item = bool>) -> Self {
        all.fold(Self::default(), |part, is_covered| Self {
            covered: part.covered + u64::from(is_covered),
            total: part.total + 1,
        })
    }

    fn and(self, other: Self) -> Self {
        Self { covered: self.covered + other.covered, total: self.total + other.total }
    }
}

/// How much of something is covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// Lines that ran.
    pub lines: Part,
    /// Functions that were entered.
    pub functions: Part,
    /// Arms of branches that were taken.
    pub branches: Part,
    /// Cases of loops that were seen: of zero, one and more turns, and the boundary reached, those that the loop can
    /// have.
    pub loops: Part,
    /// Barriers that were reached, and by all invocations each time.
    pub barriers: Part,
}

impl Summary {
    /// Over both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines.and(other.lines),
            functions: self.functions.and(other.functions),
            branches: self.branches.and(other.branches),
            loops: self.loops.and(other.loops),
            barriers: self.barriers.and(other.barriers),
        }
    }
}

impl Loop {
    /// The cases that it can have, with how often each was seen: turns of 0, 1 and more, and the boundary.
    pub fn cases(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let cases = [
            ("0 turns", self.zero),
            ("1 turn", Some(self.once)),
            ("more turns", Some(self.many)),
            ("boundary", self.boundary),
        ];
        cases.into_iter().filter_map(|(name, count)| Some((name, count?)))
    }
}

impl Barrier {
    /// Whether it was reached, and by all invocations each time.
    pub fn is_covered(&self) -> bool {
        self.full > 0 && self.divergent == 0
    }
}

impl File {
    /// How much of it is covered.
    pub fn summary(&self) -> Summary {
        self.summary_where(|_| true)
    }

    /// How much of what a kernel may run is covered.
    pub fn summary_of(&self, kernel: &Kernel) -> Summary {
        self.summary_where(|function| kernel.functions.iter().any(|name| name == function))
    }

    fn summary_where(&self, is_of: impl Fn(&str) -> bool) -> Summary {
        let branches = self.branches.iter().filter(|branch| is_of(&branch.function));
        let loops = self.loops.iter().filter(|of| is_of(&of.function));
        let barriers = self.barriers.iter().filter(|barrier| is_of(&barrier.function));
        let lines = self.lines.iter().filter(|line| is_of(&line.function));
        let functions = self.functions.iter().filter(|function| is_of(&function.name));
        Summary {
            lines: Part::of(lines.map(|line| line.count > 0)),
            functions: Part::of(functions.map(|function| function.count > 0)),
            branches: Part::of(branches.flat_map(|b| &b.arms).map(|arm| arm.count > 0)),
            loops: Part::of(loops.flat_map(Loop::cases).map(|(_, count)| count > 0)),
            barriers: Part::of(barriers.map(Barrier::is_covered)),
        }
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            hits: false,
            files: Vec::new(),
            summary: Summary::default(),
            tests: Vec::new(),
            never_seen: Vec::new(),
            shards: Vec::new(),
            of: None,
            stopped: false,
            seen: Vec::new(),
            errors: Vec::new(),
        }
    }
}

impl Coverage {
    /// Reads its JSON. Others may have written that: what is listed in order there need not be.
    ///
    /// # Errors
    /// It is something else.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        let mut read: Self = serde_json::from_str(text)?;
        let files = mem::take(&mut read.files).into_iter().map(File::in_order);
        join(&mut read.files, files.collect());
        let tests = mem::take(&mut read.tests);
        join(&mut read.tests, tests);
        Ok(read)
    }

    /// Adds what ran elsewhere. What ran of another text of a file stands apart from what ran of this one. The lists of
    /// each file are in order, as [`Coverage::of`] and [`Coverage::read`] make them.
    pub fn add(&mut self, other: Self) {
        self.hits |= other.hits;
        join(&mut self.files, other.files);
        join(&mut self.tests, other.tests);
        join_sets(&mut self.never_seen, other.never_seen);
        join_sets(&mut self.seen, other.seen);
        join_sets(&mut self.shards, other.shards);
        join_sets(&mut self.errors, other.errors);
        self.of = self.of.take().or(other.of);
        self.stopped |= other.stopped;
        if self.hits {
            self.keep_hits();
        }
        let parts = self.files.iter().map(File::summary);
        self.summary = parts.fold(Summary::default(), Summary::and);
    }

    /// Nothing that was handed to a device stays among what was never seen, if somebody launched it.
    pub fn forget_seen(&mut self) {
        let Self { seen, never_seen, .. } = self;
        never_seen.retain(|unseen| {
            let is_it = |name: &String| unseen.kernel.is_empty() || *name == unseen.kernel;
            !seen.iter().any(|seen| seen.file == unseen.file && is_it(&seen.kernel))
        });
    }

    /// Puts files and tests in order, and those together that are one.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        let files = mem::take(&mut self.files).into_iter().map(File::in_order).collect();
        let tests = mem::take(&mut self.tests);
        self.add(Self { files, tests, ..Self::default() });
        self
    }

    /// The names of files of which several texts ran.
    pub fn of_several_texts(&self) -> Vec<&str> {
        let pairs = self.files.windows(2).filter(|pair| pair[0].file == pair[1].file);
        let mut names: Vec<&str> = pairs.map(|pair| &pair[0].file[..]).collect();
        names.dedup();
        names
    }

    /// Counts become 0 or 1: run or not.
    pub fn keep_hits(&mut self) {
        self.hits = true;
        self.files.iter_mut().for_each(File::keep_hits);
    }
}
