//! The results of exploring programs, which reports show. Their JSON form is `hirace.verify/1`.

use hirace_core::event::InputError;
use hirace_core::source_map::SourceMap;
use serde::{Deserialize, Serialize};

/// The name of the JSON schema.
pub const SCHEMA: &str = "hirace.verify/1";

/// The results of all programs of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.verify/1`.
    pub schema: String,
    /// The most severe of the programs' verdicts; at best inconclusive if there are errors.
    pub verdict: Verdict,
    /// The memory model: `wgsl`, `scoped-rc11` or `sc`.
    pub model: String,
    /// The number of executions of all programs in which all invocations ended.
    pub executions: u64,
    /// The number of executions of all programs in which some invocations wait forever.
    pub blocked: u64,
    /// Whether the run was stopped before it was complete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The explored programs, in the order of the inputs.
    pub programs: Vec<Program>,
    /// The inputs that could not be explored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::errors"))]
    pub errors: Vec<InputError>,
    /// What differs between runs of the same command. Absent with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// The time and the memory that a run took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timing {
    /// The duration of the run in seconds.
    pub seconds: f64,
    /// The peak memory use of the process in bytes, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The duration of the exploration of each program in seconds, in the order of the programs.
    pub programs: Vec<f64>,
}

/// The verdict on a program, in increasing order of severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All executions of this grid were explored, and there are no findings.
    Verified,
    /// There are no findings up to the bound on loop iterations.
    Bounded,
    /// There are no findings, but not all executions were explored.
    #[default]
    Inconclusive,
    /// There is a finding.
    Violation,
}

/// The results of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Program {
    /// The file.
    pub file: String,
    /// The entry point, or the name of a litmus test.
    pub name: String,
    /// The verdict on the program.
    pub verdict: Verdict,
    /// The number of workgroups in x, y and z. Absent for a litmus test, whose columns define the grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workgroups: Option<[u32; 3]>,
    /// The number of invocations of all workgroups.
    pub invocations: usize,
    /// The number of executions in which all invocations ended.
    pub executions: u64,
    /// The number of executions in which some invocations wait forever.
    pub blocked: u64,
    /// The number of prefixes of executions that could not be completed.
    pub abandoned: u64,
    /// The duration of the exploration in seconds.
    #[serde(skip)]
    pub seconds: f64,
    /// The inputs that were not given, with the values that were assumed.
    pub assumptions: Vec<String>,
    /// Accesses to shared memory that no execution reaches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_reached: Vec<Place>,
    /// The condition of a litmus test on final states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The smallest change that removes all findings, if a repair was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// The source text.
    #[serde(skip)]
    pub source: Option<SourceMap>,
}

/// The condition of a litmus test, with its outcome.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Claim {
    /// The quantifier over final states.
    pub quantifier: Quantifier,
    /// Whether the condition holds; absent if the exploration was not exhaustive and does not decide it.
    pub holds: Option<bool>,
    /// The number of explored executions in which the condition is satisfied.
    pub holding: u64,
    /// An execution that shows the outcome: one that satisfies the condition or, for `forall`, one that does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub execution: Vec<Event>,
}

/// The quantifier of a condition on final states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantifier {
    /// At least one final state satisfies the condition.
    Exists,
    /// No final state satisfies it.
    NotExists,
    /// All final states satisfy it.
    Forall,
}

/// A finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// The kind of the finding.
    pub kind: Kind,
    /// The accesses that race, the operations at which invocations wait or miss a barrier, or the assertion that fails.
    pub accesses: Vec<Place>,
    /// The postcondition that does not hold, if the finding is one. The accesses are then the last writes to the memory
    /// that it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmet: Option<FailedPostcondition>,
    /// The execution that shows the finding. Each event comes after the write that it reads from.
    pub execution: Vec<Event>,
    /// The command that runs an interleaving with the same behavior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Whether the execution requires weak memory: it belongs to a kernel, and no interleaving has the same behavior.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
}

/// A postcondition on memory that does not hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailedPostcondition {
    /// The text of the condition.
    pub claim: String,
    /// The line of the condition, if it is in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The memory that it reads.
    pub memory: Vec<MemoryValue>,
}

/// The final value of a memory element.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemoryValue {
    /// The name of the element in the source.
    pub memory: String,
    /// The value, formatted by its type.
    pub value: String,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two conflicting accesses, at least one of them plain, that happens-before does not order.
    DataRace,
    /// Two conflicting atomic accesses whose scopes do not both include the other invocation.
    HeterogeneousRace,
    /// Some invocations wait at a barrier that others never reach.
    BarrierDivergence,
    /// An assertion of the source does not hold.
    Assertion,
    /// Invocations wait for writes that never happen.
    NoTermination,
}

/// An operation of an invocation, as a location in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The index of the invocation, over all workgroups.
    pub invocation: u32,
    /// The index of its workgroup.
    pub workgroup: u32,
    /// The line, from 1; 0 if the operation has no location in the source.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column after the end.
    pub end_column: u32,
    /// The source text at this location.
    pub code: String,
}

/// An event of an execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Event {
    /// The invocation and the source location.
    pub place: Place,
    /// The kind of operation.
    pub kind: EventKind,
    /// The accessed memory, by its name in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Whether the access is atomic.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// The value that it read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<u64>,
    /// The index in this list of the event that it reads from; absent if it reads the initial value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The value that it wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrote: Option<u64>,
}

/// The kind of operation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic read-modify-write.
    Update,
    /// A fence.
    Fence,
    /// A barrier.
    Barrier,
    /// A failed assertion.
    Fails,
}

/// The result of the search for a change that removes all findings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Repair {
    /// The edits, in the order of the text; empty if no repair was found.
    pub edits: Vec<Edit>,
    /// The edits as a unified diff.
    pub diff: String,
    /// Whether the text with the edits verifies, on this grid and under this model only.
    pub verified: bool,
    /// The verdict on that text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The number of explored candidates.
    pub candidates: u64,
    /// The number of candidates that were not fully explored and may therefore verify.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undecided: u64,
    /// Whether the search ended before all candidates were tried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub limited: bool,
    /// The kinds of changes that were tried.
    pub tried: Vec<Tally>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A replacement of a part of a source text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Edit {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The text to remove.
    pub remove: String,
    /// The text to insert.
    pub insert: String,
}

/// The number of explored candidates that include one kind of change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tally {
    /// The kind of change.
    pub change: ChangeKind,
    /// The number of candidates.
    pub candidates: u64,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Insert a barrier.
    InsertBarrier,
    /// Replace a barrier by one that orders another storage class.
    ReplaceBarrier,
    /// Remove a barrier.
    RemoveBarrier,
    /// Move a barrier.
    MoveBarrier,
    /// Make plain accesses atomic.
    MakeAtomic,
    /// Strengthen an order, widen a scope, or order more storage classes.
    Strengthen,
}
