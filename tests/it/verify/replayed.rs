//! Tests that `check` reproduces what `verify` finds, by the command that `verify` prints, if an interleaving shows it.

use super::kernels::{counter, exchange, flags};
use super::{Test, verify};
use crate::support::{hirace, run};
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

pub const TESTS: &[(&str, Test)] = &[
    ("what_is_found_is_replayed", what_is_found_is_replayed),
    ("what_takes_a_weak_memory_is_not_replayed", what_takes_a_weak_memory_is_not_replayed),
    ("what_is_no_schedule_is_refused", what_is_no_schedule_is_refused),
];

/// Returns the first finding in a text with this number of workgroups.
fn found(folder: &Path, file: &str, text: &str, workgroups: &str) -> Result<Value, Failed> {
    let (json, status) = verify(folder, file, text, &["--workgroups", workgroups])?;
    assert_eq!(status, 1, "{json}");
    Ok(json["programs"][0]["findings"][0].clone())
}

/// Returns the rules of the findings of `check` with a command.
fn rules(command: &str) -> Result<Vec<String>, Failed> {
    let words: Vec<&str> = command.split(' ').skip(1).chain(["--format", "json"]).collect();
    let ended = run(&mut hirace(&words), Duration::from_secs(120));
    let json: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {command}: {}{}", ended.stdout, ended.stderr))?;
    let launches = json["launches"].as_array().into_iter().flatten();
    let findings = launches.flat_map(|launch| launch["findings"].as_array().into_iter().flatten());
    Ok(findings.filter_map(|finding| Some(finding["rule"].as_str()?.to_owned())).collect())
}

fn what_is_found_is_replayed(folder: &Path) -> Result<(), Failed> {
    let waits = flags("atomicStore(&flag[0], 2u);", "while atomicLoad(&flag[0]) != 1u {}");
    let cases = [
        ("it.wgsl", exchange(""), "1", "data-race", "HR001"),
        (
            "it.wgsl",
            exchange("if l == 0u { workgroupBarrier(); }"),
            "1",
            "barrier-divergence",
            "HR002",
        ),
        ("it.wgsl", waits, "2", "no-termination", "HR004"),
        ("it.rs", counter(2), "1", "assertion", "HR005"),
    ];
    for (file, text, workgroups, kind, rule) in cases {
        let found = found(folder, file, &text, workgroups)?;
        assert_eq!(found["kind"], kind, "{found}");
        let command = found["replay"].as_str().ok_or_else(|| format!("no command: {found}"))?;
        let rules = rules(command)?;
        assert!(rules.iter().any(|found| found == rule), "{command}: {rules:?}");
    }
    Ok(())
}

fn what_takes_a_weak_memory_is_not_replayed(folder: &Path) -> Result<(), Failed> {
    let passes = "atomicStore(&flag[0], 1u); atomicStore(&flag[1], 1u); data[0] = 1u;";
    let looks = "let late = atomicLoad(&flag[1]); if late == 1u && atomicLoad(&flag[0]) == 0u { data[0] = 2u; }";
    let found = found(folder, "it.wgsl", &flags(passes, looks), "2")?;
    assert_eq!((&found["kind"], &found["weak"]), (&"data-race".into(), &true.into()), "{found}");
    assert!(found.get("replay").is_none(), "{found}");
    Ok(())
}

fn what_is_no_schedule_is_refused(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("it.wgsl");
    std::fs::write(&path, exchange(""))?;
    let path = path.display().to_string();
    for flags in [["--replay", "choices:x"], ["--replay", ""]] {
        let ended =
            run(&mut hirace(&[&["check", &path], &flags[..]].concat()), Duration::from_secs(60));
        assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    }
    let flags = ["check", &path, "--replay", "choices:0", "--device", "0"];
    let ended = run(&mut hirace(&flags), Duration::from_secs(60));
    assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    Ok(())
}
