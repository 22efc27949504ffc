//! What came of exploring programs: the facts that reports show. As JSON they are `hirace.verify/1`.

use hirace_core::source_map::SourceMap;
use serde::{Deserialize, Serialize};

/// What the JSON calls itself.
pub const SCHEMA: &str = "hirace.verify/1";

/// All programs of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.verify/1`.
    pub schema: String,
    /// The gravest of the programs' verdicts; inconclusive at best if there are errors.
    pub verdict: Verdict,
    /// The memory model: `wgsl`, `scoped-rc11` or `sc`.
    pub model: String,
    /// Executions of all programs in which all invocations came to their ends.
    pub executions: u64,
    /// Executions of all programs in which some wait for ever.
    pub blocked: u64,
    /// How long it took.
    pub seconds: f64,
    /// The most memory that the process had, in bytes, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Whether the run was stopped before it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What was explored, in the order of the inputs.
    pub programs: Vec<Program>,
    /// What could not be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Error>,
}

/// What is said of a program. The later is the graver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All executions of this grid were explored, and nothing was found.
    Verified,
    /// Nothing was found, as far as loops were followed.
    Bounded,
    /// Nothing was found, and not all was explored.
    #[default]
    Inconclusive,
    /// Something was found.
    Violation,
}

/// A program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Program {
    /// The file.
    pub file: String,
    /// The entry point, or the name of a litmus test.
    pub name: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// Workgroups in x, y and z; of a litmus test, what its columns say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workgroups: Option<[u32; 3]>,
    /// Invocations of all workgroups.
    pub invocations: usize,
    /// Executions in which all invocations came to their ends.
    pub executions: u64,
    /// Executions in which some wait for ever.
    pub blocked: u64,
    /// Beginnings of executions that came to nothing.
    pub abandoned: u64,
    /// How long it took.
    pub seconds: f64,
    /// What was not given, and what was taken for it.
    pub assumptions: Vec<String>,
    /// Accesses to shared memory that no execution comes to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_reached: Vec<Place>,
    /// What its source claims of final states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// The smallest change with which nothing is found, if one was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// The source.
    #[serde(skip)]
    pub source: Option<SourceMap>,
}

/// What a litmus test claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Claim {
    /// Of how many final states.
    pub quantifier: Quantifier,
    /// Whether it is so; none, if not all was explored and what was does not say it.
    pub holds: Option<bool>,
    /// In how many of the executions that were explored the condition holds.
    pub holding: u64,
    /// An execution that shows it: one in which the condition holds, or for `forall` one in which it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub execution: Vec<Event>,
}

/// Of how many final states something is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantifier {
    /// Of one at least.
    Exists,
    /// Of none.
    NotExists,
    /// Of all.
    Forall,
}

/// Something that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The accesses that race; where invocations wait, or do not come to a barrier; what does not hold.
    pub accesses: Vec<Place>,
    /// What is claimed of memory when all invocations are done, if that is what does not hold: the accesses are then the
    /// last writes of what it looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmet: Option<Unmet>,
    /// The execution that shows it, each event after what it reads from.
    pub execution: Vec<Event>,
    /// The command that runs an interleaving which does what the execution does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Whether the execution is that of a kernel, and none of its interleavings: it takes a weak memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
}

/// A claim of what memory holds when all invocations are done, that does not hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unmet {
    /// As it is written.
    pub claim: String,
    /// The line where it stands in the source, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What it looks at.
    pub memory: Vec<Held>,
}

/// What an element of memory holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Held {
    /// What the source calls it.
    pub memory: String,
    /// The number, as the type has it.
    pub value: String,
}

/// What may be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two accesses that conflict, of which one is plain, and neither comes before the other.
    DataRace,
    /// Two atomic accesses that conflict, of scopes that do not each include the other's invocation.
    HeterogeneousRace,
    /// Some wait at a barrier that others never come to.
    BarrierDivergence,
    /// What the source claims does not hold.
    Assertion,
    /// Invocations wait for what nobody does any more.
    NoTermination,
}

/// Where an invocation is in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The number of the invocation, over all workgroups.
    pub invocation: u32,
    /// The number of its workgroup.
    pub workgroup: u32,
    /// The line, from 1; 0 if that is nowhere in the source.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The line of its end.
    pub end_line: u32,
    /// The column behind its end.
    pub end_column: u32,
    /// What stands there.
    pub code: String,
}

/// An event of an execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event {
    /// Who, and where.
    pub place: Place,
    /// What it does.
    pub does: Does,
    /// What memory it touches, as the source calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Whether the access is atomic.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// What it read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<u64>,
    /// The index of the event that it reads from, in this list; none: from what was there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// What it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrote: Option<u64>,
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes at once.
    Update,
    /// It orders.
    Fence,
    /// It passes a barrier.
    Barrier,
    /// What it claims does not hold.
    Fails,
}

/// What came of the search for a change with which nothing is found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Repair {
    /// The edits, in the order of the text. None: none was found.
    pub edits: Vec<Edit>,
    /// The same as a unified diff.
    pub diff: String,
    /// Whether the text with the edits verifies: on this grid and under this model, and nothing is said of others.
    pub verified: bool,
    /// What is said of that text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// How many texts were explored.
    pub candidates: u64,
    /// How many of these were not explored to the end, so that they may verify.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undecided: u64,
    /// Whether the search was ended before all was tried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub limited: bool,
    /// What was tried.
    pub tried: Vec<Tally>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A stretch of a source, and what is to stand there.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Edit {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What stands there.
    pub remove: String,
    /// What is to stand there.
    pub insert: String,
}

/// How often a kind of change was part of a text that was explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tally {
    /// The kind.
    pub change: ChangeKind,
    /// How often.
    pub candidates: u64,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A barrier is put in.
    InsertBarrier,
    /// A barrier becomes one of another class.
    ReplaceBarrier,
    /// A barrier is taken away.
    RemoveBarrier,
    /// A barrier is put somewhere else.
    MoveBarrier,
    /// Plain accesses become atomic.
    MakeAtomic,
    /// An order becomes stronger, a scope wider, or more memory is ordered.
    Strengthen,
}

/// Why something was not explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Error {
    /// The input, if it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Why.
    pub message: String,
    /// What would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
