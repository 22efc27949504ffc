//! Versions of the database, each a step from the one before.

use super::Error;
use rusqlite::Connection;
use rusqlite_migration::{Error as Migration, M, MigrationDefinitionError, Migrations};

/// The steps: what is once released stays as it is.
const STEPS: &[M<'static>] =
    &[M::up(include_str!("migrations/1.sql")), M::up(include_str!("migrations/2.sql"))];

/// Brings a database up to date.
pub fn apply(connection: &mut Connection) -> Result<(), Error> {
    Migrations::from_slice(STEPS).to_latest(connection).map_err(|error| match error {
        Migration::RusqliteError { err, .. } => err.into(),
        Migration::MigrationDefinition(MigrationDefinitionError::DatabaseTooFarAhead) => {
            let found = connection.pragma_query_value(None, "user_version", |row| row.get(0));
            Error::Newer { found: found.unwrap_or(0i64), known: STEPS.len() as i64 }
        }
        error => Error::Damaged(error.to_string()),
    })
}
