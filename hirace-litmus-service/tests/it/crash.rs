//! Acknowledged submissions survive crashes of the service.

use crate::running::{Running, folder};
use crate::samples::{document, reseeded};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("crash::a_thousand_at_once_are_all_kept", thousand),
        Trial::test("crash::a_service_that_is_killed_loses_nothing_that_it_answered", killed),
    ]
}

/// Returns the seeds of all stored submissions.
fn kept(service: &Running) -> BTreeSet<String> {
    let (mut seeds, mut before) = (BTreeSet::new(), String::new());
    loop {
        let part = service.get(&format!("/api/submissions?limit=200{before}")).json();
        let listed = part["submissions"].as_array().unwrap();
        seeds.extend(listed.iter().map(|of| of["seed"].as_str().unwrap().to_owned()));
        match part.get("next").and_then(Value::as_i64) {
            Some(next) => before = format!("&before={next}"),
            None => return seeds,
        }
    }
}

/// All clients wait at a barrier, so that they send at the same time.
fn thousand() -> Result<(), Failed> {
    const MANY: usize = 1000;
    let folder = folder();
    let service = Running::start(folder.path(), &["--rate", "0", "--log", "warn"]);
    let document = document("");
    let together = std::sync::Barrier::new(MANY);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let submit = |nth: usize| {
            let (service, document, together) = (&service, &document, &together);
            move || {
                let text = reseeded(document, &nth.to_string());
                together.wait();
                service.post("/api/submissions", &text).status
            }
        };
        let threads: Vec<_> = (0..MANY)
            .map(|nth| {
                thread::Builder::new()
                    .stack_size(256 << 10)
                    .spawn_scoped(scope, submit(nth))
                    .unwrap()
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses, [201; MANY]);
    assert_eq!(kept(&service).len(), MANY);
    Ok(())
}

/// The service is killed 50 times in succession, on one database.
fn killed() -> Result<(), Failed> {
    const TIMES: usize = 50;
    const CLIENTS: usize = 8;
    let folder = folder();
    let document = document("");
    let answered = Mutex::new(BTreeSet::new());
    for time in 0..TIMES {
        let mut service = Running::start(folder.path(), &["--rate", "0", "--log", "warn"]);
        let before = answered.lock().unwrap().len();
        thread::scope(|scope| {
            let id = service.id();
            let client = |client: usize| {
                let (service, document, answered) = (&service, &document, &answered);
                move || {
                    for nth in 0.. {
                        let seed = format!("{time}-{client}-{nth}");
                        match service.try_post("/api/submissions", &reseeded(document, &seed)) {
                            Ok(answer) => {
                                assert_eq!(answer.status, 201, "{answer:?}");
                                answered.lock().unwrap().insert(seed);
                            }
                            Err(_) => return,
                        }
                    }
                    unreachable!()
                }
            };
            let clients: Vec<_> = (0..CLIENTS).map(|nth| scope.spawn(client(nth))).collect();
            // At a different moment of the load each time.
            while answered.lock().unwrap().len() < before + 20 + time % 7 {
                thread::sleep(Duration::from_millis(1));
            }
            let killed = std::process::Command::new("kill").args(["-9", &id.to_string()]).status();
            assert!(killed.unwrap().success());
            // A client ends when it gets no response.
            for client in clients {
                client.join().unwrap();
            }
        });
        let _ = service.ended();
    }
    let service = Running::start(folder.path(), &[]);
    let kept = kept(&service);
    let answered = answered.into_inner().unwrap();
    assert!(answered.len() >= TIMES * 20);
    let lost: Vec<&String> = answered.difference(&kept).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), answered.len());
    let database = rusqlite::Connection::open(crate::running::database(folder.path())).unwrap();
    let whole: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    Ok(())
}
