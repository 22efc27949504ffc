//! The document of a check: the content that every reporter renders, and the schema `hirace.check/2`.
//!
//! The document contains facts in words, as composed by [`super::compose`]. These serde types are the only definition
//! of the JSON format; the JSON schema is generated from them.

pub use super::label::Label;
use super::launch_shard::LaunchShard;
use crate::facts::{Certainty, Kind, NoteKind, Picture, Severity, SuppressedBy, Verdict};
use crate::source_map::SourceMap;
use serde::{Deserialize, Serialize};

/// The complete report of a `check`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// `hirace.check/2`.
    pub schema: String,
    /// The program that made the report.
    pub tool: Tool,
    /// The verdict over all launches.
    pub verdict: Verdict,
    /// Whether the run was stopped from outside before it finished.
    pub stopped: bool,
    /// The inputs that were not checked, or not completely. If there are any, the verdict is `findings` or `inconclusive`.
    pub not_checked: Vec<NotChecked>,
    /// The errors in inputs, in the request, or of the device. The message of each is in `not_checked` too.
    pub errors: Vec<Error>,
    /// The launches that were checked.
    pub launches: Vec<LaunchReport>,
    /// The shards that the report covers, such as `2/3`; empty for a whole run. The remaining fields also apply only to
    /// shards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// A hash of the sources and flags, which identifies the shards of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// The program that made a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Tool {
    /// `hirace`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An input that was not checked, or not completely.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NotChecked {
    /// The input, as given; `null` if the problem does not concern a single input.
    pub input: Option<String>,
    /// The reason, in a sentence.
    pub reason: String,
    /// Whether the input was not checked because the run was stopped.
    pub stopped: bool,
}

/// An error that prevented a part of the check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Error {
    /// The input, as given; `null` if the error does not concern a single input.
    pub input: Option<String>,
    /// What is at fault.
    pub cause: Cause,
    /// The error message, in one line, without the source location.
    pub message: String,
    /// The source locations, the most important one first; empty if the error is not in a source text.
    pub places: Vec<ErrorPlace>,
    /// Further facts, one per line.
    pub notes: Vec<String>,
    /// A way to resolve the error.
    pub help: Option<String>,
}

impl Error {
    /// Returns the whole error as lines of text, for formats with a single text field.
    pub(super) fn lines(&self) -> Vec<String> {
        let labels = self.places.iter().filter(|place| !place.label.is_empty());
        let labels =
            labels.map(|place| format!("{}:{}: {}", place.line, place.column, place.label));
        let help = self.help.iter().map(|help| format!("help: {help}"));
        std::iter::once(self.message.clone())
            .chain(labels)
            .chain(self.notes.iter().cloned())
            .chain(help)
            .collect()
    }
}

/// What is at fault when something cannot be done. There are only these two cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The input or the request: exit status 2.
    Input,
    /// The device: exit status 3.
    Device,
}

/// A source location of an error or note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ErrorPlace {
    /// The file.
    pub file: String,
    /// The start line, from 1.
    pub line: u32,
    /// The start column, from 1, in characters.
    pub column: u32,
    /// The end line, from 1.
    pub end_line: u32,
    /// The end column, from 1, one past the end.
    pub end_column: u32,
    /// The source text of the span.
    pub snippet: String,
    /// The label of the location; may be empty.
    pub label: String,
}

/// The results of one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LaunchReport {
    /// The source file, as given.
    pub source: String,
    /// The source text, for reporters that show it.
    #[serde(skip)]
    pub source_map: SourceMap,
    /// Whether guessed buffers were enlarged until no access was out of bounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub buffers_enlarged: bool,
    /// The verdict on this launch.
    pub verdict: Verdict,
    /// Whether the grid or contents were guessed. If so, the verdict is `no-findings` only if every access site ran in at
    /// least two invocations.
    pub guessed: bool,
    /// The entry point; those of several dispatches are joined with `,`.
    pub entry: String,
    /// The device that the launch ran on.
    pub device: Device,
    /// The grid of the first dispatch, in workgroups.
    pub workgroups: [u32; 3],
    /// The workgroup size of the first dispatch.
    pub workgroup_size: [u32; 3],
    /// What was not given, and the values that were chosen.
    pub inferred: Vec<String>,
    /// What is known about every launch of the entry point. Absent if something of the launch was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
    /// The reasons why the verdict is `inconclusive`, and what to supply; otherwise empty.
    pub inconclusive: Vec<String>,
    /// The findings that are reported.
    pub findings: Vec<Finding>,
    /// The findings that are suppressed.
    pub allowed: Vec<SuppressedFinding>,
    /// Statistics about what was covered.
    pub stats: Stats,
    /// Memory that invocations share and write, but that was not watched.
    pub unwatched: Vec<Unwatched>,
    /// Limitations of the check, and other warnings.
    pub warnings: Vec<String>,
    /// Notes about the kernel, which change neither the verdict nor the exit status. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The features and limits that the kernel needs and that WebGPU does not guarantee. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond_webgpu: Vec<ExceededLimit>,
    /// The dispatch of the host program, if the launch comes from a running program. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// The data that is needed to merge shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub part: Option<LaunchShard>,
}

