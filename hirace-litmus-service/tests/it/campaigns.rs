//! Several workers of a campaign give the same results as one.

use crate::running::{Running, folder};
use crate::samples::{NoObserver, announced, device, proposal, whole};
use hirace_litmus::remote::{Client, NoMorePieces, WorkEnd, work};
use hirace_litmus::results::{Document, Run, Target};
use hirace_litmus::run::Runner;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("campaigns::three_that_work_together_give_what_one_does", together),
        Trial::test("campaigns::a_lease_that_is_lost_comes_back", lost),
        Trial::test("campaigns::a_worker_that_is_stopped_gives_back_what_it_has", stopped),
        Trial::test("campaigns::what_is_sent_for_a_piece_is_checked", checked),
        Trial::test("campaigns::budgets_and_ends_are_kept_to", budgets),
        Trial::test(
            "campaigns::campaign_with_the_maximum_number_of_devices_does_not_delay_others",
            crowded,
        ),
        Trial::test("campaigns::what_cannot_be_announced_is_refused_at_its_place", refused),
    ]
}

/// Returns a document without its times, which are the only nondeterministic part.
fn timeless(document: &Document) -> Document {
    document.without_timing()
}

/// Returns a run of a document as workers send it, with its time.
fn timed_run(document: &Document, at: usize) -> Run {
    let (run, seconds) = document.timed_runs().nth(at).unwrap();
    Run { seconds, ..run.clone() }
}

fn announce(service: &Running, proposal: &Value) {
    let answer = service.post_as_host("/api/campaigns", &proposal.to_string());
    assert_eq!(answer.status, 201, "{answer:?}");
}

fn results(service: &Running, name: &str) -> Document {
    let answer = service.get(&format!("/api/campaigns/{name}/results"));
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_str(&answer.text).unwrap()
}

fn works(service: &Running, name: &str, stop: &AtomicBool) -> (usize, WorkEnd) {
    let client = Client::new(&service.url(""), None, Arc::default());
    let campaign = client.campaign(Some(name)).unwrap().campaign().unwrap();
    let mut board = client.board(name);
    let (runs, ended) = work(&mut board, &campaign, &mut device(), &mut NoObserver, stop);
    (runs.len(), ended)
}

fn together() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0"]);
    let proposal = proposal("together", 6);
    announce(&service, &proposal);
    let never = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let workers = [(); 3].map(|()| scope.spawn(|| works(&service, "together", &never)));
        workers.map(|worker| worker.join().unwrap())
    });
    assert!(
        done.iter().all(|(_, ended)| matches!(ended, WorkEnd::NothingToDo(NoMorePieces::Done)))
    );
    assert_eq!(done.iter().map(|(runs, _)| runs).sum::<usize>(), 60, "{done:?}");
    let merged = results(&service, "together");
    assert_eq!(timeless(&merged), timeless(&whole(&announced(proposal).campaign().unwrap())));
    let listed = service.get("/api/campaigns").json();
    assert_eq!(listed["campaigns"][0]["targets"][0]["done"], 60);
    let analyzed = service.get("/api/analysis?campaign=together").json();
    assert_eq!(analyzed["sides"][0]["devices"][0]["device"], device().described().name);
    Ok(())
}

