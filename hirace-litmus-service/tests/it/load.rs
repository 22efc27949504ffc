//! Slow and greedy clients: what they hold is bounded, and others are served.

use crate::running::{Running, folder};
use crate::samples::{document, proposal, text};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The time after which a state that is waited for is taken to be never reached.
const LIMIT: Duration = Duration::from_secs(120);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("load::clients_that_do_not_read_hold_no_responses", unread),
        Trial::test("load::clients_that_do_not_read_are_disconnected", disconnected),
        Trial::test("load::long_responses_arrive_whole", whole),
        Trial::test("load::announced_bodies_reserve_no_memory", announced),
        Trial::test("load::repeated_names_are_looked_up_once", repeated),
        Trial::test("load::descriptions_of_platforms_are_bounded", platform),
        Trial::test("load::only_own_hosts_are_served", hosts),
        Trial::test("load::no_response_is_taken_for_another_type", types),
    ]
}

/// Submits a document of some megabytes, and returns its path.
fn large_submission(service: &Running) -> Result<String, Failed> {
    let mut document = document("large");
    let environment = document.environments[0].clone();
    document.environments.extend(std::iter::repeat_n(environment, 20_000));
    let answer = service.post("/api/submissions", &text(&document));
    assert_eq!(answer.status, 201, "{answer:?}");
    Ok(format!("/api/submissions/{}", answer.json()["id"]))
}

/// Asks for a path and reads nothing.
fn ask(service: &Running, path: &str) -> Result<TcpStream, Failed> {
    let mut connection = service.connect();
    write!(connection, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
    Ok(connection)
}

/// Returns the number of open connections, as the service counts them, without the one that asks.
fn connections(service: &Running) -> usize {
    let metrics = service.get("/metrics").text;
    let mut values = metrics.lines().filter(|line| !line.starts_with('#'));
    let value = values.find(|line| line.contains("connections ")).unwrap_or_default();
    let count = value.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok());
    count.unwrap_or_else(|| panic!("{metrics}")) - 1
}

/// Waits until a condition holds.
fn reaches(what: &str, condition: impl Fn() -> bool) -> Result<(), Failed> {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > LIMIT {
            return Err(format!("never reached: {what}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Returns the peak memory of the service in bytes, where the system reports it.
fn peak_memory(service: &Running) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

fn unread() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &["--max-body", "32"]);
    let path = large_submission(&service)?;
    let length = service.get(&path).text.len() as u64;
    assert!(length > 4 << 20, "{length}");
    let begun = |count: usize| -> Result<Vec<TcpStream>, Failed> {
        let clients: Result<Vec<TcpStream>, Failed> =
            (0..count).map(|_| ask(&service, &path)).collect();
        let clients = clients?;
        // Each response has begun: its head can be read.
        for mut client in &clients {
            client.set_read_timeout(Some(LIMIT))?;
            let mut head = [0; 12];
            client.read_exact(&mut head)?;
            assert_eq!(&head, b"HTTP/1.1 200");
        }
        Ok(clients)
    };
    // Afterwards, as many responses have been written at one time as ever are.
    let _some = begun(32)?;
    let before = peak_memory(&service);
    let clients = begun(64)?;
    assert_eq!(service.get("/api/health").status, 200);
    if let (Some(before), Some(after)) = (before, peak_memory(&service)) {
        let (grown, all) = (after - before, length * clients.len() as u64);
        assert!(grown < all / 4, "{grown} bytes for responses of {all} bytes");
    }
    Ok(())
}

fn disconnected() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &["--max-body", "32", "--idle", "1"]);
    let path = large_submission(&service)?;
    let clients: Vec<TcpStream> = (0..8).map(|_| ask(&service, &path)).collect::<Result<_, _>>()?;
    reaches("no connection of a client that does not read", || connections(&service) == 0)?;
    // A client that reads is served.
    assert_eq!(service.get(&path).status, 200);
    drop(clients);
    Ok(())
}

