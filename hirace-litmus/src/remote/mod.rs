//! Campaigns that many work on, by a service that hands out their pieces: what is said between the two, and the work itself.
//!
//! Each device runs all of a campaign; whoever has such a device takes pieces of it by lease, and what is not done when a lease
//! is over is handed out anew.

#[cfg(feature = "client")]
mod client;
mod work;

#[cfg(feature = "client")]
pub use client::Client;
pub use work::{Board, Ended, work};

use crate::results::{FailureKind, Run, Target};
use serde::{Deserialize, Serialize};

/// Asks for pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeaseAsked {
    /// What they are to run on.
    pub target: Target,
    /// How many at most.
    pub most: usize,
}

/// Pieces that are handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Leased {
    /// By what they are given back; none if there are no pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// In how many seconds the lease is over, if it is not renewed. Each run that is sent renews it.
    #[serde(default)]
    pub expires: u64,
    /// The pieces.
    #[serde(default)]
    pub pieces: Vec<usize>,
    /// In how many seconds there may be some: others have all that are left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// Why there will be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Nothing>,
}

/// Why a device is given no more pieces of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Nothing {
    /// All is done.
    Done,
    /// The campaign's time for the device is used up.
    Budget,
    /// The campaign has ended.
    Closed,
}

/// What came of pieces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Worked {
    /// The runs.
    pub runs: Vec<Run>,
    /// Whether the lease ends: what it has left is handed out anew.
    #[serde(default)]
    pub done: bool,
}

/// What was kept of what came of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kept {
    /// How many runs. Those that somebody else had done before are not among them.
    pub kept: usize,
    /// Whether the lease is over: somebody else may have what it had.
    pub over: bool,
}

/// Where what was submitted is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Submitted {
    /// Its number.
    pub id: i64,
    /// Where the page shows it.
    pub url: String,
}

/// What is wrong with a request (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// What the status means.
    pub title: String,
    /// The status.
    pub status: u16,
    /// What is wrong.
    pub detail: String,
    /// Where in what was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Of a test that cannot run in an environment: the kind of that failure, as runs have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
}
