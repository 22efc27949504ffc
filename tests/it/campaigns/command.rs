//! Tests of shards of the tests that a command runs. The command and the tests are scripts, because cargo would only be slower.

use super::{Test, compare_shards_with_whole, counts, ensure, hirace_in, shard};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("shards_are_together_what_one_run_is", shards),
    ("a_shard_without_a_test_is_no_error", idle),
];

/// A script that acts as cargo: it runs test binaries with its runner.
const CARGO: &str = "#!/bin/sh
eval \"runner=\\$$(env | sed -n 's/^\\(CARGO_TARGET_[A-Z0-9_]*_RUNNER\\)=.*/\\1/p' | head -n 1)\"
for binary in ./tests ./single; do $runner $binary || exit 101; done
";

/// A test binary: each test records the contents of the file that has its name in the folder that the runner requests.
const TESTS_BINARY: &str = "#!/bin/sh
folder=$(printf %s \"$HIRACE_PROCESS_REQUEST\" | sed -n 's/.*\"folder\":\"\\([^\"]*\\)\".*/\\1/p')
case \"$*\" in
    *--ignored*) ;;
    *--list*) for test in recorded/*; do echo \"$(basename \"$test\" .json): test\"; done ;;
    *) echo \"$1\" >> ran; cp \"recorded/$1.json\" \"$folder/1.json\" ;;
esac
";

/// A binary that does not list its tests.
const SINGLE: &str = "#!/bin/sh
case \"$*\" in
    *--list*) exit 1 ;;
    *) echo single >> ran ;;
esac
";

const KERNEL: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) { data[lane] += LIMIT; }
";

/// Returns the recorded counts of a launch of a kernel whose file is unknown.
fn counted(folder: &Path, limit: &str) -> Result<Value, Failed> {
    fs::write(folder.join("made.wgsl"), KERNEL.replace("LIMIT", limit))?;
    let flags = ["--workgroups", "1", "--buffer", "data=zeros:4", "--format", "json"];
    let ended = hirace_in(folder, &[&["cover", "made.wgsl"], &flags[..]].concat());
    ensure(ended.status == Some(0), &ended)?;
    fs::remove_file(folder.join("made.wgsl"))?;
    Ok(serde_json::from_str(&ended.stdout)?)
}

/// Writes tests whose kernels have generated texts, two of them under one name; a test that launches a kernel from a file; one
/// that launches none; and one that hands a kernel to a device, which another test launches in part.
fn suite(folder: &Path) -> Result<(), Failed> {
    fs::create_dir(folder.join("recorded"))?;
    for (file, text) in [("command", CARGO), ("tests", TESTS_BINARY), ("single", SINGLE)] {
        fs::write(folder.join(file), text)?;
        fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o755))?;
    }
    let [one, two, three, on_disk] = ["1u", "2u", "3u", "4u"].map(|limit| counted(folder, limit));
    fs::write(folder.join("made.wgsl"), KERNEL.replace("LIMIT", "4u"))?;
    let named = |mut coverage: Value, name: &str| {
        coverage["files"][0]["file"] = name.into();
        coverage["tests"] = json!([{ "name": "", "launches": 1, "kernels": ["main"] }]);
        coverage
    };
    let (one, two) = (named(one?, "text"), named(two?, "text"));
    let (three, on_disk) = (named(three?, "other"), named(on_disk?, "made.wgsl"));
    let mut idle = one.clone();
    idle["files"] = json!([]);
    idle["tests"] = json!([{ "name": "", "launches": 0, "kernels": [] }]);
    let unseen = |file: &str| json!([{ "file": file, "kernel": "main", "test": "" }]);
    let (mut launched, mut never) = (idle.clone(), idle.clone());
    launched["unobserved"] = unseen("other");
    never["unobserved"] = unseen("never");
    let recorded = [
        ("one", &one),
        ("one_too", &one),
        ("two", &two),
        ("three", &three),
        ("from_a_file", &on_disk),
        ("idle", &idle),
        ("hands_out_what_another_launches", &launched),
        ("hands_out_what_nobody_launches", &never),
    ];
    for (name, coverage) in recorded {
        fs::write(folder.join("recorded").join(name).with_extension("json"), coverage.to_string())?;
    }
    Ok(())
}

const COMMAND: [&str; 3] = ["cover", "--", "./command"];

fn shards(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    let whole = compare_shards_with_whole(folder, &COMMAND, &[0])?;
    let names = |what: &str, key: &str| -> Vec<String> {
        let all = whole[what].as_array().into_iter().flatten();
        all.filter_map(|one| one[key].as_str()).map(str::to_owned).collect()
    };
    let files = names("files", "file");
    let are_named = files.len() == 4
        && files[..2] == ["made.wgsl", "other"]
        && files[2..].iter().all(|file| file.starts_with("text@"));
    if !are_named || names("unobserved", "file") != ["never"] || names("tests", "name").len() != 9 {
        return Err(format!("{whole:#}").into());
    }
    // One whole run, and one run of each number of shards: each test ran in exactly one shard of them.
    let ran = fs::read_to_string(folder.join("ran"))?;
    let mut ran: Vec<&str> = ran.lines().collect();
    ran.sort_unstable();
    let runs = 1 + counts().len();
    match ran.chunks(runs).all(|of_one| of_one.iter().all(|test| *test == of_one[0])) {
        true if ran.len() == runs * 9 => Ok(()),
        _ => Err(format!("{ran:?}").into()),
    }
}

fn idle(folder: &Path) -> Result<(), Failed> {
    suite(folder)?;
    for name in fs::read_dir(folder.join("recorded"))? {
        let path = name?.path();
        if path.file_stem().is_none_or(|stem| stem != "one") {
            fs::remove_file(path)?;
        }
    }
    for number in 1..=3 {
        let ended = shard(folder, &COMMAND, number, 3);
        ensure(ended.status == Some(0), &ended)?;
    }
    Ok(())
}
