//! Tests of the service of litmus campaigns, as the command starts it and works with it. It is a separate program: if it was not
//! built, the trial shows as ignored.

use super::support::{hirace, run};
use hirace_testing::Facility;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

pub fn trials() -> Vec<Trial> {
    let need = Need::new(Facility::Service, || {
        let program = Path::new(env!("CARGO_BIN_EXE_hirace"))
            .with_file_name(format!("hirace-litmus-service{EXE_SUFFIX}"));
        (!program.is_file()).then(|| "hirace-litmus-service is not built".to_owned())
    });
    let name = "litmus_service::it_is_started_sent_to_and_worked_for";
    vec![Trial::test(name, together).needs(need)]
}

/// A running service, which is killed when this is dropped.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn together() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("token"), "a token of a test\n")?;
    let mut command = hirace(&["litmus", "serve", "--listen=127.0.0.1:0"]);
    command.args(["--database", &path("litmus.db"), "--token-file", &path("token"), "--log=warn"]);
    let mut service = Service(command.stdout(Stdio::piped()).spawn()?);
    let mut line = String::new();
    BufReader::new(service.0.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let url = line.trim().trim_end_matches('/');
    let hirace = |arguments: &[&str]| run(&mut hirace(arguments), LIMIT);

    let report = format!("json={}", path("results.json"));
    let small =
        ["--set=workgroupSize=4", "--iterations=3", "--device=simulated:relaxed", "--quiet"];
    let run = ["litmus", "run", "rr", "mp-two-locations", "--report", &report];
    let ran = hirace(&[&run[..], &small].concat());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let sent = hirace(&["litmus", "submit", url, &path("results.json")]);
    assert_eq!(sent.status, Some(0), "{sent:?}");
    assert!(sent.stdout.contains(&format!("{url}/#/results/1")), "{sent:?}");
    let refused = hirace(&["litmus", "submit", url, &path("token")]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    // A run that is incomplete does not keep other results from being sent.
    fs::create_dir(path("incomplete"))?;
    let identity = json!({"version": 1, "hirace": env!("CARGO_PKG_VERSION"), "of": "{}"});
    fs::write(path("incomplete/run.json"), identity.to_string())?;
    let sent = hirace(&["litmus", "submit", url, &path("incomplete"), &path("results.json")]);
    assert_eq!(sent.status, Some(2), "{sent:?}");
    assert!(sent.stderr.contains("is incomplete"), "{sent:?}");
    assert!(sent.stdout.contains(&format!("{url}/#/results/1")), "{sent:?}");

    let none = hirace(&["litmus", "run", "--server", url]);
    assert!(none.stderr.contains("no open campaign") && none.status != Some(0), "{none:?}");
    announce(url, "a token of a test")?;
    let report = format!("json={}", path("campaign.json"));
    let worked =
        ["litmus", "run", "--server", url, "--device=simulated:relaxed", "--report", &report];
    let worked = hirace(&worked);
    assert_eq!(worked.status, Some(0), "{worked:?}");
    let results: Value = serde_json::from_str(&fs::read_to_string(path("campaign.json"))?)?;
    assert_eq!(results["runs"].as_array().map(Vec::len), Some(6));
    // All work is done: nothing remains, which is a success.
    let rest = hirace(&["litmus", "run", "--server", url, "--device=simulated:relaxed"]);
    assert_eq!(rest.status, Some(0), "{rest:?}");
    Ok(())
}

/// Announces a campaign by an HTTP request, as the host of a service does.
fn announce(url: &str, token: &str) -> Result<(), Failed> {
    let proposal = json!({
        "name": "round",
        "tests": ["rr", "rr-reversed", "mp-two-locations"],
        "environments": {"seed": "s", "number": 2, "maxWorkgroups": 3, "maxWorkgroupSize": 4},
        "settings": {"seed": "t", "iterations": 2},
    });
    let text = proposal.to_string();
    let address = url.strip_prefix("http://").ok_or("no address")?;
    let mut connection = std::net::TcpStream::connect(address)?;
    write!(
        connection,
        "POST /api/campaigns HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    )?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    Ok(())
}
