//! Tests of repairs by `hirace verify --repair`: each kind of fault gets the expected repair, and the repair of a weakened
//! program verifies, is minimal, and applies as a patch.

mod damaged;
mod kernels;
mod models;
mod programs;
mod weakened;

use crate::schema::is_of_schema;
use crate::support::{ProgramOutput, create_empty_folder, hirace, root, run, scratch};
use hirace_testing::Tier;
use hirace_testing::harness::Trial;
use kernels::WGSL;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

type Boxed = Box<dyn FnOnce(&Path) -> Result<(), Failed> + Send>;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let named = |name: &str, test: Boxed| {
        let name = name.to_owned();
        Trial::test(format!("verify_repair::{name}"), move || {
            let folder =
                create_empty_folder(scratch("verify_repair").join(name.replace(['/', '.'], "_")))?;
            test(&folder)
        })
    };
    let mut trials: Vec<Trial> = kernels::CASES
        .iter()
        .map(|case| named(case.name, Box::new(move |folder| case.check(folder))))
        .collect();
    trials.extend(
        models::CASES
            .iter()
            .map(|case| named(case.name, Box::new(move |folder| case.check(folder)))),
    );
    trials.push(named("programs", Box::new(programs::repairs_are_as_the_page_has_them)));
    trials.push(named("weakened", Box::new(weakened::what_was_weakened_is_repaired)));
    trials.push(named("what_nothing_helps", Box::new(what_nothing_helps)));
    trials.push(named("what_cannot_be_repaired", Box::new(what_cannot_be_repaired)));
    trials.push(named("few_candidates", Box::new(few_candidates)));
    trials.push(named("litmus", Box::new(litmus)));
    for name in damaged::RULES {
        let file = format!("kernels/rules/{name}.clean.wgsl");
        let test = move |folder: &Path| damaged::damaged(folder, &file, None);
        trials.push(named(&format!("damaged/rules/{name}"), Box::new(test)));
    }
    for (name, entry) in damaged::RUST {
        let file = format!("kernels/src/{name}.rs");
        let test = move |folder: &Path| damaged::damaged(folder, &file, Some(entry));
        trials.push(named(&format!("damaged/rust/{name}"), Box::new(test)));
    }
    trials.push(named("random", Box::new(damaged::random)).in_tier(Tier::Ci));
    trials
}

/// Returns the lines that a diff removes and adds.
fn changed(diff: &str) -> Vec<&str> {
    let is_changed = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    };
    diff.lines().filter(is_changed).collect()
}

/// Verifies the file with its folder as the working directory, so that its reported name can be the path in a patch.
fn verified(folder: &Path, file: &str, flags: &[&str]) -> ProgramOutput {
    let one = ["--workgroups", "1"];
    let grid = if flags.contains(&"--workgroups") { &[] } else { &one[..] };
    let arguments = [&["verify", file, "--format", "json"], grid, flags].concat();
    run(hirace(&arguments).current_dir(folder), Duration::from_secs(240))
}

fn json(ended: &ProgramOutput) -> Result<Value, Failed> {
    let json: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}: {}{}", ended.stdout, ended.stderr))?;
    is_of_schema("hirace.verify-1", &json)?;
    Ok(json)
}

/// Returns the JSON of the repair of a text; null if the text has no fault.
fn repaired(folder: &Path, file: &str, text: &str, flags: &[&str]) -> Result<Value, Failed> {
    fs::write(folder.join(file), text)?;
    let json = json(&verified(folder, file, &[flags, &["--repair"]].concat()))?;
    Ok(json["programs"][0]["repair"].clone())
}

/// Fails unless the diff of a repair changes the text in the same way as its edits, and the changed text verifies.
fn applies(
    folder: &Path,
    file: &str,
    text: &str,
    repair: &Value,
    flags: &[&str],
) -> Result<(), Failed> {
    let expected = with_edits(text, repair);
    assert_ne!(expected, text, "{repair}");
    fs::write(folder.join("it.patch"), repair["diff"].as_str().unwrap_or_default())?;
    let mut git = Command::new("git");
    git.args(["apply", "-p0", "it.patch"]).current_dir(folder);
    // git ignores any repository that contains the folder.
    git.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
    let applied = run(&mut git, Duration::from_secs(20));
    assert_eq!(applied.status, Some(0), "{}{repair}", applied.stderr);
    assert_eq!(fs::read_to_string(folder.join(file))?, expected);
    let json = json(&verified(folder, file, flags))?;
    assert_eq!(json["verdict"].as_str(), Some("verified"), "{expected}");
    Ok(())
}

