//! The coverage of kernels, by lines of their sources, and how coverage from several runs is merged.

use crate::event::InputError;
use serde::{Deserialize, Serialize};

/// The schema name in the JSON of a coverage.
pub const SCHEMA: &str = "hirace.cover/1";

/// The coverage of kernels. Its JSON has the schema `hirace.cover/1`.
///
/// All counts are totals over all invocations of all launches, and saturate at `u64::MAX`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Coverage {
    /// `hirace.cover/1`.
    pub schema: String,
    /// Whether counts are only 0 or 1: not executed or executed.
    #[serde(default)]
    pub hits: bool,
    /// The source files, sorted by name.
    pub files: Vec<File>,
    /// The summary over all files.
    pub summary: Summary,
    /// The tests that ran, sorted by name; only if a test suite was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Test>,
    /// Kernels that were passed to a device without hirace observing the launch. They are not counted anywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unobserved: Vec<UnobservedKernel>,
    /// The shards that the coverage is from, such as `2/3`; empty for a whole run. The remaining fields also apply only
    /// to shards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// A hash of the names of all tests and launches, which identifies the shards of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whether a shard was stopped before it was complete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Kernels that were launched, under the names that `unobserved` uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launched: Vec<LaunchedKernel>,
    /// Inputs that could not be read or run. Nothing in them is counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<InputError>,
}

/// A kernel that was launched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LaunchedKernel {
    /// The source file of the kernel, or its name.
    pub file: String,
    /// The name of the entry point.
    pub kernel: String,
}

/// A test of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test {
    /// The name of the test in its suite.
    pub name: String,
    /// The number of launches that the test ran to completion.
    pub launches: u64,
    /// The kernels that the test ran.
    pub kernels: Vec<String>,
}

/// A kernel that was passed to a device without hirace observing the launch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnobservedKernel {
    /// The source file of the kernel, or its name.
    pub file: String,
    /// The name of the entry point; empty if it may be any entry point of the file.
    pub kernel: String,
    /// The name of the test that passed the kernel to a device.
    pub test: String,
}

/// The coverage of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// The path of the file, or its name.
    pub file: String,
    /// A hash of the text: coverage of different texts is not merged. Absent if only a part of the text is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The kernels in it that were launched.
    pub kernels: Vec<Kernel>,
    /// The lines with executable code, in order.
    pub lines: Vec<Line>,
    /// The functions, in order.
    pub functions: Vec<Function>,
    /// The branches, in order.
    pub branches: Vec<Branch>,
    /// The loops, in order.
    pub loops: Vec<Loop>,
    /// The workgroup barriers, in order.
    pub barriers: Vec<Barrier>,
}

/// A kernel that was launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// The name of its entry point.
    pub name: String,
    /// The number of dispatches of the kernel.
    pub dispatches: u64,
    /// The functions that the kernel may call, including its entry point.
    pub functions: Vec<String>,
}

/// A line with executable code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line {
    /// The line, from 1.
    pub line: u32,
    /// The execution count of the most frequently executed code on the line.
    pub count: u64,
    /// The name of the enclosing function.
    pub function: String,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Function {
    /// The name of the function.
    pub name: String,
    /// The line of the name, from 1.
    pub line: u32,
    /// The number of times the function was entered.
    pub count: u64,
}

/// A branch: a point at which control flow, or a value, takes one of several arms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Branch {
    /// The line, from 1; for `&&` and `||`, the line of the right operand.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The kind of branch.
    pub kind: BranchKind,
    /// The index among the branches that begin at the same location; lines of SPIR-V have no columns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub index: u32,
    /// The name of the enclosing function.
    pub function: String,
    /// The arms of the branch.
    pub arms: Vec<Arm>,
    /// The number of times a subgroup took more than one arm at once; each additional arm counts. Absent if that is not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diverged: Option<u64>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The kind of a branch.
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

/// An arm of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Arm {
    /// The name of the arm: `true` and `false`, `case 1, 2`, `default`.
    pub label: String,
    /// The line of the code in the arm, from 1.
    pub line: u32,
    /// The number of times the arm was taken.
    pub count: u64,
}

