//! Requests to the API.

use crate::running::{Running, folder};
use crate::samples::{document, reseeded, text};
use hirace_litmus::environment::{RandomEnvironments, Ranges, Version};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("api::what_is_submitted_is_kept_once_and_listed", submitted),
        Trial::test("api::a_summary_may_be_left_out", without_summary),
        Trial::test("api::environments_are_those_of_the_command_line", environments),
        Trial::test("api::a_job_has_what_it_takes_to_run_a_test", job),
        Trial::test("api::lists_come_in_parts", parts),
        Trial::test("api::what_is_described_is_answered", described),
        Trial::test("api::only_the_host_removes", removes),
        Trial::test("api::what_is_removed_leaves_its_number_and_every_analysis", anew),
        Trial::test("api::a_closed_service_takes_from_those_with_the_token", closed),
        Trial::test("api::an_address_that_asks_too_often_waits", rate),
        Trial::test("api::files_of_the_page_are_served_and_no_others", page),
        Trial::test("api::a_service_that_is_asked_to_end_answers_what_it_began", ends),
    ]
}

fn submitted() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let sent = text(&document("one"));
    let first = service.post("/api/submissions", &sent);
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(first.json(), json!({"id": 1, "url": "/#/results/1"}));
    let second = service.post("/api/submissions", &sent);
    assert_eq!((second.status, second.json()), (200, first.json()));
    let kept = service.get("/api/submissions/1").json();
    assert_eq!(kept["document"], serde_json::from_str::<Value>(&sent)?);
    let listed = service.get("/api/submissions").json();
    let [only] = &listed["submissions"].as_array().unwrap()[..] else { panic!("{listed}") };
    assert_eq!(only["device"], "simulated:relaxed");
    assert_eq!(
        (&only["tests"], &only["runs"], &only["seed"]),
        (&json!(2), &json!(2), &json!("one"))
    );
    let analyzed = service.get("/api/analysis").json();
    assert_eq!(analyzed["sides"][0]["devices"][0]["device"], "simulated:relaxed");
    let health = service.get("/api/health").json();
    assert_eq!((&health["status"], &health["submissions"]), (&json!("ok"), &json!(1)));
    let metrics = service.get("/metrics").text;
    assert!(metrics.contains("hirace_litmus_submissions_total 1\n"), "{metrics}");
    let route = "route=\"/api/submissions\",status=\"201\"} 1\n";
    assert!(metrics.contains(route), "{metrics}");
    Ok(())
}

fn without_summary() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let document = document("one");
    let mut sent = serde_json::to_value(&document)?;
    sent.as_object_mut().unwrap().remove("summary");
    assert_eq!(service.post("/api/submissions", &sent.to_string()).status, 201);
    let kept = service.get("/api/submissions/1").json();
    assert_eq!(kept["document"]["summary"], serde_json::to_value(&document.summary)?);
    assert_eq!(kept["document"]["timing"], serde_json::to_value(&document.timing)?);
    let listed = service.get("/api/submissions").json();
    let system = serde_json::to_value(&document.target.operating_system)?;
    assert_eq!(listed["submissions"][0]["operating_system"], system);
    assert!(system["name"].is_string(), "{listed}");
    Ok(())
}

fn environments() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let path = "/api/environments?seed=rbjnMzXroA&number=3&maxWorkgroups=32&maxWorkgroupSize=32";
    let answered = service.get(path).json();
    let version = Version::Often { max_workgroup_size: 32, rounded: false };
    let drawn = RandomEnvironments::new("rbjnMzXroA", Ranges { max_workgroups: 32, version });
    let expected: Vec<Value> = drawn
        .take(3)
        .map(|parameters| json!({"layout": "parallel", "parameters": parameters}))
        .collect();
    assert_eq!(answered["environments"], json!(expected));
    assert_eq!(service.get("/api/submissions?limit=201").problem(), (422, json!("limit")));
    let place = service.get("/api/environments?seed=s&maxWorkgroups=1").problem();
    assert_eq!(place, (422, json!("maxWorkgroups")));
    for wrong in ["number=0", "number=1001", "color=red", "layout=heap"] {
        assert_eq!(service.get(&format!("/api/environments?seed=s&{wrong}")).problem().0, 422);
    }
    assert_eq!(service.get("/api/environments").problem().0, 422);
    let presets = service.get("/api/presets").json();
    assert_eq!(presets["stress"]["testingWorkgroups"], 512);
    Ok(())
}

