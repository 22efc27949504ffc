//! Reports of small runs, which other verbs read: the originals of damaged reports.

use super::SHADER;
use crate::support::{create_empty_folder, hirace, run, scratch};
use libtest_mimic::Failed;
use std::fs;
use std::sync::{Mutex, OnceLock, PoisonError};
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
    let arguments = ["check", "inputs.wgsl", "--workgroups", "2", "--write-baseline", "kept.json"];
    let folder = folder("baseline")?;
    run(hirace(&arguments).current_dir(&folder), LIMIT);
    Ok(vec![fs::read(folder.join("kept.json"))?])
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

fn folder(name: &str) -> std::io::Result<std::path::PathBuf> {
    let folder = create_empty_folder(
        scratch("damaged").join("originals").join(format!("{name}_{}", std::process::id())),
    )?;
    fs::write(folder.join("inputs.wgsl"), SHADER)?;
    fs::write(folder.join("hirace.toml"), SUITE)?;
    fs::write(
        folder.join("changes.diff"),
        "--- a/inputs.wgsl\n+++ b/inputs.wgsl\n@@ -17 +17 @@\n-x\n+y\n",
    )?;
    Ok(folder)
}

/// Returns the JSON report of a run. It is made once.
fn written(verb: &'static str, arguments: &[&str]) -> Result<Vec<u8>, Failed> {
    static KNOWN: [OnceLock<Vec<u8>>; 5] = [const { OnceLock::new() }; 5];
    // Trials run in parallel, and two runs of a verb would share a folder.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let index =
        ["check", "cover", "mutate", "amplify", "litmus"].iter().position(|one| *one == verb);
    let known = &KNOWN[index.ok_or("unknown verb")?];
    if let Some(known) = known.get() {
        return Ok(known.clone());
    }
    let folder = folder(verb)?;
    let ended = run(hirace(arguments).arg("--report=json=report.json").current_dir(&folder), LIMIT);
    let report = fs::read(folder.join("report.json")).map_err(|_| format!("{ended:#?}"))?;
    fs::remove_dir_all(&folder)?;
    Ok(known.get_or_init(|| report).clone())
}