/// A note about a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Note {
    /// The kind of the note.
    pub kind: NoteKind,
    /// The note, in words.
    pub message: String,
    /// The source location that the note is about.
    pub place: ErrorPlace,
}

/// What is known about every launch of an entry point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Contract {
    /// Whether every launch that meets all conditions was proved to be safe.
    pub is_proved: bool,
    /// The conditions under which every launch is safe.
    pub conditions: Vec<Condition>,
    /// The first fault that no condition was found to exclude; `null` if it was proved that there is none, or the kernel
    /// is too complex for the analysis.
    pub open: Option<Violation>,
}

/// A condition of a contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Condition {
    /// The condition: `arrayLength(&out) >= 64 * dispatch.x`. Numbers do not wrap.
    pub condition: String,
    /// What may happen in a launch that does not meet the condition.
    pub otherwise: Violation,
}

impl Condition {
    /// Returns the condition, the fault that it excludes and the command that shows it, as lines of text.
    pub(super) fn lines(&self) -> Vec<String> {
        let shown_by = self.otherwise.shown_by.iter();
        [format!("requires: {}", self.condition), format!("otherwise {}", self.otherwise.text())]
            .into_iter()
            .chain(shown_by.map(|command| format!("shown by: {command}")))
            .collect()
    }
}

/// A fault that some launches may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Violation {
    /// The rule code: `HR001` and so on.
    pub rule: String,
    /// The fault, in words.
    pub message: String,
    /// The accesses; empty if the fault is at a barrier, or at an index into memory that is not shared.
    pub places: Vec<ErrorPlace>,
    /// The command that runs a launch which has the fault; `null` if no such launch was found.
    pub shown_by: Option<String>,
}

impl Violation {
    /// Returns the fault with its rule.
    pub(crate) fn text(&self) -> String {
        format!("{} ({})", self.message, self.rule)
    }
}

/// A dispatch of an application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Host {
    /// The label of the pipeline.
    pub pipeline: Option<String>,
    /// The label of the pass.
    pub pass: Option<String>,
    /// The number of the dispatch among those that the application ran on the device, from 1.
    pub number: u64,
    /// The same in words.
    pub message: String,
}

/// A limit that a kernel exceeds, compared with what WebGPU guarantees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExceededLimit {
    /// The name of the limit in WebGPU.
    pub limit: String,
    /// The value that every device supports.
    pub guaranteed: u64,
    /// The value that the kernel needs.
    pub required: u64,
    /// The same in words.
    pub message: String,
    /// The source location of the cause: a variable, or the entry point.
    pub place: Option<ErrorPlace>,
}

/// The device that a launch ran on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Device {
    /// The name: `embedded`, or the name that the driver reports.
    pub name: String,
    /// The kind of device, if it is a device: `discrete GPU`, `CPU`.
    pub kind: Option<String>,
    /// The API through which the device is driven: `Vulkan`, `Metal`, `Direct3D 12`.
    pub backend: Option<String>,
    /// The driver and its version.
    pub driver: Option<String>,
    /// The number of lanes of a subgroup.
    pub subgroup_size: u32,
    /// The layouts of the monitor's shadow memory; more than one if launches of different sizes were tried.
    pub shadow: Vec<String>,
}

/// A variable that was not watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Unwatched {
    /// The name of the variable.
    pub variable: String,
    /// The reason, as the end of a sentence that starts with the name.
    pub reason: String,
}

