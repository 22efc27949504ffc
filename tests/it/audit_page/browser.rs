//! Tests of the page in a browser: links lead to their targets, code to copy is copied or selected, and folded sections open.

use super::{Test, audit, ensure};
use crate::browser;
use hirace_testing::harness::Need;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;

pub fn tests() -> Vec<(&'static str, Test, Option<Need>)> {
    vec![("browser::a_page_is_read_and_clicked_through", clicked as Test, Some(browser::need()))]
}

/// The script that is appended to the page, and reports at the end what it observed.
const CLICKS: &str = include_str!("clicks.js");

fn clicked(folder: &Path) -> Result<(), Failed> {
    let ended = audit(folder, &["--report", "html=audit.html"]);
    ensure(ended.status == Some(1), &ended)?;
    let page = fs::read_to_string(folder.join("audit.html"))?;
    let wanted = [
        ("landed", Value::from(true)),
        ("back", Value::from(true)),
        ("copied", Value::from(true)),
        ("folded", Value::from(true)),
        ("title", Value::from("Audit of GPU kernel tests")),
    ];
    Ok(browser::assert_page_reports(folder, &page, CLICKS, &wanted)?)
}
