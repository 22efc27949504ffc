//! The client of `hirace litmus run --server`.

use crate::running::{Running, TOKEN, folder};
use crate::samples::{document, text};
use hirace_litmus::remote::Client;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("client::it_submits_and_says_why_not", submits),
        Trial::test("client::it_names_a_service_that_is_not_there", absent),
        Trial::test("client::it_waits_as_long_as_it_is_asked_to", waits),
    ]
}

fn submits() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--closed"]);
    let sent = text(&document("one"));
    let refused =
        Client::new(&service.url("/"), None, Arc::default()).submit(&sent).unwrap_err().to_string();
    assert!(refused.contains("token"), "{refused}");
    let client = Client::new(&service.url("/"), Some(TOKEN.to_owned()), Arc::default());
    let submitted = client.submit(&sent).map_err(|error| error.to_string())?;
    assert_eq!((submitted.id, &submitted.url[..]), (1, "/#/results/1"));
    let wrong = sent.replace("\"schema\":\"hirace.litmus/1\"", "\"schema\":\"hirace.litmus/9\"");
    let refused = client.submit(&wrong).unwrap_err().to_string();
    assert!(refused.contains("(schema)"), "{refused}");
    let refused = client.campaign(None).unwrap_err().to_string();
    assert!(refused.contains("no open campaign"), "{refused}");
    Ok(())
}

fn absent() -> Result<(), Failed> {
    // Nothing listens on a port that was bound and released.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let url = format!("http://{address}");
    let refused = Client::new(&url, None, Arc::default()).campaign(Some("one")).unwrap_err();
    assert!(refused.to_string().contains(&url), "{refused}");
    Ok(())
}

/// The client waits however often it is asked to: waiting is not a failure.
fn waits() -> Result<(), Failed> {
    const TIMES: usize = 6;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let service = std::thread::spawn(move || -> std::io::Result<()> {
        for time in 0..=TIMES {
            let (mut connection, _) = listener.accept()?;
            let mut request = Vec::new();
            while !request.ends_with(b"{}") {
                let mut part = [0; 4096];
                let count = connection.read(&mut part)?;
                request.extend_from_slice(&part[..count]);
            }
            let (status, more, body) = match time {
                TIMES => ("201 Created", "", "{\"id\": 7, \"url\": \"/#/results/7\"}"),
                _ => ("429 Too Many Requests", "retry-after: 0\r\n", "{}"),
            };
            write!(
                connection,
                "HTTP/1.1 {status}\r\n{more}content-type: application/json\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{body}",
                body.len()
            )?;
        }
        Ok(())
    });
    let submitted = Client::new(&url, None, Arc::default()).submit("{}");
    assert_eq!(submitted.map_err(|error| error.to_string())?.id, 7);
    service.join().unwrap()?;
    Ok(())
}