/// Returns the text with the edits that the JSON lists, applied from the last to the first.
fn with_edits(text: &str, repair: &Value) -> String {
    let mut text = text.to_owned();
    for edit in repair["edits"].as_array().into_iter().flatten().rev() {
        let number = |key: &str| edit[key].as_u64().unwrap_or(0) as usize;
        let line: usize = text.split_inclusive('\n').take(number("line") - 1).map(str::len).sum();
        let column = text[line..].chars().take(number("column") - 1).map(char::len_utf8);
        let at = line + column.sum::<usize>();
        let [removed, inserted] =
            ["remove", "insert"].map(|key| edit[key].as_str().unwrap_or_default());
        assert!(text[at..].starts_with(removed), "{edit}");
        text.replace_range(at..at + removed.len(), inserted);
    }
    text
}

/// Checks message passing with a flag, which has no repair: no barrier orders workgroups, and WGSL's atomics order nothing.
fn what_nothing_helps(folder: &Path) -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> data: f32;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
    if g.x == 0u {
        data = 1.0;
        atomicStore(&flag, 1u);
    } else if atomicLoad(&flag) == 1u {
        data = data + 1.0;
    }
}
";
    fs::write(folder.join("it.wgsl"), text)?;
    let arguments = ["verify", "it.wgsl", "--workgroups", "2", "--repair", "--format", "json"];
    let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(120));
    let json = json(&ended)?;
    let repair = &json["programs"][0]["repair"];
    assert_eq!((ended.status, repair["verified"].as_bool()), (Some(1), Some(false)), "{repair}");
    assert_eq!(repair["edits"].as_array().map(Vec::len), Some(0), "{repair}");
    Ok(())
}

fn what_cannot_be_repaired(folder: &Path) -> Result<(), Failed> {
    let binary = root().join("hirace-program/tests/fixtures/control.spv");
    let ended = verified(folder, &binary.display().to_string(), &["--repair"]);
    assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    for word in ["no text to repair", "#[hirace::model]"] {
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
    fs::write(folder.join("it.wgsl"), format!("{WGSL}}}"))?;
    let ended = verified(folder, "it.wgsl", &["--repair", "--preprocess"]);
    assert_eq!(ended.status, Some(2), "{}", ended.stderr);
    let ended = verified(folder, "it.wgsl", &["--max-candidates", "3"]);
    assert!(ended.status == Some(2) && ended.stderr.contains("--repair"), "{}", ended.stderr);
    let repair = repaired(folder, "it.wgsl", &format!("{WGSL}    out[l] = l;\n}}\n"), &[])?;
    assert!(repair.is_null(), "{repair}");
    Ok(())
}

fn few_candidates(folder: &Path) -> Result<(), Failed> {
    let text = format!("{WGSL}    total += l;\n}}\n");
    let repair = repaired(folder, "it.wgsl", &text, &["--max-candidates", "1"])?;
    assert_eq!(
        (repair["limited"].as_bool(), repair["verified"].as_bool()),
        (Some(true), Some(false)),
        "{repair}"
    );
    assert_eq!(repair["candidates"].as_u64(), Some(1), "{repair}");
    let arguments = ["verify", "it.wgsl", "--workgroups", "1", "--repair", "--max-candidates", "1"];
    let ended = run(hirace(&arguments).current_dir(folder), Duration::from_secs(120));
    assert!(ended.stdout.contains("--max-candidates"), "{}", ended.stdout);
    Ok(())
}

/// Checks which instructions the repairs of litmus tests of the model checker's crate insert. The tests are too weak.
fn litmus(folder: &Path) -> Result<(), Failed> {
    let table: &[(&str, &[&str])] = &[
        ("ptx/MP-cta", &["ld.acquire.gpu", "st.release.gpu"]),
        ("ptx/lock-relaxed", &["st.release.gpu", "st.release.gpu"]),
        ("ptx/lock-acquire-relaxed", &["atom.acquire.gpu.cas", "atom.acquire.gpu.cas"]),
        (
            "ptx/lock-cta",
            &["atom.acquire.gpu.cas", "atom.acquire.gpu.cas", "st.release.gpu", "st.release.gpu"],
        ),
        ("ptx/ticket-lock-relaxed", &["st.release.gpu", "st.release.gpu"]),
        ("ptx/test-and-set-lock-relaxed", &["atom.acquire.gpu.exch", "atom.acquire.gpu.exch"]),
        ("vulkan/MP-scope", &["ld.atom.acq.qf.sc0.semsc0"]),
        ("vulkan/barrier-none", &["st.atom.wg.sc0", "ld.atom.wg.sc0"]),
    ];
    for (name, inserted) in table {
        let text =
            fs::read_to_string(root().join("hirace-mc/litmus").join(format!("{name}.litmus")))?;
        let flags = ["--model", "scoped-rc11"];
        let repair = repaired(folder, "it.litmus", &text, &flags)?;
        let edits = repair["edits"].as_array().into_iter().flatten();
        let made: Vec<_> = edits.filter_map(|edit| edit["insert"].as_str()).collect();
        assert_eq!(made, *inserted, "{name}: {repair}");
        applies(folder, "it.litmus", &text, &repair, &flags)?;
    }
    Ok(())
}
