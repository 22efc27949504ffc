//! The page in a browser: links land where they point to, what is to be copied is copied or selected, and what is folded
//! opens.

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

/// What stands behind the page: it says in the end what it saw.
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
        ("title", Value::from("How good the tests of GPU kernels are")),
    ];
    Ok(browser::says(folder, &page, CLICKS, &wanted)?)
}
