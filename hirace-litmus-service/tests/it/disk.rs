//! A full disk: the service reports that it stores nothing more, and continues when there is space again.

use crate::running::{Running, folder};
use crate::samples::{document, reseeded};
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::path::Path;
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let mount = Need::new(None, || {
        mounts().err().map(|why| format!("no file system can be mounted: {why}"))
    });
    vec![
        Trial::test("disk::a_database_grows_as_far_as_it_may", quota),
        Trial::test("disk::a_full_disk_refuses_and_recovers", full_disk).needs(mount),
    ]
}

/// Submits until the database is full. Returns the number of stored submissions.
fn fill(service: &Running, name: &str) -> usize {
    let document = document("");
    for nth in 0..10_000 {
        let answer =
            service.post("/api/submissions", &reseeded(&document, &format!("{name}-{nth}")));
        match answer.status {
            201 => {}
            _ => {
                assert_eq!(answer.problem().0, 507);
                return nth;
            }
        }
    }
    panic!("the disk is never full");
}

fn kept(service: &Running) -> usize {
    assert_eq!(service.get("/api/submissions").status, 200);
    service.get("/api/health").json()["submissions"].as_u64().unwrap() as usize
}

fn quota() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0", "--max-database", "1"]);
    let room = fill(&service, "a");
    assert!(room > 10);
    assert_eq!(kept(&service), room);
    // Removing a submission frees space.
    for id in 1..=10 {
        assert_eq!(service.delete_as_host(&format!("/api/submissions/{id}")).status, 204);
    }
    assert!(fill(&service, "b") > 0);
    drop(service);
    let before = kept(&Running::start(folder.path(), &[]));
    let service = Running::start(folder.path(), &["--rate", "0", "--max-database", "2"]);
    assert!(fill(&service, "c") > 10);
    assert!(kept(&service) > before);
    Ok(())
}

/// A file system in memory that is unmounted when dropped.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(at: &'a Path) -> Result<Self, String> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "none"]).arg(at);
        match mount.output() {
            Ok(output) if output.status.success() => Ok(Self(at)),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

fn mounts() -> Result<(), String> {
    let folder = folder();
    Mounted::new(folder.path()).map(drop)
}

fn full_disk() -> Result<(), Failed> {
    let folder = folder();
    let mounted = Mounted::new(folder.path())?;
    let stuffing = folder.path().join("stuffing");
    std::fs::write(&stuffing, vec![1; 300 << 10])?;
    let service = Running::start(folder.path(), &["--rate", "0"]);
    let room = fill(&service, "a");
    assert!(room > 0);
    assert_eq!(kept(&service), room);
    std::fs::remove_file(&stuffing)?;
    let more = fill(&service, "b");
    assert!(more > 0);
    assert_eq!(kept(&service), room + more);
    drop(service);
    drop(mounted);
    Ok(())
}