fn lease(service: &Running, name: &str, most: usize) -> Value {
    let asked = json!({"target": Target::from(device().described()), "most": most});
    let answer = service.post(&format!("/api/campaigns/{name}/leases"), &asked.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Makes all leases expire.
fn pass_time(folder: &Path) {
    let database = rusqlite::Connection::open(crate::running::database(folder)).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    database.execute("UPDATE leases SET expires = expires - 1000", []).unwrap();
}

fn lost() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0"]);
    let proposal = proposal("lost", 1);
    announce(&service, &proposal);
    let gone = lease(&service, "lost", 7);
    assert_eq!(gone["pieces"], json!([0, 1, 2, 3, 4, 5, 6]));
    assert_eq!(lease(&service, "lost", 7)["pieces"], json!([7, 8, 9]));
    let none = lease(&service, "lost", 7);
    assert_eq!(none.get("lease"), None);
    assert!(none["retry_after"].as_u64().is_some_and(|wait| (1..=120).contains(&wait)), "{none}");
    assert_eq!(none.get("reason"), None);
    pass_time(folder.path());
    let never = AtomicBool::new(false);
    assert!(matches!(
        works(&service, "lost", &never),
        (10, WorkEnd::NothingToDo(NoMorePieces::Done))
    ));
    let alone = whole(&announced(proposal).campaign().unwrap());
    assert_eq!(timeless(&results(&service, "lost")), timeless(&alone));
    // A late worker, whose pieces others have done, changes nothing and learns that its lease has expired.
    let late = json!({"runs": [timed_run(&alone, 0)], "done": true});
    let path = format!("/api/campaigns/lost/leases/{}", gone["lease"].as_str().unwrap());
    let answer = service.post(&path, &late.to_string());
    assert_eq!((answer.status, answer.json()), (200, json!({"kept": 0, "expired": true})));
    // A request whose response was lost may be repeated.
    let once_more = service.post(&path, &late.to_string());
    assert_eq!((once_more.status, once_more.json()), (200, json!({"kept": 0, "expired": true})));
    Ok(())
}

fn stopped() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0"]);
    announce(&service, &proposal("stopped", 4));
    let stop = AtomicBool::new(false);
    let (runs, ended) = thread::scope(|scope| {
        let worker = scope.spawn(|| works(&service, "stopped", &stop));
        loop {
            let listed = service.get("/api/campaigns").json();
            let done = &listed["campaigns"][0]["targets"][0]["done"];
            if done.as_u64().is_some_and(|done| done > 2) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        stop.store(true, Ordering::Relaxed);
        worker.join().unwrap()
    });
    // On a fast machine all pieces may be done before the worker is stopped.
    let rest = works(&service, "stopped", &AtomicBool::new(false));
    assert!(
        runs + rest.0 == 40 && matches!(rest.1, WorkEnd::NothingToDo(NoMorePieces::Done)),
        "{runs} {rest:?}"
    );
    assert!(matches!(ended, WorkEnd::Stopped) || rest.0 == 0);
    Ok(())
}

fn checked() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &[]);
    let proposal = proposal("checked", 1);
    announce(&service, &proposal);
    let document = whole(&announced(proposal).campaign().unwrap());
    let runs: Vec<Run> = (0..document.runs.len()).map(|at| timed_run(&document, at)).collect();
    let leased = lease(&service, "checked", 2);
    let path = format!("/api/campaigns/checked/leases/{}", leased["lease"].as_str().unwrap());
    let put = |runs: Value| {
        let answer = service.post(&path, &json!({"runs": runs}).to_string());
        if answer.status == 200 { (200, answer.json()) } else { answer.problem() }
    };
    let honest = serde_json::to_value(&runs)?;
    let mut wrong = honest[0].clone();
    wrong["instances"] = json!(1);
    assert_eq!(put(json!([honest[1], wrong])), (422, json!("runs[1].instances")));
    let mut untimed = honest[0].clone();
    untimed.as_object_mut().unwrap().remove("seconds");
    assert_eq!(put(json!([untimed])), (422, json!("runs[0].seconds")));
    let mut other = honest[0].clone();
    other["test"] = json!("iriw-fences");
    assert_eq!(put(json!([other])), (422, json!("runs[0].test")));
    let mut beyond = honest[0].clone();
    beyond["environment"] = json!(1);
    assert_eq!(put(json!([beyond])), (422, json!("runs[0].environment")));
    // A run without instances and without a failure is refused; stopped pieces are returned without a run.
    let mut nothing = honest[0].clone();
    for (key, value) in [
        ("iterations", json!(0)),
        ("instances", json!(0)),
        ("found", json!(0)),
        ("other", json!(0)),
        ("outcomes", json!([])),
        (
            "classes",
            json!({"sequential": 0, "interleaved": 0, "weak": 0, "forbidden": 0, "other": 0}),
        ),
    ] {
        nothing[key] = value;
    }
    assert_eq!(put(json!([nothing])), (422, json!("runs[0].iterations")));
    nothing["failure"] = json!({"kind": "stopped", "reason": "stopped"});
    assert_eq!(put(json!([nothing])), (422, json!("runs[0].iterations")));
    // A piece that was never leased.
    assert_eq!(put(json!([honest[5]])).0, 422);
    assert_eq!(put(json!([honest[0], honest[1]])), (200, json!({"kept": 2, "expired": false})));
    let unknown = service.post("/api/campaigns/checked/leases/0", "{\"runs\": []}");
    assert_eq!(unknown.problem().0, 410);
    assert_eq!(service.post("/api/campaigns/other/leases/0", "{\"runs\": []}").problem().0, 404);
    Ok(())
}

