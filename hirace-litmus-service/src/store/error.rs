//! Errors of the database.

use rusqlite::ErrorCode;
use std::fmt;
use thiserror::Error as AnError;

/// An error of the database.
#[derive(Clone, Debug, AnError)]
pub enum Error {
    /// The disk is full, or the file has reached its maximum size.
    #[error("the database is full")]
    Full,
    /// The requested item does not exist.
    #[error("unknown {0}")]
    Missing(ItemKind),
    /// An item of this name already exists.
    #[error("a {0} of this name already exists")]
    Exists(ItemKind),
    /// The maximum number of items is reached.
    #[error("the maximum number of {0}s is reached")]
    TooMany(ItemKind),
    /// The piece of a campaign was never leased.
    #[error("piece {0} was never leased")]
    NotLeased(i64),
    /// A read or a write panicked.
    #[error("using the database panicked: {0}")]
    Panicked(String),
    /// The file was written by a newer version.
    #[error("the database has version {found}, but only versions up to {known} are supported")]
    Newer {
        /// The version of the file.
        found: i64,
        /// The newest supported version.
        known: i64,
    },
    /// A stored item cannot be read.
    #[error("a stored item cannot be read: {0}")]
    Damaged(String),
    /// The service is shutting down.
    #[error("the service is shutting down")]
    ShuttingDown,
    /// Any other error.
    #[error("{0}")]
    Sql(String),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            _ => Self::Sql(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// A kind of item in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Results that were submitted.
    Submission,
    /// A campaign.
    Campaign,
    /// A device that works on a campaign.
    Device,
    /// A lease of pieces.
    Lease,
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Submission => "submission",
            Self::Campaign => "campaign",
            Self::Device => "device",
            Self::Lease => "lease",
        })
    }
}