fn job() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let presets = service.get("/api/presets").json();
    let mut asked = json!({
        "test": "mp-two-locations",
        "environment": {"layout": "parallel", "parameters": presets["basic"]},
        "index": 0,
        "seed": "hirace",
        "limits": {"max_workgroups": 65_535, "max_workgroup_size": 256, "max_words": 1 << 25},
    });
    let job = service.post("/api/jobs", &asked.to_string()).json();
    assert_eq!(job["instances"], 512);
    assert_eq!(job["outcomes"].as_array().unwrap().len() + 1, job["words"]["counters"]);
    assert_eq!(job["seed"].as_str().unwrap().len(), 16);
    assert!(job["shaders"]["test"].as_str().unwrap().contains("@compute"));
    // A test that cannot run there has the kind of failure that its run would have.
    let kind = |asked: &Value| service.post("/api/jobs", &asked.to_string()).json()["kind"].clone();
    let mut small = asked.clone();
    small["limits"]["max_words"] = json!(100);
    assert_eq!(kind(&small), "too-large");
    small["environment"]["parameters"]["memStride"] = json!(99);
    assert_eq!(kind(&small), "unsuitable");
    let cases = [
        ("test", json!("no-such-test"), "test"),
        ("specification", json!("wgsl-2099"), "specification"),
        (
            "limits",
            json!({"max_workgroups": 2, "max_workgroup_size": 256, "max_words": 1}),
            "environment",
        ),
        ("index", json!("one"), "index"),
    ];
    for (key, value, at) in cases {
        let known = asked[key].clone();
        asked[key] = value;
        assert_eq!(service.post("/api/jobs", &asked.to_string()).problem(), (422, json!(at)));
        asked[key] = known;
        if asked[key].is_null() {
            asked.as_object_mut().unwrap().remove(key);
        }
    }
    Ok(())
}

/// Each described method exists, whatever it responds to a meaningless request.
fn described() -> Result<(), Failed> {
    use std::io::{Read, Write};
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let description = service.get("/api/openapi.json").json();
    let mut asked = 0;
    for (path, of) in description["paths"].as_object().unwrap() {
        let path = path.replace("{id}", "1").replace("{name}", "none").replace("{lease}", "none");
        for method in of.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            let mut connection = service.connect();
            write!(
                connection,
                "{} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                method.to_uppercase()
            )?;
            let mut answer = String::new();
            connection.read_to_string(&mut answer)?;
            assert!(answer.starts_with("HTTP/1.1 "), "{method} {path}: {answer}");
            assert!(!answer.starts_with("HTTP/1.1 405"), "{method} {path}: {answer}");
            assert!(!answer.contains("nothing found at"), "{method} {path}: {answer}");
            asked += 1;
        }
    }
    assert!(asked > 15, "{asked}");
    Ok(())
}