/// A finding that a comment or a baseline suppresses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// What suppresses the finding.
    pub by: SuppressedBy,
    /// The reason that the comment states.
    pub reason: Option<String>,
}

/// Statistics about what a launch covered.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Stats {
    /// The number of storage words, workgroup words and texels that were watched.
    pub words_watched: u64,
    /// The number of accesses that were checked; 0 on a device, which does not count them.
    pub accesses_checked: u64,
    /// The number of access sites in the entry point and the functions it calls.
    pub sites: u32,
    /// The number of those sites that at least two invocations executed.
    pub sites_executed: u32,
    /// The locations of the sites that fewer than two invocations executed: `file:line:column`.
    pub sites_missed: Vec<String>,
    /// The number of findings that a comment or a baseline suppresses.
    pub allowed: u32,
    /// The number of racy words.
    pub racy_words: u64,
    /// The number of racy words that could not be attributed to a finding.
    pub racy_words_unexplained: u64,
    /// Whether the launch was cut short: it was stopped from outside, its time ran out, or it took too many steps.
    pub cut_short: bool,
}

/// A bug found by a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// The rule code: `HR001` and so on.
    pub rule: String,
    /// The message, in one line: ``data race on `tile[16]` (workgroup memory)``.
    pub message: String,
    /// An identifier that stays the same when lines move; computed from the rule, the variable and the text of the
    /// sites.
    pub fingerprint: String,
    /// The severity by the consequence. A `warning` changes nothing that the kernel does, and does not count for the verdict.
    pub severity: Severity,
    /// Whether the finding depends on a guess.
    pub certainty: Certainty,
    /// The kind of the bug.
    pub kind: Kind,
    /// For races, the kind of conflict: `read-write`, `write-write`, `atomic-plain`.
    pub hazard: Option<String>,
    /// The memory that the finding is about, if there is one.
    pub memory: Option<Memory>,
    /// The number of words (races), barrier visits (divergence) or accesses (out of bounds).
    pub count: u64,
    /// The accesses, or other source locations; the most important one first.
    pub accesses: Vec<Place>,
    /// The reason why this is a bug: "both in epoch 1 …: nothing orders them".
    pub reason: String,
    /// The fingerprint of the finding of the same launch that causes this one. Absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caused_by: Option<String>,
    /// The findings of the same launch that this one causes. They are among the findings of the launch, too. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<CausedFinding>,
    /// For races, the known consequences. Absent if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<RaceConsequences>,
    /// For races, the accesses to some of the racy words. Present only if there are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<WordAccesses>,
    /// The same as a complete fact, for reporters that draw a diagram.
    #[serde(skip)]
    pub picture: Option<Picture>,
    /// The notes that state the guesses on which the finding depends.
    #[serde(skip)]
    #[doc(hidden)]
    pub guesses: Vec<String>,
    /// Further facts, one per line, such as the number of further words and the guesses on which the finding depends.
    pub notes: Vec<String>,
    /// A way to fix the bug.
    pub help: Option<String>,
    /// The edits that follow `help`, if they were tried: with them, the launch was run again without the finding and without a new one.
    /// Absent if the finding depends on a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// The command that reproduces the finding; `None` if a test gave the buffers, because no command can do that.
    pub replay: Option<String>,
}

impl Finding {
    /// Returns the findings that this one causes, in words.
    pub(super) fn caused(&self) -> impl Iterator<Item = String> {
        self.causes.iter().map(|caused| format!("causes: {}", caused.message))
    }

    /// Returns whether reporters show the finding as an error: it is certain, and not only a warning.
    pub(super) fn is_certain_error(&self) -> bool {
        (self.severity, self.certainty) == (Severity::Error, Certainty::Certain)
    }

    /// Returns the consequences in words.
    pub(super) fn consequences(&self) -> impl Iterator<Item = &String> {
        self.leads_to.iter().flat_map(|known| &known.messages)
    }
}

/// A change of the source that fixes a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Fix {
    /// The edits, in the order of the text. They must be applied together.
    pub edits: Vec<Edit>,
}

