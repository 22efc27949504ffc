//! Tests of the kernels of kernels/schedules, which docs/evaluation/comparisons.md compares with a study of benchmark kernels.

use super::{ensure, findings, holds, results};
use crate::support::{root, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

pub fn trials() -> Vec<Trial> {
    let name = "amplify::study::of_each_kernel_is_found_what_its_page_says";
    vec![Trial::ci(name, study)]
}

fn study() -> Result<(), Failed> {
    let folder = scratch("amplify").join("study");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    for file in fs::read_dir(root().join("kernels/schedules"))? {
        let path = file?.path();
        fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))?;
    }
    let (ended, json) = results(&folder, &[])?;
    ensure(ended.status == Some(1), &ended)?;
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for test in json["tests"].as_array().into_iter().flatten() {
        let only = serde_json::json!({ "tests": [test] });
        let kinds = findings(&only).into_iter().filter_map(|of| of["what"]["kind"].as_str());
        let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
        found.insert(text(&test["name"]), kinds.map(str::to_owned).collect());
    }
    let of = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect();
    let expected = BTreeMap::from(
        [
            ("grid barrier: needs all workgroups resident", of(&["no-progress"])),
            ("look-back: waits by order of starting", of(&[])),
            ("look-back: waits by workgroup id", of(&["no-progress"])),
            ("scan: lanes leave before the barriers", of(&[])),
            ("spmv: padding rows write to row 0", of(&["outputs-differ"])),
            ("tpacf: the last barrier is deleted", of(&["outputs-differ"])),
        ]
        .map(|(name, kinds)| (name.to_owned(), kinds)),
    );
    holds(found == expected, &json)
}
