//! The facts that a check of a launch produces.

use super::assumption::Assumption;
use super::contract::ContractOutcome;
use super::device::Device;
use super::finding::Finding;
use super::grid::Grid;
use super::host::HostDispatch;
use super::kind::Kind;
use super::launch_shard::LaunchShard;
use super::note::Note;
use super::place::Place;
use super::replay::{Flag, Replay};
use super::warning::Warning;
use crate::program::Language;
use crate::source_map::SourceMap;
use crate::watch::UnwatchedVariable;
use crate::webgpu::Requirement;
use serde::{Deserialize, Serialize};

/// The facts about a launch, or about all launches that were tried in place of one that was not fully given.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LaunchFacts {
    /// The source that all source locations refer to.
    pub source: SourceMap,
    /// The language of the source.
    #[doc(hidden)]
    pub language: Language,
    /// Whether the grid or contents were guessed. If so, the launch is clean only if every access site ran in at least
    /// two invocations.
    pub guessed: bool,
    /// The names of the entry points, in the order of their first dispatch.
    pub entries: Vec<String>,
    /// The device that the launch ran on.
    pub device: Device,
    /// The shape of the first dispatch.
    pub grid: Grid,
    /// What was not given, and the values that were chosen.
    pub assumptions: Vec<Assumption>,
    /// What is known about every launch of the entry point, if nothing of the launch was given.
    pub contract: Option<ContractOutcome>,
    /// The findings that are reported.
    pub findings: Vec<Finding>,
    /// The findings that are suppressed.
    pub suppressed: Vec<SuppressedFinding>,
    /// The findings that conditions of the contract exclude, until it is known which directives suppress them.
    #[doc(hidden)]
    pub excluded: Vec<Finding>,
    /// Statistics about what was covered.
    pub stats: Stats,
    /// Memory that invocations share and write, but that was not watched.
    pub unwatched: Vec<UnwatchedVariable>,
    /// Limitations of the check, and other warnings.
    pub warnings: Vec<Warning>,
    /// Notes about the kernel.
    pub notes: Vec<Note>,
    /// The features and limits that the entry points need and that WebGPU does not guarantee.
    pub exceeded_limits: Vec<Requirement>,
    /// The values to supply so that the launch need not be guessed; present if a guessed launch was inconclusive.
    pub wanted: Option<InputRequest>,
    /// The dispatch of the host program, if the launch comes from a running program.
    pub host: Option<HostDispatch>,
    /// What a shard knows of the launch in addition, if a shard ran it.
    #[doc(hidden)]
    pub part: Option<LaunchShard>,
}

impl LaunchFacts {
    /// Returns whether the launch terminated: it was neither stopped nor abandoned in a loop.
    pub fn has_terminated(&self) -> bool {
        let is_left = |warning: &Warning| matches!(warning, Warning::AbandonedInLoop { .. });
        let hangs = |finding: &Finding| finding.kind() == Kind::NoProgress;
        !self.stats.cut_short
            && !self.warnings.iter().any(is_left)
            && !self.findings.iter().any(hangs)
    }

    /// Returns the findings that are errors, and not only warnings.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_error())
    }

    /// Returns the finding that causes `finding`, if it is known, reported, and as severe and as certain.
    pub fn cause_of(&self, finding: &Finding) -> Option<&Finding> {
        let cause = finding.caused_by.as_ref()?;
        let may_cause =
            |other: &&Finding| other.caused_by.is_none() && other.rank() <= finding.rank();
        self.findings.iter().filter(may_cause).find(|other| cause.is(other))
    }

    /// Returns whether values of the program itself were guessed: of overrides, const parameters, or the workgroup size.
    pub fn has_inferred_program(&self) -> bool {
        self.assumptions.iter().any(|one| {
            matches!(
                one,
                Assumption::Override { .. }
                    | Assumption::ConstParameter { .. }
                    | Assumption::Host(_)
            )
        })
    }

    /// Returns the commands that reproduce findings, that show faults, and that notes mention.
    pub fn replays_mut(&mut self) -> impl Iterator<Item = &mut Replay> {
        let suppressed = self.suppressed.iter_mut().map(|suppressed| &mut suppressed.finding);
        let findings = self.findings.iter_mut().chain(suppressed);
        let of_findings = findings.filter_map(|finding| finding.replay.as_mut());
        let of_notes = self.notes.iter_mut().filter_map(Note::replay_mut);
        let of_contract = self.contract.iter_mut().flat_map(ContractOutcome::replays_mut);
        of_findings.chain(of_contract).chain(of_notes)
    }

    /// Returns whether guessed buffers were enlarged until no access was past their ends.
    pub fn has_grown_buffers(&self) -> bool {
        self.assumptions.iter().any(|one| matches!(one, Assumption::Buffer { grown: true, .. }))
    }
}

/// The value that is most worth supplying.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InputRequest {
    /// What to supply.
    pub what: RequestedInput,
    /// The flags that would supply the guessed values; the user is expected to edit them.
    pub flags: Vec<Flag>,
}

/// A part of a launch that the user can supply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestedInput {
    /// The grid.
    Grid,
    /// Overrides and const parameters.
    Overrides,
    /// A variable.
    Variable {
        /// The name of the variable.
        name: String,
        /// The type of the variable, in the syntax of the source language.
        of: String,
    },
}

/// A finding that a comment or a baseline suppresses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// What suppresses the finding.
    pub by: SuppressedBy,
    /// The reason that the comment states.
    pub reason: Option<String>,
}

/// The mechanism that suppresses a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SuppressedBy {
    /// A `// hirace: allow(…)` in the source.
    Comment,
    /// The baseline file.
    Baseline,
}

/// Statistics about what a launch covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The locations of the sites that fewer than two invocations executed, one per start position.
    pub sites_missed: Vec<Place>,
    /// The number of those sites that exactly one invocation executed.
    pub sites_executed_once: u32,
    /// The number of racy words.
    pub racy_words: u64,
    /// The number of racy words that could not be attributed to a finding.
    pub racy_words_unexplained: u64,
    /// Whether the run was stopped before it terminated.
    pub cut_short: bool,
    /// The largest number of steps that a dispatch took, over all subgroups; 0 on a device, which does not count them.
    pub steps: u64,
}
