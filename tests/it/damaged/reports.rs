//! Reports of small runs, which other verbs read: the originals of damaged reports.

use super::originals::SHADER;
use super::worker;
use crate::support::{create_empty_folder, hirace, run, scratch};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A time limit well above what a run takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(240);

/// The tests of the shader.
const SUITE: &str = "[[file]]\npath = \"inputs.wgsl\"\n[[file.test]]\nname = \"halves\"\n\
    launch = { entry = \"second\", workgroups = 1, buffers = { data = \"zeros:2\" } }\nexpect = { data = [1, 3] }\n";

/// Returns reports that `hirace merge` reads.
pub fn mergeable() -> Result<Vec<Vec<u8>>, Failed> {
    let mut all = vec![
        written("check", &["check", "inputs.wgsl", "--workgroups", "2"])?,
        written("cover", &["cover"])?,
        written("mutate", &["mutate", "--in-diff", "changes.diff"])?,
        written("amplify", &["amplify", "--schedules", "2"])?,
    ];
    all.extend(litmus()?);
    Ok(all)
}

/// Returns baselines.
pub fn baselines() -> Result<Vec<Vec<u8>>, Failed> {
    Ok(vec![written("baseline", &["check", "inputs.wgsl", "--workgroups", "2"])?])
}

/// Returns results of litmus tests, also in the published form.
pub fn litmus() -> Result<Vec<Vec<u8>>, Failed> {
    if cfg!(not(feature = "litmus")) {
        return Ok(Vec::new());
    }
    let small =
        ["--environments=2", "--iterations=2", "--max-workgroups=4", "--max-workgroup-size=4"];
    let tune = ["litmus", "tune", "rr", "mp-two-locations", "--device=simulated:relaxed"];
    let published = "{\"0\": {\"rr\": {\"seq\": 5, \"interleaved\": 1, \"weak\": 0, \"durationSeconds\": 1.5}}, \
                     \"platformInfo\": {\"gpu\": {\"vendor\": \"v\"}}, \"randomSeed\": \"s\"}";
    Ok(vec![written("litmus", &[&tune[..], &small].concat())?, published.as_bytes().to_vec()])
}

/// Returns unified diffs of the shader.
pub fn diffs() -> Result<Vec<Vec<u8>>, Failed> {
    let header = "diff --git a/inputs.wgsl b/inputs.wgsl\n--- a/inputs.wgsl\n+++ b/inputs.wgsl\n";
    let hunk = "@@ -10,3 +10,4 @@ fn main\n context\n-    old\n+    if (id.x < limits.x) {\n+    new\n context\n";
    let renamed = "diff --git a/old.wgsl b/new.wgsl\nsimilarity index 90%\nrename from old.wgsl\nrename to new.wgsl\n";
    Ok(vec![
        [header, hunk].concat().into_bytes(),
        [renamed, header, hunk, "@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"]
            .concat()
            .into_bytes(),
    ])
}

/// Returns the report of a run, or the baseline that it writes. A test process makes it once. Its workers read it.
fn written(name: &'static str, arguments: &[&str]) -> Result<Vec<u8>, Failed> {
    static MADE: Mutex<BTreeMap<&str, Vec<u8>>> = Mutex::new(BTreeMap::new());
    // Trials run in parallel, and two runs would share a folder.
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(report) = made.get(name) {
        return Ok(report.clone());
    }
    let originals = scratch("damaged/originals");
    let path = originals.join(format!("{name}.json"));
    if !(worker::is_worker() && path.exists()) {
        let folder = create_empty_folder(originals.join(format!("{name}_{}", std::process::id())))?;
        fs::write(folder.join("inputs.wgsl"), SHADER)?;
        fs::write(folder.join("hirace.toml"), SUITE)?;
        fs::write(
            folder.join("changes.diff"),
            "--- a/inputs.wgsl\n+++ b/inputs.wgsl\n@@ -17 +17 @@\n-x\n+y\n",
        )?;
        let flag = if name == "baseline" { "--write-baseline=" } else { "--report=json=" };
        let report = folder.join("report.json");
        let mut command = hirace(arguments);
        // Without times, every run writes the same report.
        command.args(["--no-timing", &format!("{flag}report.json")]).current_dir(&folder);
        let ended = run(&mut command, LIMIT);
        fs::rename(&report, &path).map_err(|_| format!("{ended:#?}"))?;
        fs::remove_dir_all(&folder)?;
    }
    let report = fs::read(&path)?;
    made.insert(name, report.clone());
    Ok(report)
}
