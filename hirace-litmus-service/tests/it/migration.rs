//! Databases of other versions.

use crate::running::{Running, database, folder, program};
use crate::samples::{document, text};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use rusqlite::Connection;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("migration::the_database_of_the_version_before_is_brought_up_to_date", before),
        Trial::test("migration::one_of_a_newer_version_is_left_alone", newer),
        Trial::test("migration::what_is_no_database_is_left_alone", other),
    ]
}

/// A database of the first version, which had no campaigns.
const FIRST: &str = include_str!("first-version.sql");

fn before() -> Result<(), Failed> {
    let folder = folder();
    let old = Connection::open(database(folder.path()))?;
    old.execute_batch(FIRST)?;
    let sent = text(&document("old"));
    old.execute("UPDATE submissions SET document = ?1", [&sent])?;
    drop(old);
    let service = Running::with_token(folder.path(), &[]);
    let kept = service.get("/api/submissions/1").json();
    assert_eq!(
        (&kept["received"], &kept["document"]["settings"]["seed"]),
        (&"2026-11-20T10:00:00Z".into(), &"old".into())
    );
    assert_eq!(service.get("/api/campaigns").json()["campaigns"], serde_json::json!([]));
    let proposal = crate::samples::proposal("new", 1).to_string();
    assert_eq!(service.post_as_host("/api/campaigns", &proposal).status, 201);
    Ok(())
}

fn newer() -> Result<(), Failed> {
    let folder = folder();
    let path = database(folder.path());
    Connection::open(&path)?.pragma_update(None, "user_version", 99)?;
    let before = std::fs::read(&path)?;
    let ended = program(folder.path()).args(["--listen", "127.0.0.1:0"]).output()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(said.contains("99"), "{said}");
    assert_eq!(std::fs::read(&path)?, before);
    Ok(())
}

fn other() -> Result<(), Failed> {
    let folder = folder();
    let path = database(folder.path());
    std::fs::write(&path, "my diary\n".repeat(1000))?;
    let before = std::fs::read(&path)?;
    let ended = program(folder.path()).args(["--listen", "127.0.0.1:0"]).output()?;
    assert_eq!(ended.status.code(), Some(3), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(std::fs::read(&path)?, before);
    Ok(())
}