fn budgets() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0"]);
    let mut bounded = proposal("bounded", 5);
    bounded["budget"] = json!(1e-9);
    announce(&service, &bounded);
    let never = AtomicBool::new(false);
    // A piece that was leased within the budget is run.
    assert!(matches!(
        works(&service, "bounded", &never),
        (8, WorkEnd::NothingToDo(NoMorePieces::Budget))
    ));
    assert!(results(&service, "bounded").stopped);
    announce(&service, &proposal("ended", 5));
    assert_eq!(service.delete_as_host("/api/campaigns/ended").status, 204);
    assert_eq!(lease(&service, "ended", 3)["reason"], "closed");
    assert_eq!(service.get("/api/campaigns").json()["campaigns"][0]["targets"], json!([]));
    let open: Vec<Value> = service.get("/api/campaigns").json()["campaigns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|campaign| json!([campaign["name"], campaign["open"]]))
        .collect();
    assert_eq!(open, [json!(["ended", false]), json!(["bounded", true])]);
    Ok(())
}

fn crowded() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--rate", "0"]);
    announce(&service, &proposal("crowded", 1));
    let database = rusqlite::Connection::open(crate::running::database(folder.path()))?;
    database.busy_timeout(Duration::from_secs(30))?;
    database.execute_batch(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000)
         INSERT INTO targets (campaign, name, vendor, driver, software)
         SELECT 1, n, '', '', '[null,null]' FROM n",
    )?;
    let asked =
        json!({"target": {"name": "one more", "vendor": "", "driver": ""}, "most": 1}).to_string();
    let statuses: Vec<(u16, u16)> = thread::scope(|scope| {
        let others = scope.spawn(|| {
            [(); 20].map(|()| service.post("/api/campaigns/crowded/leases", &asked).status)
        });
        let own: Vec<u16> = (0..20)
            .map(|nth| {
                let text =
                    crate::samples::reseeded(&crate::samples::document(""), &nth.to_string());
                service.post("/api/submissions", &text).status
            })
            .collect();
        others.join().unwrap().into_iter().zip(own).collect()
    });
    assert_eq!(statuses, vec![(409, 201); 20]);
    Ok(())
}

fn refused() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &[]);
    announce(&service, &proposal("once", 1));
    let twice = service.post_as_host("/api/campaigns", &proposal("once", 1).to_string());
    assert_eq!(twice.problem().0, 409);
    let cases = [
        ("name", json!("<b>"), json!("name")),
        ("tests", json!(["no-such"]), json!("tests")),
        ("environments", json!({"seed": "s", "number": 0}), json!("environments")),
        ("environments", json!({"sed": "s"}), json!("environments")),
        ("environments", json!("many"), json!("environments")),
    ];
    for (key, value, at) in cases {
        let mut changed = proposal("other", 1);
        changed[key] = value;
        let answer = service.post_as_host("/api/campaigns", &changed.to_string());
        let (status, place) = answer.problem();
        assert_eq!(status, 422);
        let place = place.as_str().unwrap().split('.').next().unwrap().to_owned();
        assert_eq!(json!(place), at, "{answer:?}");
    }
    Ok(())
}