fn parts() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let document = document("");
    for seed in 0..7 {
        service.post("/api/submissions", &reseeded(&document, &seed.to_string()));
    }
    let (mut seeds, mut before) = (Vec::new(), String::new());
    loop {
        let part = service.get(&format!("/api/submissions?limit=3{before}")).json();
        let listed = part["submissions"].as_array().unwrap();
        seeds.extend(listed.iter().map(|of| of["seed"].as_str().unwrap().to_owned()));
        match part.get("next") {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(seeds, ["6", "5", "4", "3", "2", "1", "0"]);
    Ok(())
}

fn removes() -> Result<(), Failed> {
    let (with, without) = (folder(), folder());
    let service = Running::with_token(with.path(), &[]);
    service.post("/api/submissions", &text(&document("one")));
    assert_eq!(service.delete_as_host("/api/submissions/1").status, 204);
    assert_eq!(service.delete_as_host("/api/submissions/1").problem().0, 404);
    assert_eq!(service.get("/api/submissions/1").problem().0, 404);
    assert_eq!(service.post("/api/campaigns", "{}").problem().0, 401);
    let service = Running::start(without.path(), &[]);
    assert_eq!(service.post_as_host("/api/campaigns", "{}").problem().0, 403);
    Ok(())
}

fn anew() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &[]);
    let named = |name: &str| {
        let mut document = document(name);
        document.target.name = name.to_owned();
        text(&document)
    };
    let device = || service.get("/api/analysis").json()["sides"][0]["devices"][0]["device"].clone();
    service.post("/api/submissions", &named("first"));
    assert_eq!(device(), "first");
    assert_eq!(service.delete_as_host("/api/submissions/1").status, 204);
    assert_eq!(service.post("/api/submissions", &named("second")).json()["id"], 2);
    assert_eq!(device(), "second");
    Ok(())
}

fn closed() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--closed"]);
    let sent = text(&document("one"));
    assert_eq!(service.post("/api/submissions", &sent).problem().0, 401);
    assert_eq!(service.get("/api/health").json()["closed"], true);
    assert_eq!(service.post_as_host("/api/submissions", &sent).status, 201);
    assert_eq!(service.get("/api/submissions/1").status, 200);
    Ok(())
}

fn rate() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &["--rate", "3"]);
    let statuses = [(); 5].map(|()| service.post("/api/submissions", "{}").status);
    assert_eq!(statuses[..3], [422; 3]);
    assert_eq!(statuses[3..], [429; 2]);
    assert_eq!(service.get("/api/submissions").status, 200);
    Ok(())
}

fn page() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let index = service.get("/");
    assert_eq!((index.status, &index.kind[..]), (200, "text/html; charset=utf-8"));
    let script = service.get("/page/main.js");
    assert_eq!((script.status, &script.kind[..]), (200, "text/javascript; charset=utf-8"));
    assert_eq!(service.get("/page/no-such-file.js").problem().0, 404);
    assert_eq!(service.get("/page/..%2f..%2fCargo.toml").problem().0, 404);
    Ok(())
}

/// A request that is pending when the service is asked to terminate is answered, and its submission is stored.
fn ends() -> Result<(), Failed> {
    use std::io::{Read, Write};
    let folder = folder();
    let mut service = Running::start(folder.path(), &["--log-format", "json"]);
    let sent = text(&document("last"));
    let (first, second) = sent.split_at(sent.len() / 2);
    let mut connection = service.connect();
    write!(
        connection,
        "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nx-request-id: my-own-id\r\n\r\n{first}",
        sent.len()
    )?;
    // The request has started once it is counted.
    while !service.get("/metrics").text.contains("hirace_litmus_connections 2\n") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("kill").arg(service.id().to_string()).status()?.success());
    std::thread::sleep(std::time::Duration::from_millis(200));
    connection.write_all(second.as_bytes())?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(answer.contains("x-request-id: my-own-id"), "{answer}");
    let (status, log) = service.ended();
    assert!(status.success(), "{status}\n{log}");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered = lines.iter().find(|line| line["path"] == "/api/submissions").unwrap();
    assert_eq!((&answered["status"], &answered["span"]["id"]), (&json!(201), &json!("my-own-id")));
    let service = Running::start(folder.path(), &[]);
    assert_eq!(service.get("/api/submissions/1").json()["document"]["settings"]["seed"], "last");
    Ok(())
}
