//! Tests of the folder in which a run is kept.

use super::{KERNEL, LIMIT, Test, ensure, holds, mutants, mutate, results, timeless};
use crate::support::{hirace, run};
use libtest_mimic::Failed;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

pub const TESTS: &[(&str, Test)] = &[
    ("what_another_version_kept_is_left_alone", version),
    ("a_folder_is_of_one_run_at_a_time", lock),
    ("a_place_where_no_folder_can_be_is_said", no_folder),
    ("a_run_is_kept_in_the_target_folder_of_a_package", default_folder),
    #[cfg(unix)]
    ("a_disk_without_room_ends_the_run_which_goes_on_later", full),
    ("a_run_after_one_that_ended_begins_anew", anew),
    ("what_was_judged_of_another_text_is_not_taken", edited),
];

fn version(folder: &Path) -> Result<(), Failed> {
    let kept = folder.join("kept");
    fs::create_dir_all(&kept)?;
    let other = "{\"version\":1,\"hirace\":\"0.0.1\",\"of\":\"a\"}";
    for text in [other, "something else"] {
        fs::write(kept.join("run.json"), text)?;
        fs::write(kept.join("judged.jsonl"), "theirs\n")?;
        let ended = mutate(folder, &["--output", "kept"]);
        let said = "the run in kept is from ";
        ensure(ended.status == Some(2) && ended.stderr.contains(said), &ended)?;
        ensure(fs::read_to_string(kept.join("run.json"))? == text, &ended)?;
        ensure(fs::read_to_string(kept.join("judged.jsonl"))? == "theirs\n", &ended)?;
    }
    let elsewhere = mutate(folder, &["--output", "other/folder"]);
    ensure(elsewhere.status == Some(0) && folder.join("other/folder/run.json").exists(), &elsewhere)
}

fn lock(folder: &Path) -> Result<(), Failed> {
    let kept = folder.join(".hirace/mutate");
    fs::create_dir_all(&kept)?;
    let lock = File::create(kept.join("lock"))?;
    lock.lock()?;
    let ended = mutate(folder, &[]);
    let said = "another run uses .hirace/mutate";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    ensure(!kept.join("run.json").exists(), &ended)?;
    drop(lock);
    let ended = mutate(folder, &[]);
    ensure(ended.status == Some(0), &ended)
}

/// In a package, the state is in cargo's target folder; elsewhere in a folder that git ignores.
fn default_folder(folder: &Path) -> Result<(), Failed> {
    let alone = mutate(folder, &[]);
    ensure(alone.status == Some(0) && folder.join(".hirace/mutate/mutants.json").exists(), &alone)?;
    ensure(fs::read_to_string(folder.join(".hirace/.gitignore"))? == "*\n", &alone)?;
    fs::remove_dir_all(folder.join(".hirace"))?;
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = "[package]\nname = \"p\"\nversion = \"0.1.0\"\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let cases = [
        (None, "target/hirace/mutate", "."),
        (Some("build"), "build/hirace/mutate", "."),
        (None, "target/hirace/amplify", "src"),
    ];
    for (target, kept, below) in cases {
        let verb = if kept.ends_with("mutate") { "mutate" } else { "amplify" };
        let source = folder.join("kernel.wgsl").display().to_string();
        let mut command = hirace(&[verb, "--schedules", "1", "--workgroups", "1", &source]);
        command.env_remove("CARGO_TARGET_DIR").current_dir(folder.join(below));
        if let Some(target) = target {
            command.env("CARGO_TARGET_DIR", folder.join(target));
        }
        let ended = run(&mut command, LIMIT);
        ensure(folder.join(kept).join("run.json").exists(), &ended)?;
        ensure(!folder.join(".hirace").exists() && !folder.join("src/.hirace").exists(), &ended)?;
    }
    Ok(())
}

fn no_folder(folder: &Path) -> Result<(), Failed> {
    for place in ["kernel.wgsl", "kernel.wgsl/kept", "/dev/full/kept"] {
        let ended = mutate(folder, &["--output", place]);
        let said = format!("cannot store the run in {place}: ");
        ensure(ended.status == Some(3) && ended.stderr.contains(&said), &ended)?;
    }
    let text = fs::read_to_string(folder.join("kernel.wgsl"))?;
    if text == KERNEL { Ok(()) } else { Err(text.into()) }
}

/// A shell limits the size of files, which a program sees as a full disk.
#[cfg(unix)]
fn full(folder: &Path) -> Result<(), Failed> {
    let (_, undisturbed) = results(folder, &["--output", "undisturbed"])?;
    let mut command = Command::new("sh");
    // Without a trap, a signal would end the process. A block is 512 bytes.
    command.args(["-c", "trap '' XFSZ; ulimit -f 5; exec \"$@\"", "sh"]).args([
        env!("CARGO_BIN_EXE_hirace"),
        "mutate",
        "--format",
        "json",
    ]);
    let ended = run(command.current_dir(folder), LIMIT);
    let said = "cannot store the run in .hirace/mutate: ";
    ensure(ended.status == Some(3) && ended.stderr.contains(said), &ended)?;
    let stopped: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    let known = mutants(&stopped).iter().filter(|mutant| mutant["status"].is_string()).count();
    holds(stopped["stopped"] == true && known > 0 && known < mutants(&stopped).len(), &stopped)?;
    let judged = fs::read_to_string(folder.join(".hirace/mutate/judged.jsonl"))?;
    let whole = judged.split_inclusive('\n').filter(|line| line.ends_with('\n')).count();
    ensure(whole > 0, &ended)?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    ensure(ended.stderr.contains(&format!("{whole} judged before")), &ended)?;
    holds(timeless(json.clone()) == timeless(undisturbed), &json)
}

fn anew(folder: &Path) -> Result<(), Failed> {
    let (_, one) = results(folder, &[])?;
    let kept = folder.join(".hirace/mutate");
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(kept.join("mutants.json"))?)?;
    holds(json == one && !kept.join("judged.jsonl").exists(), &json)?;
    let later = run(hirace(&["mutate", "--killed"]).current_dir(folder), LIMIT);
    ensure(later.status == Some(0) && !later.stderr.contains("judged before"), &later)?;
    let (_, two) = results(folder, &[])?;
    holds(timeless(one) == timeless(two.clone()), &two)
}

fn edited(folder: &Path) -> Result<(), Failed> {
    // As if a run had been stopped before its end.
    let kept = folder.join(".hirace/mutate");
    let (_, json) = results(folder, &[])?;
    let lines: String = mutants(&json).iter().map(|mutant| format!("{mutant}\n")).collect();
    fs::write(kept.join("judged.jsonl"), &lines)?;
    let (ended, same) = results(folder, &[])?;
    // Mutants that compile to the same code are known without being judged.
    ensure(ended.stderr.contains(&format!("{} judged before", mutants(&json).len())), &ended)?;
    holds(same == json || timeless(same.clone()) == timeless(json), &same)?;
    fs::write(kept.join("judged.jsonl"), &lines)?;
    fs::write(folder.join("kernel.wgsl"), KERNEL.replace("+ 1u", "+ 2u - 1u"))?;
    let ended = mutate(folder, &[]);
    ensure(ended.status == Some(0) && !ended.stderr.contains("judged before"), &ended)
}