/// The replacement of a range of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Edit {
    /// The file.
    pub file: String,
    /// Line of the begin of the range, from 1.
    pub line: u32,
    /// Column of the begin of the range, from 1, in Unicode scalar values.
    pub column: u32,
    /// Line of the end of the range.
    pub end_line: u32,
    /// Column after the end of the range. An empty range is the position of an insertion.
    pub end_column: u32,
    /// The text that is removed.
    pub remove: String,
    /// The text that is inserted.
    pub insert: String,
}

/// A finding that another one causes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CausedFinding {
    /// The rule code: `HR001` and so on.
    pub rule: String,
    /// The fingerprint.
    pub fingerprint: String,
    /// `clamping`: an index out of bounds is clamped to the last element, where accesses collide. `same-change`: the suggested change,
    /// which was tried, removes this finding, too.
    pub link: String,
    /// The same in words.
    pub message: String,
}

/// The known consequences of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RaceConsequences {
    /// `same-value`: all racing writes store the same value. `lost-update`: both invocations read the word and write a
    /// value that depends on it. `stale-read`: a plain read sees the value from before or after a write. `null`: not
    /// known.
    pub outcome: Option<String>,
    /// Whether the outcome was only observed in this launch, so that other launches may show another.
    pub in_this_launch: bool,
    /// The locations at which a value determined by the race becomes dangerous.
    pub uses: Vec<DangerousUse>,
    /// The same in words, the most dangerous consequence first.
    pub messages: Vec<String>,
}

/// The accesses to some of the words of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WordAccesses {
    /// The words, in order.
    pub words: Vec<Word>,
    /// The accesses to the words.
    pub accesses: Vec<WordAccess>,
    /// The number of omitted words.
    pub more_words: u64,
    /// The number of omitted accesses to the words above.
    pub more_accesses: u64,
    /// The number of omitted epochs with accesses to the words above.
    pub more_epochs: u64,
}

/// A racy word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Word {
    /// The element in the syntax of the source: `tile[16]`.
    pub element: String,
    /// For workgroup memory: the linear index of the workgroup that owns the instance.
    pub workgroup: Option<u32>,
    /// The index of the dispatch in the launch, from 0.
    pub dispatch: usize,
}

/// The accesses of invocations of one workgroup to a racy word at one source location between two barriers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WordAccess {
    /// The index of the word in `words`.
    pub word: usize,
    /// The number of barriers that order this memory and that the workgroup had passed.
    pub epoch: u32,
    /// The linear index of the workgroup.
    pub workgroup: u32,
    /// The local invocation indices of the first invocations, as ranges with inclusive bounds.
    pub invocations: Vec<[u32; 2]>,
    /// The number of further invocations.
    pub more: u64,
    /// `read`, `write` or `atomic`.
    pub kind: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// Whether each of these accesses races with another access to the word.
    pub races: bool,
}

/// A location at which a value determined by a race becomes dangerous.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DangerousUse {
    /// `index` or `loop-bound`.
    pub kind: String,
    /// The file.
    pub file: String,
    /// The start line, from 1.
    pub line: u32,
    /// The start column, from 1, in characters.
    pub column: u32,
    /// The end line, from 1.
    pub end_line: u32,
    /// The end column, from 1, one past the end.
    pub end_column: u32,
    /// The source text of the span.
    pub snippet: String,
}

/// The memory of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Memory {
    /// `storage`, `workgroup`, `texture`, `function` or `private`.
    pub space: String,
    /// The name of the variable.
    pub variable: String,
    /// The index of the word (4 bytes each), or of the element for an access out of bounds.
    pub index: i64,
    /// The element in WGSL syntax: `tile[16]`, `particles[3].pos.x`.
    pub element: String,
}

/// A source location of a finding, with the invocation that was there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Place {
    /// `read`, `write`, `atomic`, `barrier`, `return`, `loop` …
    pub kind: String,
    /// The file.
    pub file: String,
    /// The start line, from 1.
    pub line: u32,
    /// The start column, from 1, in characters.
    pub column: u32,
    /// The end line, from 1.
    pub end_line: u32,
    /// The end column, from 1, one past the end.
    pub end_column: u32,
    /// The source text of the span.
    pub snippet: String,
    /// The label of the location: `written by invocation 16 of workgroup 0`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub label: Label,
    /// The workgroup id of the invocation, if it is known.
    pub workgroup: Option<[u32; 3]>,
    /// The local invocation id of the invocation, if it is known.
    pub invocation: Option<[u32; 3]>,
}
