//! Backups are complete, and are made while the service runs.

use crate::running::{Running, folder, program};
use crate::samples::{document, reseeded};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("backup::a_copy_is_made_while_submissions_come", copy),
        Trial::test("backup::what_cannot_be_copied_leaves_the_copy_before", fails),
        Trial::test("backup::the_database_is_no_copy_of_itself", itself),
        Trial::test("backup::what_is_locked_is_not_copied", locked),
    ]
}

fn copy() -> Result<(), Failed> {
    let (folder, other) = (folder(), crate::running::folder());
    let service = Running::start(folder.path(), &["--rate", "0"]);
    let document = document("");
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for nth in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let text = reseeded(&document, &nth.to_string());
                assert_eq!(service.post("/api/submissions", &text).status, 201);
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
        while answered.load(Ordering::Relaxed) < 50 {
            std::thread::yield_now();
        }
        let before = answered.load(Ordering::Relaxed);
        let copy = crate::running::database(other.path());
        let ended = program(folder.path()).arg("backup").arg(&copy).output().unwrap();
        stop.store(true, Ordering::Relaxed);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let copied = Running::start(other.path(), &[]);
        let there = copied.get("/api/health").json()["submissions"].as_u64().unwrap();
        assert!(there as usize >= before, "{there} of {before}");
        assert_eq!(copied.get("/api/submissions/1").json()["document"]["settings"]["seed"], "0");
    });
    Ok(())
}

fn fails() -> Result<(), Failed> {
    let folder = folder();
    let copy = folder.path().join("copy.db");
    fs::write(&copy, "the copy of yesterday")?;
    let ended = program(folder.path()).arg("backup").arg(&copy).output()?;
    assert_eq!(ended.status.code(), Some(2), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(fs::read_to_string(&copy)?, "the copy of yesterday");
    let left: Vec<_> = fs::read_dir(folder.path())?.collect::<Result<_, _>>()?;
    assert_eq!(left.len(), 1);
    Ok(())
}

fn itself() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    service.post("/api/submissions", &reseeded(&document(""), "kept"));
    let own = crate::running::database(folder.path());
    let around = folder.path().join(".").join(own.file_name().unwrap());
    let ended = program(folder.path()).arg("backup").arg(&around).output()?;
    assert_eq!(ended.status.code(), Some(2), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(service.get("/api/submissions/1").status, 200);
    Ok(())
}

/// A process that locks the database for longer than the backup waits.
fn locked() -> Result<(), Failed> {
    let folder = folder();
    drop(Running::start(folder.path(), &[]));
    let copy = folder.path().join("copy.db");
    fs::write(&copy, "the copy of yesterday")?;
    let holder = rusqlite::Connection::open(crate::running::database(folder.path()))?;
    holder.execute_batch(
        "PRAGMA locking_mode = exclusive; BEGIN IMMEDIATE; DELETE FROM submissions",
    )?;
    let ended = program(folder.path()).arg("backup").arg(&copy).output()?;
    assert_eq!(ended.status.code(), Some(3), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(fs::read_to_string(&copy)?, "the copy of yesterday");
    Ok(())
}
