//! The client that `hirace litmus run --server` has.

use crate::running::{Running, TOKEN, folder};
use crate::samples::{document, text};
use hirace_litmus::remote::Client;
use libtest_mimic::{Failed, Trial};
use std::net::TcpListener;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("client::it_submits_and_says_why_not", submits),
        Trial::test("client::it_names_a_service_that_is_not_there", absent),
    ]
}

fn submits() -> Result<(), Failed> {
    let folder = folder();
    let service = Running::with_token(folder.path(), &["--closed"]);
    let sent = text(&document("one"));
    let refused = Client::new(&service.url("/"), None).submit(&sent).unwrap_err().to_string();
    assert!(refused.contains("token"), "{refused}");
    let client = Client::new(&service.url("/"), Some(TOKEN.to_owned()));
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
    // Nobody listens at a port that was had and given back.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let url = format!("http://{address}");
    let refused = Client::new(&url, None).campaign(Some("one")).unwrap_err();
    assert!(refused.to_string().contains(&url), "{refused}");
    Ok(())
}