/// A loop. Each time a loop is reached counts for one of `zero`, `once` and `many`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loop {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The name of the enclosing function.
    pub function: String,
    /// The number of times the body did not run. Absent if the body always runs.
    pub zero: Option<u64>,
    /// The number of times the body ran exactly once.
    pub once: u64,
    /// The number of times the body ran more than once.
    pub many: u64,
    /// The number of times the loop condition ended the loop. Absent if the loop has no condition.
    pub boundary: Option<u64>,
    /// The cases that cannot occur in any launch, because of constants, ranges of ids, and conditions of enclosing
    /// branches. They are not counted in summaries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impossible: Vec<LoopCase>,
}

/// A case of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LoopCase {
    /// [`Loop::zero`]
    Zero,
    /// [`Loop::once`]
    Once,
    /// [`Loop::many`]
    Many,
    /// [`Loop::boundary`]
    Boundary,
}

/// A workgroup barrier. The n-th visit of a barrier consists of the invocations of a workgroup that reach it for the
/// n-th time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Barrier {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The name of the enclosing function.
    pub function: String,
    /// The number of visits by all invocations of a workgroup.
    pub complete: u64,
    /// The number of visits by only some invocations of a workgroup.
    pub divergent: u64,
}

/// A covered part of a total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    /// The number of covered items.
    pub covered: u64,
    /// The total number of items.
    pub total: u64,
}

impl Part {
    /// Returns the percentage of covered items; `None` if the total is 0.
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

/// A summary of the coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The lines that were executed.
    pub lines: Part,
    /// The functions that were entered.
    pub functions: Part,
    /// The arms of branches that were taken.
    pub branches: Part,
    /// The loop cases that occurred: zero, one and more iterations, and the loop condition becoming false. Only cases
    /// that a loop can have are counted.
    pub loops: Part,
    /// The barriers that were reached, each time by all invocations.
    pub barriers: Part,
}

impl Summary {
    /// Returns the sum of two summaries.
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
    /// Returns the cases that the loop can have, with the count of each: 0, 1 and more iterations, and the boundary
    /// (the condition ended the loop).
    pub fn cases(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let cases = [
            ("0 iterations", LoopCase::Zero, self.zero),
            ("1 iteration", LoopCase::Once, Some(self.once)),
            ("more iterations", LoopCase::Many, Some(self.many)),
            ("boundary", LoopCase::Boundary, self.boundary),
        ];
        let possible = cases.into_iter().filter(|(_, case, _)| !self.impossible.contains(case));
        possible.filter_map(|(name, _, count)| Some((name, count?)))
    }
}

impl Barrier {
    /// Returns whether the barrier was reached, each time by all invocations.
    pub fn is_covered(&self) -> bool {
        self.complete > 0 && self.divergent == 0
    }
}

impl File {
    /// Returns the summary of the file.
    pub fn summary(&self) -> Summary {
        self.summary_where(|_| true)
    }

    /// Returns the summary of the code that a kernel may run.
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
            unobserved: Vec::new(),
            shards: Vec::new(),
            run_id: None,
            stopped: false,
            launched: Vec::new(),
            errors: Vec::new(),
        }
    }
}

impl Coverage {
    /// Removes the kernels from `unobserved` that were launched elsewhere.
    pub fn remove_launched(&mut self) {
        let Self { launched: seen, unobserved, .. } = self;
        unobserved.retain(|unseen| {
            let is_it = |name: &String| unseen.kernel.is_empty() || *name == unseen.kernel;
            !seen.iter().any(|seen| seen.file == unseen.file && is_it(&seen.kernel))
        });
    }

    /// Returns the names of files of which several texts ran.
    pub fn files_with_several_texts(&self) -> Vec<&str> {
        let pairs = self.files.windows(2).filter(|pair| pair[0].file == pair[1].file);
        let mut names: Vec<&str> = pairs.map(|pair| &pair[0].file[..]).collect();
        names.dedup();
        names
    }

    /// Reduces counts to 0 or 1: not executed or executed.
    pub fn reduce_to_hits(&mut self) {
        self.hits = true;
        self.files.iter_mut().for_each(File::reduce_to_hits);
    }
}
