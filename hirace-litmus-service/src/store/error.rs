//! What a database may fail at.

use rusqlite::ErrorCode;
use std::fmt;
use thiserror::Error as AnError;

/// What it failed at.
#[derive(Clone, Debug, AnError)]
pub enum Error {
    /// The disk is full, or the file is as large as it may be.
    #[error("there is no room left")]
    Full,
    /// What is asked for is not there.
    #[error("there is no such {0}")]
    Missing(Thing),
    /// It is there by now.
    #[error("there is a {0} of this name already")]
    Exists(Thing),
    /// There are as many as there may be.
    #[error("there are as many {0}s as there may be")]
    TooMany(Thing),
    /// Nobody was given this piece of a campaign.
    #[error("piece {0} was not handed out")]
    NotHandedOut(i64),
    /// Whoever read panicked.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// The file was written by a version that is not known here.
    #[error("the database is of version {found}, and {known} is the newest that is known here")]
    Newer {
        /// What the file says.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// What is kept cannot be read.
    #[error("what is kept cannot be read: {0}")]
    Damaged(String),
    /// The service ends.
    #[error("the service ends")]
    Ended,
    /// All else.
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

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// Results that were sent.
    Submission,
    /// A campaign.
    Campaign,
    /// A device that works on one.
    Device,
    /// What pieces are handed out by.
    Lease,
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Submission => "submission",
            Self::Campaign => "campaign",
            Self::Device => "device",
            Self::Lease => "lease",
        })
    }
}
