//! Tests that a suite of tests is covered, with the same counts on the embedded engine and on a device. The suite is that of all
//! kernels, which is built again for it, so these tests run in the full tier.

use crate::support::{hirace, root, scratch};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Files whose counts depend on more than what is launched, and why. Files that exchange values conditionally
/// ([`hangs_on_order`]) are not listed.
#[cfg(feature = "gpu")]
const DIFFERENT: [(&str, &str); 5] = [
    ("beside", "the device decides how two-dimensional workgroups form subgroups"),
    ("k_means", "which of several racing centers is nearest depends on the order"),
    ("cutcp", "whether an atom is near enough depends on the rounding of distances"),
    ("sad", "the device decides how two-dimensional workgroups form subgroups"),
    ("textures", "the same"),
];

pub fn trials() -> Vec<Trial> {
    let name = "cover::suite::each_test_is_seen_by_itself";
    let alone = Trial::test(name, each_test_is_seen_by_itself);
    std::iter::once(alone).chain(on_device()).map(|trial| trial.in_tier(Tier::Full)).collect()
}

#[cfg(not(feature = "gpu"))]
fn on_device() -> Option<Trial> {
    None
}

#[cfg(feature = "gpu")]
fn on_device() -> Option<Trial> {
    let name = "cover::suite::the_kernels_of_the_corpus_count_the_same_on_a_device";
    Some(crate::device::on_device(name, |device| {
        use hirace::raw::exec::Executor;
        let lanes = device.subgroup_size().unwrap_or(32).to_string();
        let embedded = [("HIRACE_DEVICE", "embedded"), ("HIRACE_SUBGROUP_SIZE", &lanes)];
        let here = covered("here", &[], &embedded)?;
        let name = crate::device::device_name();
        let there = covered("there", &["--", "--test-threads=2"], &[("HIRACE_DEVICE", &name)])?;
        same_files(&here, &there)
    }))
}

/// Runs `hirace cover` on the tests that these arguments select in the crate of kernels.
fn covered(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Value, Failed> {
    let report = scratch(&format!("cover-suite-{name}")).join("cover.json");
    let shown = format!("json={}", report.display());
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let test = [
        "cover",
        "-q",
        "--report",
        &shown,
        "--",
        &cargo,
        "test",
        "--locked",
        "-p",
        "hirace-kernels",
        "--lib",
    ];
    let mut command: Command = hirace(&[test.as_slice(), arguments].concat());
    command.current_dir(root()).envs(environment.iter().copied());
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{:?}\n{said}", output.status).into());
    }
    let text = std::fs::read_to_string(Path::new(&report))?;
    Ok(serde_json::from_str(&text)?)
}

fn each_test_is_seen_by_itself() -> Result<(), Failed> {
    let coverage = covered("alone", &["saxpy::"], &[])?;
    let tests: Vec<&Value> = coverage["tests"].as_array().into_iter().flatten().collect();
    let kernels: BTreeMap<&str, &Value> =
        tests.iter().filter_map(|test| Some((test["name"].as_str()?, &test["kernels"]))).collect();
    if kernels.len() < 2 || kernels.values().any(|of| of.as_array().is_none_or(|of| of.len() != 1))
    {
        return Err(format!("{kernels:?}").into());
    }
    let files = coverage["files"].as_array().cloned().unwrap_or_default();
    let is_launched = |file: &&Value| file["kernels"].as_array().is_some_and(|of| !of.is_empty());
    let launched: Vec<&Value> =
        files.iter().filter(is_launched).map(|file| &file["file"]).collect();
    if launched != ["kernels/src/saxpy.rs"] {
        return Err(format!("{launched:?}").into());
    }
    // Kernels that no test launches are in the report too.
    let others = files.iter().filter(|file| !is_launched(file));
    let lines = others.flat_map(|file| file["lines"].as_array().cloned().unwrap_or_default());
    let counts: Vec<Value> = lines.map(|line| line["count"].clone()).collect();
    match counts.len() > 1_000 && counts.iter().all(|count| count == 0) {
        true => Ok(()),
        false => Err(format!("{} counted lines without a launch", counts.len()).into()),
    }
}

#[cfg(feature = "gpu")]
fn same_files(here: &Value, there: &Value) -> Result<(), Failed> {
    let files = |of: &Value| -> BTreeMap<String, Value> {
        let files = of["files"].as_array().cloned().unwrap_or_default();
        files
            .into_iter()
            .map(|file| (file["file"].as_str().unwrap_or_default().to_owned(), file))
            .collect()
    };
    let (here, there) = (files(here), files(there));
    if here.len() < 80 || !here.keys().eq(there.keys()) {
        return Err(format!("{:?}\n{:?}", here.keys(), there.keys()).into());
    }
    let stem =
        |name: &str| Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut all = Vec::new();
    for (name, file) in &here {
        // A text that is in no file has no twin.
        let source = std::fs::read_to_string(root().join(name)).unwrap_or_default();
        if hangs_on_order(&source) || DIFFERENT.iter().any(|(known, _)| stem(name) == *known) {
            continue;
        }
        for what in ["lines", "functions", "branches", "loops", "barriers"] {
            let of = |file: &Value| -> Vec<Value> {
                let all = file[what].as_array().cloned().unwrap_or_default();
                all.into_iter().filter(|entry| !is_of_racy_twin(&source, entry)).collect()
            };
            let differs = of(file).into_iter().zip(of(&there[name])).find(|(a, b)| a != b);
            if let Some((here, there)) = differs {
                all.push(format!("{name}: {here} here, {there} on the device"));
            }
        }
    }
    if all.is_empty() { Ok(()) } else { Err(all.join("\n").into()) }
}

/// Returns whether the order of invocations decides how often something runs: an invocation whose conditional exchange fails
/// retries, or takes another path.
#[cfg(feature = "gpu")]
fn hangs_on_order(source: &str) -> bool {
    source.contains("compare_exchange")
}

/// Returns whether an entry is in the racy twin, or in a function that it calls: how often its statements run depends on the
/// order of the racing accesses.
#[cfg(feature = "gpu")]
fn is_of_racy_twin(source: &str, entry: &Value) -> bool {
    let twin = source.find("pub fn racy").map_or("", |start| &source[start..]);
    let twin = twin.split("#[cfg(test)]").next().unwrap_or_default();
    let name = entry["function"].as_str().or(entry["name"].as_str()).unwrap_or_default();
    name == "racy" || (!name.is_empty() && twin.contains(&format!("{name}(")))
}
