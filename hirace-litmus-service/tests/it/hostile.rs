//! Malicious requests are refused with a reason, and malicious text is never interpreted.

use crate::running::{Running, folder};
use crate::samples::{document, reseeded, text};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("hostile::what_is_malformed_is_refused_with_its_place", malformed),
        Trial::test("hostile::wrong_sums_are_refused", wrong_sums),
        Trial::test("hostile::sizes_are_bounded", oversized),
        Trial::test("hostile::other_types_and_methods_are_refused", types),
        Trial::test("hostile::slow_requests_end", slow),
        Trial::test("hostile::names_are_text_and_nothing_else", names),
        Trial::test("hostile::heads_of_requests_are_bounded", heads),
        Trial::test("hostile::numbers_that_are_too_large_are_no_fault_of_the_service", large),
    ]
}

fn malformed() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let deep = "[".repeat(100_000);
    let deep_within = format!("{{\"schema\": \"hirace.litmus/1\", \"runs\": {deep}");
    let deep_platform =
        format!("{{\"platformInfo\": {}1{}}}", "{\"a\":".repeat(5000), "}".repeat(5000));
    let texts = [
        "",
        "{",
        "nonsense",
        "{}{}",
        "\u{0}",
        "[1, 2",
        "{\"schema\": \"hirace.litmus/1\"",
        "{\"schema\":1e999}",
        &deep,
        &deep_within,
        &deep_platform,
    ];
    for text in texts {
        assert_eq!(service.post("/api/submissions", text).problem().0, 400, "{text:.80}");
    }
    let readable = [
        "[]",
        "null",
        "12",
        "{}",
        "{\"schema\": \"hirace.litmus/1\"}",
        "{\"0\": {\"params\": {}}}",
        "{\"no-number\": {}}",
    ];
    for text in readable {
        assert_eq!(service.post("/api/submissions", text).problem().0, 422, "{text}");
    }
    let mut typed = serde_json::to_value(document("one"))?;
    typed["runs"][1]["instances"] = json!("many");
    let refused = service.post("/api/submissions", &typed.to_string()).problem();
    assert_eq!(refused, (422, json!("runs[1].instances")));
    typed["runs"][1]["instances"] = json!(-1);
    assert_eq!(service.post("/api/submissions", &typed.to_string()).problem(), refused);
    assert_eq!(service.get("/api/health").json()["submissions"], 0);
    Ok(())
}

fn wrong_sums() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let honest = serde_json::to_value(document("one"))?;
    let cases = [
        ("/runs/0/instances", json!(1), "runs[0].instances"),
        ("/runs/0/found", json!(999), "runs[0].found"),
        ("/timing/runs/0", json!(5e-324), "timing.runs[0]"),
        ("/runs/0/classes/forbidden", json!(7), "runs[0].classes"),
        ("/runs/0/outcomes/0/count", json!(1u64 << 60), "runs[0].outcomes"),
        ("/runs/0/outcomes/0/class", json!("weak"), "runs[0].outcomes[0].class"),
        ("/summary/killed", json!(2), "summary"),
        ("/tests/0/name", json!("'; DROP TABLE submissions; --"), "tests[0].name"),
    ];
    for (place, value, at) in cases {
        let mut changed = honest.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let refused = service.post("/api/submissions", &changed.to_string()).problem();
        assert_eq!(refused, (422, json!(at)), "{place}");
    }
    let published = json!({"0": {
        "params": {"testingWorkgroups": 2, "maxWorkgroups": 4, "workgroupSize": 8, "shufflePct": 0,
            "barrierPct": 0, "memStressPct": 0, "preStressPct": 0, "scratchMemorySize": 2048, "memStride": 1,
            "stressLineSize": 64, "stressTargetLines": 2, "memStressIterations": 0, "preStressIterations": 0,
            "stressStrategyBalancePct": 0, "memStressStoreFirstPct": 0, "memStressStoreSecondPct": 0,
            "preStressStoreFirstPct": 0, "preStressStoreSecondPct": 0, "iterations": 10},
        "Message Passing Default": {"seq": 150, "interleaved": 10, "weak": 0, "durationSeconds": 1.5},
    }, "userInfo": {"name": "Ada", "email": "ada@example.org"}});
    let sent = service.post("/api/submissions", &published.to_string());
    assert_eq!(sent.status, 201, "{sent:?}");
    let kept = service.get("/api/submissions/1").text;
    assert!(!kept.contains("ada@example.org") && kept.contains("150"), "{kept}");
    let mut long = published.clone();
    long["randomSeed"] = json!("x".repeat(1000));
    let refused = service.post("/api/submissions", &long.to_string()).problem();
    assert_eq!(refused, (422, json!("randomSeed")));
    let mut wrong = published;
    wrong["0"]["Message Passing Default"]["seq"] = json!(151);
    let refused = service.post("/api/submissions", &wrong.to_string()).problem();
    assert_eq!(refused, (422, json!("0.Message Passing Default")));
    Ok(())
}

