//! The document that a check gives: what every reporter renders, and what `hirace.check/1` is.
//!
//! It is facts in words, as [`super::compose`] puts them together. These serde types are the one definition of the
//! JSON; its schema is made from them.

use super::part::Part;
use super::words::Label;
use crate::facts::{AllowedBy, Certainty, Kind, Picture, Verdict};
use crate::source_map::SourceMap;
use serde::{Deserialize, Serialize};

/// The whole report of a `check`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// `hirace.check/1`.
    pub schema: String,
    /// Who made it.
    pub tool: Tool,
    /// The verdict over all launches.
    pub verdict: Verdict,
    /// Whether the run was stopped from outside before it was done.
    pub stopped: bool,
    /// What was to be checked and was not, or not all of it. Then the verdict is not `clean`.
    pub not_checked: Vec<NotChecked>,
    /// What was wrong: with inputs, with what was asked for, or with the device. Each has its message in `not_checked`
    /// too.
    pub errors: Vec<Error>,
    /// One entry a launch checked.
    pub launches: Vec<LaunchReport>,
    /// The shards that this is of, `2/3`; none, if it is of a whole run. What follows is of shards too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<String>,
    /// A hash of sources and flags, by which shards of one run are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// The program that made a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tool {
    /// `hirace`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An input that was not checked, or not all of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotChecked {
    /// The input, as given; `null`: what is wrong concerns no single one.
    pub input: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
    /// Whether that is since the run was stopped.
    pub stopped: bool,
}

/// Something that could not be done, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Error {
    /// The input, as given; `null`: it concerns no single one.
    pub input: Option<String>,
    /// What is at fault.
    pub cause: Cause,
    /// What is wrong, in one line, without the place.
    pub message: String,
    /// Where that is, the place to look at first in front; none, if it is in no text.
    pub places: Vec<ErrorPlace>,
    /// Further facts, a line each.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Error {
    /// What it says, for formats that have one text for all of it: a line each.
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

/// What is at fault where something could not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The input, or what was asked for: exit status 2.
    Input,
    /// The device: exit status 3.
    Device,
}

/// A place in an input, of what is no finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorPlace {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// From 1.
    pub end_line: u32,
    /// From 1, one past the end.
    pub end_column: u32,
    /// The source text.
    pub snippet: String,
    /// What to say at the place; may be empty.
    pub label: String,
}

/// What was found in one launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LaunchReport {
    /// The source file, as given.
    pub source: String,
    /// Its text, for reporters that show it.
    #[serde(skip)]
    pub source_map: SourceMap,
    /// Whether buffers grew until nothing was out of bounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grew: bool,
    /// The verdict on this launch.
    pub verdict: Verdict,
    /// Whether the grid or contents were guessed: then the launch is clean only if every access
    /// site ran, in at least two invocations.
    pub guessed: bool,
    /// The entry point (of several dispatches: joined with `,`).
    pub entry: String,
    /// What it ran on.
    pub device: Device,
    /// Grid, in workgroups (of several dispatches: the first).
    pub workgroups: [u32; 3],
    /// Workgroup size.
    pub workgroup_size: [u32; 3],
    /// What was not given and how it was chosen.
    pub inferred: Vec<String>,
    /// Why nothing could be concluded, if so, and what to give.
    pub inconclusive: Vec<String>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What was found and is allowed.
    pub allowed: Vec<Allowed>,
    /// What was covered.
    pub stats: Stats,
    /// Memory that invocations share and write, and that was not watched.
    pub unwatched: Vec<Unwatched>,
    /// What was given up, or is to be known.
    pub warnings: Vec<String>,
    /// What the kernel asks for that WebGPU does not guarantee. Not there where it asks for no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond_webgpu: Vec<Beyond>,
    /// Who dispatched it, if a program did that runs. Not there where it was launched to be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// What it takes to put shards together, in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// A dispatch of an application's.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Host {
    /// The label of the pipeline.
    pub pipeline: Option<String>,
    /// The label of the pass.
    pub pass: Option<String>,
    /// The number of the dispatch in what the application ran on the device, from 1.
    pub number: u64,
    /// All that in words.
    pub message: String,
}

/// Something that a kernel asks for and WebGPU does not guarantee.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Beyond {
    /// The limit, as WebGPU calls it.
    pub limit: String,
    /// What every device has.
    pub guaranteed: u64,
    /// What the kernel takes.
    pub asked: u64,
    /// All that in words.
    pub message: String,
    /// Where it does: at a variable, or the entry point.
    pub place: Option<ErrorPlace>,
}

/// What a launch ran on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Device {
    /// `embedded`, or the name that its driver gives it.
    pub name: String,
    /// What kind of device it is, if it is one: `discrete GPU`, `CPU`.
    pub kind: Option<String>,
    /// What it is driven through: `Vulkan`, `Metal`, `Direct3D 12`.
    pub backend: Option<String>,
    /// Its driver, with the version.
    pub driver: Option<String>,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// How the words of the monitor's shadow memory were laid out there; several ways, if launches of
    /// different sizes were tried.
    pub shadow: Vec<String>,
}

/// A variable that was not watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unwatched {
    /// Its name.
    pub variable: String,
    /// Why not, as the end of a sentence that starts with the name.
    pub reason: String,
}

/// A finding that a comment or a baseline allows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Allowed {
    /// The finding.
    pub finding: Finding,
    /// What allows it.
    pub by: AllowedBy,
    /// The reason given there.
    pub reason: Option<String>,
}

