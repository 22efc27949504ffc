//! Migrations of the database, each from one version to the next.

use super::Error;
use rusqlite::Connection;
use rusqlite_migration::{Error as Migration, M, MigrationDefinitionError, Migrations};

/// The migrations. A released migration must not be changed.
const STEPS: &[M<'static>] =
    &[M::up(include_str!("migrations/1.sql")), M::up(include_str!("migrations/2.sql"))];

/// Migrates a database to the newest version.
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