fn oversized() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &["--max-body", "1"]);
    let padded = format!("{}{}", text(&document("one")), " ".repeat(1 << 20));
    assert_eq!(service.post("/api/submissions", &padded).problem().0, 413);
    // A request that states an excessive size is refused before its body arrives.
    let mut connection = service.connect();
    write!(
        connection,
        "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 99999999999\r\n\r\n{{"
    )?;
    let answer = read(&mut connection);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // A request that does not state its size is refused once it is too large.
    let mut connection = service.connect();
    write!(
        connection,
        "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n"
    )?;
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, " ".repeat(1 << 16));
    for _ in 0..80 {
        if connection.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let answer = read(&mut connection);
    assert!(answer.starts_with("HTTP/1.1 413") || answer.is_empty(), "{answer}");
    let long = reseeded(&document("one"), &"x".repeat(300));
    assert_eq!(service.post("/api/submissions", &long).problem(), (422, json!("settings.seed")));
    assert_eq!(service.get("/api/health").json()["submissions"], 0);
    Ok(())
}

fn read(connection: &mut std::net::TcpStream) -> String {
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    loop {
        match connection.read(&mut part) {
            Ok(0) => break,
            Ok(count) => {
                all.extend_from_slice(&part[..count]);
                // A connection may stay open after the response.
                if all.ends_with(b"}") {
                    break;
                }
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&all)),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn types() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let sent = text(&document("one"));
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x", ""]
    {
        let mut connection = service.connect();
        write!(
            connection,
            "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{sent}",
            sent.len()
        )?;
        let answer = read(&mut connection);
        assert!(answer.starts_with("HTTP/1.1 415"), "{kind}: {answer}");
    }
    assert_eq!(service.post("/api/tests", "{}").problem().0, 405);
    assert_eq!(service.post("/api/nothing", "{}").problem().0, 404);
    assert_eq!(service.get("/api/submissions/one").problem().0, 404);
    assert_eq!(service.get("/api/submissions/99999999999999999999").problem().0, 404);
    assert_eq!(service.get("/api/submissions/-1").problem().0, 404);
    assert_eq!(service.get("/api/analysis?submissions=1,x").problem().0, 422);
    assert_eq!(service.get("/api/analysis?vendor=%27%20OR%201=1%20--").status, 200);
    for path in
        ["/api/campaigns/%00", "/api/campaigns/%ff", "/api/campaigns/%ff/results", "/page/%ff"]
    {
        assert_eq!(service.get(path).problem().0, 404, "{path}");
    }
    // Clients can invent any number of methods: they are counted as one.
    for nth in 0..3 {
        let mut connection = service.connect();
        write!(
            connection,
            "MADE-UP-{nth} / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        )?;
        assert!(read(&mut connection).starts_with("HTTP/1.1 405"));
    }
    let metrics = service.get("/metrics").text;
    assert!(metrics.contains("method=\"other\"") && !metrics.contains("MADE-UP"), "{metrics}");
    Ok(())
}

/// A body that arrives byte by byte, and one that stops, end their request and nothing else.
fn slow() -> Result<(), Failed> {
    let folder = folder();
    let hasty = crate::running::folder();
    let hasty = Running::start(hasty.path(), &["--timeout", "2"]);
    let service = Running::start(folder.path(), &[]);
    // The pause is longer than the limit.
    let mut stopped = service.connect();
    write!(
        stopped,
        "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{"
    )?;
    // The body arrives, but too slowly.
    let mut dripping = hasty.connect();
    write!(
        dripping,
        "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 100000\r\n\r\n"
    )?;
    let mut other_end = dripping.try_clone()?;
    let drips = std::thread::spawn(move || {
        while other_end.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    assert!(read_head(&mut stopped).starts_with("HTTP/1.1 408"));
    assert!(read_head(&mut dripping).starts_with("HTTP/1.1 503"));
    // The service may have closed the connection before.
    let _ = dripping.shutdown(std::net::Shutdown::Both);
    drips.join().unwrap();
    assert_eq!(service.post("/api/submissions", &text(&document("one"))).status, 201);
    Ok(())
}

fn read_head(connection: &mut std::net::TcpStream) -> String {
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut part = [0; 4096];
    let count = connection.read(&mut part).unwrap();
    String::from_utf8_lossy(&part[..count]).into_owned()
}

fn names() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let names = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "'); DROP TABLE submissions; --",
        "{{7*7}} ${7*7} %s%n",
        "\u{202e}evil\u{2066}",
    ];
    for name in names {
        let mut document = document("one");
        document.target.name = name.to_owned();
        document.target.vendor = name.to_owned();
        document.settings.seed = name.to_owned();
        assert_eq!(service.post("/api/submissions", &text(&document)).status, 201, "{name}");
    }
    let listed = service.get("/api/submissions").json();
    let listed: Vec<&str> = listed["submissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["device"].as_str().unwrap())
        .collect();
    assert_eq!(listed, names.into_iter().rev().collect::<Vec<_>>());
    let analysis = service.get("/api/analysis?format=html");
    assert!(!analysis.text.contains("<script") && !analysis.text.contains("<img"));
    assert!(analysis.text.contains("&lt;script&gt;"));
    let one: Value = service.get("/api/analysis?vendor=%3Cscript%3Ealert(1)%3C/script%3E").json();
    assert_eq!(one["sides"][0]["devices"].as_array().unwrap().len(), 1);
    Ok(())
}

/// Environments whose products overflow.
fn large() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let presets = service.get("/api/presets").json();
    let mut parameters = presets["basic"].clone();
    for (name, value) in [
        ("testingWorkgroups", u32::MAX),
        ("maxWorkgroups", u32::MAX),
        ("workgroupSize", 10_000_001),
    ] {
        parameters[name] = json!(value);
    }
    let environment = json!({"layout": "parallel", "parameters": parameters});
    let limits = json!({"max_workgroups": u32::MAX, "max_workgroup_size": u32::MAX, "max_words": 1u64 << 60});
    let asked = json!({"test": "rr", "environment": environment, "seed": "s", "limits": limits});
    assert_eq!(
        service.post("/api/jobs", &asked.to_string()).problem(),
        (422, json!("environment"))
    );
    let mut document = serde_json::to_value(document("large"))?;
    document["environments"][0] = environment;
    assert_eq!(service.post("/api/submissions", &document.to_string()).problem().0, 422);
    let mut many = serde_json::to_value(crate::samples::document("many"))?;
    many.as_object_mut().unwrap().remove("summary");
    many["runs"][0]["classes"] = json!({"sequential": 0, "interleaved": 0, "weak": 0, "forbidden": u64::MAX, "other": u64::MAX});
    many["runs"][0]["found"] = json!(u64::MAX);
    assert_eq!(service.post("/api/submissions", &many.to_string()).problem().0, 422);
    Ok(())
}

fn heads() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let mut connection = service.connect();
    let long = "x".repeat(1 << 20);
    // The request may be refused before it was sent completely.
    let _ = write!(connection, "GET /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let answer = read(&mut connection);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer:.100}");
    let mut connection = service.connect();
    let _ = connection.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n");
    let answer = read(&mut connection);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer:.100}");
    assert_eq!(service.get("/api/health").status, 200);
    Ok(())
}