/// What a launch covered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    /// Storage words, workgroup words and texels under watch.
    pub words_watched: u64,
    /// Accesses checked; 0 on a device, which does not count them.
    pub accesses_checked: u64,
    /// Access sites in the entry point and what it calls.
    pub sites: u32,
    /// Of those: executed by at least two invocations.
    pub sites_executed: u32,
    /// Those that were not: `file:line:column`.
    pub sites_missed: Vec<String>,
    /// Findings allowed by a comment or a baseline.
    pub allowed: u32,
    /// Racy words found.
    pub racy_words: u64,
    /// Racy words of which it is not known which finding they belong to.
    pub racy_words_unexplained: u64,
    /// Whether the launch did not run to its end: it was stopped from outside, its time was up, or it took too many steps.
    pub cut_short: bool,
}

/// One bug.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// `HR001` …
    pub rule: String,
    /// What is wrong, in one line: ``data race on `tile[16]` (workgroup memory)``.
    pub message: String,
    /// Survives moved lines: made of the rule, the variable and the text of the sites.
    pub fingerprint: String,
    /// Whether it hangs on a guess.
    pub certainty: Certainty,
    /// What kind of bug.
    pub kind: Kind,
    /// For races: `read-write`, `write-write`, `atomic-plain`.
    pub hazard: Option<String>,
    /// The memory, if any is concerned.
    pub memory: Option<Memory>,
    /// How many words (races), barrier visits (divergence) or accesses (out-of-bounds).
    pub count: u64,
    /// The accesses or places, the one to look at first.
    pub accesses: Vec<Place>,
    /// Why it is a bug: «both in epoch 1 …: nothing orders them».
    pub reason: String,
    /// For races: what can come of it. Not there where nothing is known of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<LeadsTo>,
    /// For races: who touched some of the racy words, and when. Only where that is little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Words>,
    /// The same as a fact, whole, for reporters that draw it.
    #[serde(skip)]
    pub picture: Option<Picture>,
    /// Those of the notes that say what was guessed of what the finding hangs on.
    #[serde(skip)]
    pub hangs_on: Vec<String>,
    /// More facts, a line each (how many more words, what the certainty hangs on).
    pub notes: Vec<String>,
    /// What would fix it.
    pub help: Option<String>,
    /// The command that shows it again; `None` where no command can, since a test gave the buffers.
    pub replay: Option<String>,
}

impl Finding {
    /// What can come of it, in words.
    pub(super) fn leads(&self) -> impl Iterator<Item = &String> {
        self.leads_to.iter().flat_map(|known| &known.said)
    }
}

/// What can come of a race.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeadsTo {
    /// `same-value`: all that race write the same. `lost-update`: both read the word and write what depends on that.
    /// `stale-read`: a plain read sees the value from before a write or from after it. `null`: not known.
    pub outcome: Option<String>,
    /// Whether the outcome is what was seen in this launch, and others may show another.
    pub in_this_launch: bool,
    /// What a value that the race decides can decide in turn: the worst that can come of it.
    pub reaches: Vec<Reach>,
    /// All that in words, the worst first.
    pub said: Vec<String>,
}

/// Who touched some of the words of a race, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Words {
    /// The words, in order.
    pub words: Vec<Word>,
    /// What was done to them.
    pub touches: Vec<Touch>,
    /// How many words are left out.
    pub more_words: u64,
    /// How many accesses to the words above are left out.
    pub more_accesses: u64,
    /// How many epochs in which there were some are left out.
    pub more_epochs: u64,
}

/// A racy word.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Word {
    /// As the source would write it: `tile[16]`.
    pub element: String,
    /// For workgroup memory: whose instance, by linear index.
    pub workgroup: Option<u32>,
    /// The dispatch of the launch, from 0.
    pub dispatch: usize,
}

/// What invocations of one workgroup did to a racy word at one place between two barriers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Touch {
    /// The word, by its place in the list of these.
    pub word: usize,
    /// How many barriers that order this memory the workgroup had passed.
    pub epoch: u32,
    /// The workgroup, by linear index.
    pub workgroup: u32,
    /// The first of them by local invocation index, as runs from a first to a last.
    pub invocations: Vec<[u32; 2]>,
    /// How many more invocations.
    pub more: u64,
    /// `read`, `write` or `atomic`.
    pub kind: String,
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Whether each of these races with another access to the word.
    pub races: bool,
}

/// What a value that a race decides can decide.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reach {
    /// `index` or `loop-bound`.
    pub kind: String,
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// From 1.
    pub end_line: u32,
    /// From 1, one past the end.
    pub end_column: u32,
    /// The source text.
    pub snippet: String,
}

/// The memory of a finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Memory {
    /// `storage`, `workgroup`, `texture`, `function` or `private`.
    pub space: String,
    /// The variable.
    pub variable: String,
    /// Index of the word (4 bytes), or of the element for out-of-bounds.
    pub index: i64,
    /// The element in WGSL's terms: `tile[16]`, `particles[3].pos.x`.
    pub element: String,
}

/// A place in the source, and who was there.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// `read`, `write`, `atomic`, `barrier`, `return`, `loop` …
    pub kind: String,
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// From 1.
    pub end_line: u32,
    /// From 1, one past the end.
    pub end_column: u32,
    /// The source text.
    pub snippet: String,
    /// What to say at the place: `written by invocation 16 of workgroup 0`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub label: Label,
    /// Workgroup id, if it is known who was there.
    pub workgroup: Option<[u32; 3]>,
    /// Local invocation id, likewise.
    pub invocation: Option<[u32; 3]>,
}
