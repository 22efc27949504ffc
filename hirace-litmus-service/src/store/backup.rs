//! A backup of the database while it is in use.

use super::{Error, connect};
use hirace_core::diagnostic::Diagnostic;
use rusqlite::backup::StepResult;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Writes a consistent copy of a database: to a temporary file next to `to`, which is then renamed.
///
/// # Errors
/// There is no database, or the copy cannot be written.
pub fn backup(database: &Path, to: &Path) -> Result<(), Box<Diagnostic>> {
    let failed = |why: String| {
        Box::new(Diagnostic::new(format!("cannot write {}: {why}", to.display())).of_device())
    };
    let same = |path: &Path| path.canonicalize().ok();
    if same(to).is_some() && same(to) == same(database) {
        let error = "the copy and the database are the same file";
        return Err(Box::new(Diagnostic::new(error).help("use another file for the copy")));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = connect(database, flags).map_err(|error| {
        Box::new(Diagnostic::new(format!("cannot read {}: {error}", database.display())))
    })?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside = tempfile::Builder::new()
        .prefix(".backup-")
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(|error| failed(error.to_string()))?;
    copy(&source, beside.path()).map_err(|error| failed(error.to_string()))?;
    beside.as_file().sync_all().map_err(|error| failed(error.to_string()))?;
    beside.persist(to).map_err(|error| failed(error.to_string()))?;
    Ok(())
}

fn copy(source: &Connection, to: &Path) -> Result<(), Error> {
    let mut copy = Connection::open(to)?;
    let backup = rusqlite::backup::Backup::new(source, &mut copy)?;
    // Copying all pages in one step gives a consistent state.
    match backup.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(Error::Sql("the database is locked".to_owned())),
    }
}
