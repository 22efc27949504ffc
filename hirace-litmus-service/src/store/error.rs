//! What a database may fail at.

use rusqlite::ErrorCode;
use thiserror::Error as AnError;

/// What it failed at.
#[derive(Clone, Debug, AnError)]
pub enum Error {
    /// The disk is full, or the file is as large as it may be.
    #[error("there is no room left")]
    Full,
    /// What is asked for is not there.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// It is there by now.
    #[error("there is such a {0} by now")]
    Exists(&'static str),
    /// There are as many as there may be.
    #[error("there are as many {0} as there may be")]
    TooMany(&'static str),
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
