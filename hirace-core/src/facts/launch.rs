//! Everything that a check of a launch gives.

use super::assumption::Assumption;
use super::device::Device;
use super::finding::Finding;
use super::grid::Grid;
use super::host::HostDispatch;
use super::kind::Kind;
use super::part::Part;
use super::place::Place;
use super::replay::Flag;
use super::warning::Warning;
use crate::program::Language;
use crate::source_map::SourceMap;
use crate::watch::Unwatched;
use crate::webgpu::Demand;
use serde::{Deserialize, Serialize};

/// What came of a launch, or of the several that were tried for what was not given.
#[derive(Clone, Debug)]
pub struct LaunchFacts {
    /// The source, which all places are in.
    pub source: SourceMap,
    /// What it is written in.
    pub language: Language,
    /// Whether the grid or contents were guessed: then the launch is clean only if every access
    /// site ran, in at least two invocations.
    pub guessed: bool,
    /// The entry points, in the order of their first dispatch.
    pub entries: Vec<String>,
    /// What it ran on.
    pub device: Device,
    /// The shape of the first dispatch.
    pub grid: Grid,
    /// What was not given and how it was chosen.
    pub assumptions: Vec<Assumption>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What was found and is allowed.
    pub allowed: Vec<Allowed>,
    /// What was covered.
    pub stats: Stats,
    /// Memory that invocations share and write, and that was not watched.
    pub unwatched: Vec<Unwatched>,
    /// What was given up, or is to be known.
    pub warnings: Vec<Warning>,
    /// What its entry points ask for that WebGPU does not guarantee.
    pub beyond: Vec<Demand>,
    /// What to give that a launch is not guessed, where nothing can be concluded from one that is.
    pub wanted: Option<Wanted>,
    /// Who dispatched it, if a program did that runs.
    pub host: Option<HostDispatch>,
    /// What a shard knows of it beside that, where a shard ran it.
    pub part: Option<Part>,
}

impl LaunchFacts {
    /// Whether it came to its end: it was not stopped, nor left in a loop.
    pub fn ended(&self) -> bool {
        let is_left = |warning: &Warning| matches!(warning, Warning::LeftInLoop { .. });
        let hangs = |finding: &Finding| finding.kind() == Kind::NoProgress;
        !self.stats.cut_short
            && !self.warnings.iter().any(is_left)
            && !self.findings.iter().any(hangs)
    }

    /// Whether guessed buffers grew until nothing reached past their ends.
    pub fn grew(&self) -> bool {
        self.assumptions.iter().any(|one| matches!(one, Assumption::Buffer { grown: true, .. }))
    }
}

/// What is most worth giving.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// What is to be given.
    pub what: What,
    /// The flags that would give what was guessed: to be changed.
    pub flags: Vec<Flag>,
}

/// What is to be given of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The grid.
    Grid,
    /// A variable, and its type.
    Variable {
        /// Its name.
        name: String,
        /// Its type, as the source's language has it.
        of: String,
    },
}

/// A finding that a comment or a baseline allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// The finding.
    pub finding: Finding,
    /// What allows it.
    pub by: AllowedBy,
    /// The reason given there.
    pub reason: Option<String>,
}

/// What allows a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AllowedBy {
    /// A `// hirace: allow(…)` in the source.
    Comment,
    /// The baseline file.
    Baseline,
}

/// What a launch covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Storage words, workgroup words and texels under watch.
    pub words_watched: u64,
    /// Accesses checked; 0 on a device, which does not count them.
    pub accesses_checked: u64,
    /// Access sites in the entry point and what it calls.
    pub sites: u32,
    /// Of those: executed by at least two invocations.
    pub sites_executed: u32,
    /// Those that were not, one of those that begin at one place.
    pub sites_missed: Vec<Place>,
    /// Of those that were not: by one invocation.
    pub sites_of_one: u32,
    /// Racy words found.
    pub racy_words: u64,
    /// Racy words of which it is not known which finding they belong to.
    pub racy_words_unexplained: u64,
    /// Whether the run was stopped from outside before it ended.
    pub cut_short: bool,
    /// The most steps that a dispatch took, over all subgroups; 0 on a device, which does not count them.
    pub steps: u64,
}