fn whole() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--max-body", "32"]);
    let path = large_submission(&service)?;
    let stored = service.get(&path);
    assert_eq!((stored.status, stored.kind.as_str()), (200, "application/json"));
    let environments = stored.json()["document"]["environments"].as_array().map(Vec::len);
    assert_eq!(environments, Some(20_001));
    let answer = service.post_as_host("/api/campaigns", &proposal("long", 900).to_string());
    assert_eq!(answer.status, 201, "{answer:?}");
    let campaign = service.get("/api/campaigns/long").json();
    assert_eq!(campaign["environments"].as_array().map(Vec::len), Some(900));
    let drawn = service.get("/api/environments?seed=s&number=900").json();
    assert_eq!(drawn["environments"].as_array().map(Vec::len), Some(900));
    // No temporary file remains.
    let files = std::fs::read_dir(folder.path())?.flatten();
    let others = files.filter(|file| !file.file_name().to_string_lossy().starts_with("litmus.db"));
    assert_eq!(others.filter(|file| file.file_name() != "token").count(), 0);
    Ok(())
}

/// Clients that together announce several times the memory for bodies, and send a little of it.
fn announced() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &["--rate", "0"]);
    let clients: Result<Vec<TcpStream>, Failed> = (0..40)
        .map(|_| {
            let mut connection = service.connect();
            write!(
                connection,
                "POST /api/submissions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: {}\r\n\r\n{{",
                8 << 20
            )?;
            Ok(connection)
        })
        .collect();
    let clients = clients?;
    reaches("all clients are connected", || connections(&service) >= clients.len())?;
    let answer = service.post("/api/submissions", &text(&document("honest")));
    assert_eq!(answer.status, 201, "{answer:?}");
    // The slow clients still wait: none of them was ended to make room.
    for mut client in &clients {
        client.set_nonblocking(true)?;
        let read = client.read(&mut [0; 1]);
        assert!(read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
    }
    Ok(())
}

fn repeated() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &[]);
    let mut many = proposal("many", 2);
    many["tests"] = Value::from(vec!["rr"; 100_000]);
    let answer = service.post_as_host("/api/campaigns", &many.to_string());
    assert_eq!(answer.status, 201, "{answer:?}");
    let campaign = service.get("/api/campaigns/many").json();
    assert_eq!(campaign["tests"], json!(["rr"]));
    Ok(())
}

fn platform() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    let basic = service.get("/api/presets").json()["basic"].clone();
    let sent = |description: usize| {
        let document = json!({
            "0": {"params": basic, "rr": {"seq": 1, "interleaved": 0, "weak": 0, "durationSeconds": 1.0}},
            "platformInfo": {"browser": {"name": "x".repeat(description)}},
        });
        service.post("/api/submissions", &document.to_string())
    };
    assert_eq!(sent(1 << 20).problem(), (422, json!("platformInfo")));
    // A short description is not what such a submission is refused for.
    let short = sent(100);
    assert!(short.status == 201 || short.problem().1 != "platformInfo", "{short:?}");
    assert_eq!(service.get("/api/health").status, 200);
    Ok(())
}

fn hosts() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &["--host", "litmus.example.org"]);
    let status = |head: &str| -> Result<String, Failed> {
        let mut connection = service.connect();
        connection.set_read_timeout(Some(LIMIT))?;
        write!(connection, "GET /api/health {head}\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer)?;
        Ok(answer.split(' ').nth(1).unwrap_or_default().to_owned())
    };
    let own = service.address.to_string();
    for host in ["localhost", "127.0.0.1:1", "[::1]", "litmus.example.org", &own] {
        assert_eq!(status(&format!("HTTP/1.1\r\nhost: {host}"))?, "200", "{host}");
    }
    for host in ["example.org", "evil.localhost.example.org", "192.0.2.1", ""] {
        assert_eq!(status(&format!("HTTP/1.1\r\nhost: {host}"))?, "421", "{host}");
    }
    // A check of a container's health may state no host. Browsers always do.
    assert_eq!(status("HTTP/1.0")?, "200");
    Ok(())
}

fn types() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::start(folder.path(), &[]);
    for path in
        ["/", "/page/main.js", "/api/health", "/api/analysis?format=html", "/metrics", "/no"]
    {
        let mut connection = service.connect();
        connection.set_read_timeout(Some(LIMIT))?;
        write!(connection, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).to_lowercase();
        let head = answer.split("\r\n\r\n").next().unwrap_or_default();
        assert_eq!(head.matches("x-content-type-options: nosniff").count(), 1, "{path}: {head}");
    }
    Ok(())
}
