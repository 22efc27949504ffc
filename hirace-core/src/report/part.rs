//! What the document of a shard has beside that of a run: what it takes to put shards together. See [`super::merge`].

use serde::{Deserialize, Serialize};

/// A launch in a shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    /// Which launch of the run it is, from 0.
    pub number: usize,
    /// Of one whose schedules are divided among shards. Of others one shard does all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divided: Option<Divided>,
}

/// What the sum over all schedules hangs on, of those that a shard ran: the plain order, which each runs, and its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Divided {
    /// Accesses that were checked in the plain order.
    pub accesses_checked: u64,
    /// Whether a run did not come to its end.
    pub cut_short: bool,
    /// Whether a run came to its end within its buffers.
    pub one_is_sound: bool,
    /// Whether memory was not watched that nobody asked to leave out.
    pub unwatched: bool,
    /// Whether a warning says that a part was not checked.
    pub unchecked: bool,
    /// The access sites that were not covered.
    pub missed: Vec<Missed>,
    /// For each of the launch's warnings, the first run that had it: 0 is the plain order, and others go by how much is
    /// added to the seed.
    pub warnings: Vec<u64>,
    /// For each of the launch's findings, which it is.
    pub findings: Vec<Shown>,
    /// The same for those that are allowed.
    pub allowed: Vec<Shown>,
}

/// An access site that was not covered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Missed {
    /// Its number in the program.
    pub site: u32,
    /// `file:line:column`.
    pub at: String,
}

/// Which finding is shown, and of which run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shown {
    /// The lines of its places.
    pub lines: Vec<u32>,
    /// The line and column of its first place.
    pub at: Option<[u32; 2]>,
    /// Whether it races between workgroups: no barrier fixes that.
    pub across_workgroups: bool,
    /// The run, as `warnings` has it.
    pub run: u64,
}
