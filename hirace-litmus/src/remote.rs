//! Campaigns with several workers: a service distributes the pieces. This module has the messages between the two, and
//! the worker.
//!
//! Each device runs all of a campaign. The workers with such a device lease pieces of it. Pieces that are not done when
//! a lease expires are leased again.

#[cfg(feature = "client")]
mod client;
mod work;

#[cfg(feature = "client")]
pub use client::Client;
pub use work::{Board, WorkEnd, work};

use crate::results::{FailureKind, Run, Target};
use serde::{Deserialize, Serialize};

/// A request for pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LeaseRequest {
    /// The device that runs them.
    pub target: Target,
    /// The maximum number of pieces.
    pub most: usize,
}

/// Leased pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeaseResponse {
    /// The identifier of the lease; `None` if there are no pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// The number of seconds until the lease expires unless it is renewed. Each submitted run renews it.
    #[serde(default)]
    pub expires: u64,
    /// The numbers of the pieces.
    #[serde(default)]
    pub pieces: Vec<usize>,
    /// The number of seconds after which to ask again, if all remaining pieces are leased to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The reason why there are no more pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoMorePieces>,
}

/// The reason why a device gets no more pieces of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoMorePieces {
    /// All pieces are done.
    Done,
    /// The campaign's time budget for the device is used up.
    Budget,
    /// The campaign has ended.
    Closed,
}

/// The results of pieces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkReport {
    /// The runs.
    pub runs: Vec<Run>,
    /// Whether the worker returns the lease. Its remaining pieces are leased again.
    #[serde(default)]
    pub done: bool,
}

/// The response to the results of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WorkReceipt {
    /// The number of runs that were stored. Runs that another worker had already submitted are not counted.
    pub kept: usize,
    /// Whether the lease has expired. Its pieces may be leased to another worker.
    pub expired: bool,
}

/// A submission that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SubmissionReceipt {
    /// The number of the submission.
    pub id: i64,
    /// The URL at which the page shows it.
    pub url: String,
}

/// The description of an error (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// The meaning of the status.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The description of the error.
    pub detail: String,
    /// The location of the error in the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// For a test that cannot run in an environment: the kind of the failure, as in runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
}
