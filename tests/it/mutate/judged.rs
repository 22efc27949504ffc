//! Tests of the outcomes of mutants under the tests of hirace.toml and under launches given by flags.

use super::schema::is_of_schema;
use super::{KERNEL, SUITE, Test, ensure, holds, mutants, mutate, results, statuses};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("what_is_expected_of_buffers_kills", expected),
    ("golden_buffers_are_held_to_what_they_hold_without_a_mutant", golden),
    ("a_buffer_that_no_test_speaks_of_kills_nothing", unspoken),
    ("launches_of_flags_are_held_to_what_they_leave", flags),
    ("guessed_launches_judge_too", guessed),
    ("a_kernel_that_no_test_launches_has_no_coverage", not_covered),
    ("what_compiles_to_the_same_code_is_equivalent", equivalent),
    ("a_barrier_that_is_missed_by_a_race_alone_is_no_assertion", barrier),
    ("a_loop_without_end_is_seen_by_its_steps", hang),
    ("kernels_with_findings_of_their_own_count_like_all_others", racy),
    ("the_only_kernel_counts_although_it_races", only_racy),
    ("a_race_by_clamping_hides_no_missing_barrier", clamped),
    ("a_finding_in_one_kernel_hides_nothing_in_another", other_kernel),
    ("a_finding_that_may_hide_a_mutant_is_named", hidden),
    ("what_the_device_refuses_is_in_no_score", unviable),
    ("a_barrier_that_orders_nothing_is_equivalent_when_deleted", unneeded_barrier),
    ("mutants_of_files_with_one_text_stay_apart", twins),
    ("standard_input_is_mutated", standard_input),
    ("kernels_in_rust_are_mutated", rust),
    #[cfg(feature = "glsl")]
    ("kernels_in_glsl_are_mutated", glsl),
];

const FLAGS: [&str; 4] = ["--workgroups", "1", "--buffer", "data=iota:8"];

fn expected(folder: &Path) -> Result<(), Failed> {
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    is_of_schema(&json)?;
    holds(statuses(&json, "greater-to-greater-equal") == ["survived"], &json)?;
    holds(statuses(&json, "plus-to-minus") == ["killed"], &json)?;
    let minus = mutants(&json).iter().find(|mutant| mutant["operator"] == "plus-to-minus");
    let by = minus.map(|mutant| mutant["killed_by"].clone()).unwrap_or_default();
    holds(by["cause"] == "assertion" && by["test"] == "small numbers grow", &json)?;
    let names: Vec<&Value> =
        json["tests"].as_array().into_iter().flatten().map(|test| &test["name"]).collect();
    holds(names == ["none are left as they are", "small numbers grow"], &json)?;
    ensure(ended.stderr.contains("MISSED      kernel.wgsl:3:11: replace > with >="), &ended)
}

fn golden(folder: &Path) -> Result<(), Failed> {
    let one = SUITE.find("[[file.test]]").unwrap_or(0);
    let other = SUITE.rfind("[[file.test]]").unwrap_or(0);
    fs::write(folder.join("hirace.toml"), SUITE[..one].to_owned() + &SUITE[other..])?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    // No number is above 5.
    holds(statuses(&json, "greater-to-less-equal") == ["killed"], &json)?;
    holds(statuses(&json, "greater-to-greater-equal") == ["survived"], &json)?;
    holds(statuses(&json, "plus-to-times") == ["killed"], &json)
}

fn unspoken(folder: &Path) -> Result<(), Failed> {
    let two = "@group(0) @binding(0) var<storage, read_write> one: array<u32>;
@group(0) @binding(1) var<storage, read_write> two: array<u32>;
@compute @workgroup_size(1)
fn main() { one[0] = 1u + 2u; two[0] = 1u - 2u; }
";
    fs::write(folder.join("kernel.wgsl"), two.replace("1u - 2u", "4u - 2u"))?;
    let suite = |expect: &str| {
        format!(
            "[[file]]\npath = \"kernel.wgsl\"\n[[file.test]]\nname = \"t\"\nlaunch = {{ workgroups = 1, buffers = {{ one = \"zeros:1\", two = \"zeros:1\" }} }}\n{expect}\n"
        )
    };
    let judged = |expect: &str| -> Result<[String; 2], Failed> {
        fs::write(folder.join("hirace.toml"), suite(expect))?;
        let (_, json) = results(folder, &[])?;
        let status = |operator| statuses(&json, operator).join(" ");
        Ok([status("plus-to-minus"), status("minus-to-plus")])
    };
    let found = [judged("expect = { one = [3] }")?, judged("golden = [\"two\"]")?];
    // With both expected and golden contents.
    let both = judged("expect = { one = [3] }\ngolden = [\"two\"]")?;
    match found == [["killed", "survived"], ["survived", "killed"]] && both == ["killed", "killed"]
    {
        true => Ok(()),
        false => Err(format!("{found:?} {both:?}").into()),
    }
}

fn flags(folder: &Path) -> Result<(), Failed> {
    fs::remove_file(folder.join("hirace.toml"))?;
    let (ended, json) = results(folder, &[&["kernel.wgsl"], &FLAGS[..]].concat())?;
    ensure(ended.status == Some(0), &ended)?;
    holds(json["tests"][0]["name"] == "kernel.wgsl: launch 1", &json)?;
    holds(statuses(&json, "plus-to-minus") == ["killed"], &json)?;
    holds(statuses(&json, "greater-to-greater-equal") == ["survived"], &json)
}

fn guessed(folder: &Path) -> Result<(), Failed> {
    fs::remove_file(folder.join("hirace.toml"))?;
    let (ended, json) = results(folder, &["kernel.wgsl"])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(statuses(&json, "plus-to-minus") == ["killed"], &json)
}

fn not_covered(folder: &Path) -> Result<(), Failed> {
    let other = "@compute @workgroup_size(1) fn other() { data[0] = 7u - 3u; }\n";
    fs::write(folder.join("kernel.wgsl"), KERNEL.to_owned() + other)?;
    let suite = SUITE.replace("{ workgroups", "{ entry = \"main\", workgroups");
    fs::write(folder.join("hirace.toml"), suite)?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(statuses(&json, "minus-to-plus") == ["no-coverage"], &json)?;
    ensure(ended.stderr.contains("NO COVERAGE kernel.wgsl:12:"), &ended)
}

fn equivalent(folder: &Path) -> Result<(), Failed> {
    let text = KERNEL.replace("+ 1u", "+ LITTLE") + "const LITTLE = 1u * 1u;\n";
    fs::write(folder.join("kernel.wgsl"), text)?;
    let (_, json) = results(folder, &["--operator", "times-to-divide"])?;
    holds(statuses(&json, "times-to-divide") == ["equivalent"], &json)?;
    holds(json["summary"]["score"].is_null() && json["summary"]["total"] == 1, &json)
}

const SUM: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = data[id.x];
    workgroupBarrier();
    var sum = 0u;
    for (var i = 0u; i < 64u; i += 1u) {
        sum += tile[i];
    }
    data[id.x] = sum;
}
";

fn barrier(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("kernel.wgsl"), SUM)?;
    // All values are zeros: a premature read has no visible effect.
    let launch = ["kernel.wgsl", "--workgroups", "1", "--buffer", "data=zeros:64"];
    let (_, json) = results(
        folder,
        &[&launch[..], &["--operator", "barrier-deleted", "--schedules", "2"]].concat(),
    )?;
    let one = mutants(&json).first().cloned().unwrap_or_default();
    let by = &one["killed_by"];
    holds(
        one["status"] == "killed" && by["cause"] == "finding" && by["rules"][0] == "HR001",
        &json,
    )?;
    holds(one["by_outputs"] == false, &json)?;
    holds(json["summary"]["score"] == 100.0 && json["summary"]["strict_score"] == 0.0, &json)
}

fn hang(folder: &Path) -> Result<(), Failed> {
    let endless = SUM.replace("i += 1u", "i = (i + 1u) % 100u");
    fs::write(folder.join("kernel.wgsl"), endless)?;
    let launch = ["kernel.wgsl", "--workgroups", "1", "--buffer", "data=zeros:64"];
    let (ended, json) =
        results(folder, &[&launch[..], &["--at", "kernel.wgsl:8", "--schedules", "2"]].concat())?;
    ensure(ended.status == Some(0), &ended)?;
    // `i * 1` stays 0.
    let times = mutants(&json).iter().find(|mutant| mutant["operator"] == "plus-to-times");
    let times = times.cloned().unwrap_or_default();
    holds(times["status"] == "killed" && times["killed_by"]["cause"] == "hang", &json)?;
    holds(times["by_outputs"] == false, &json)
}

/// A kernel in which all invocations write the same number.
const RACY: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[0] = 3u + 4u; }
";

fn racy(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("racy.wgsl"), RACY)?;
    let test = "[[file]]\npath = \"racy.wgsl\"\n[[file.test]]\nname = \"seven\"\nlaunch = { workgroups = 1, buffers = { data = \"zeros:8\" } }\nexpect = { data = [7, 0, 0, 0, 0, 0, 0, 0] }\n";
    fs::write(folder.join("hirace.toml"), SUITE.to_owned() + test)?;
    let (ended, json) = results(folder, &[])?;
    ensure(ended.status == Some(0), &ended)?;
    let total = json["summary"]["total"].as_u64();
    holds(total == Some(mutants(&json).len() as u64), &json)?;
    let known = &json["known_findings"];
    holds(known.as_array().map(Vec::len) == Some(1), &json)?;
    let known = &known[0];
    holds(known["file"] == "racy.wgsl" && known["line"] == 3 && known["rule"] == "HR001", &json)?;
    holds(known["variable"] == "data" && known["kernel"] == "main", &json)?;
    let of_racy = mutants(&json)
        .iter()
        .find(|mutant| mutant["file"] == "racy.wgsl" && mutant["operator"] == "plus-to-minus");
    let how = of_racy.map(|mutant| mutant["killed_by"]["cause"].clone()).unwrap_or_default();
    holds(how == "assertion", &json)?;
    let text = mutate(folder, &[]);
    let said = "also found without a mutant, so it kills none (1)\n  racy.wgsl:3: HR001 of data in main (seven)\n";
    ensure(text.stdout.contains(said), &text)
}

fn only_racy(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("racy.wgsl"), RACY)?;
    fs::remove_file(folder.join("hirace.toml"))?;
    let launch = ["racy.wgsl", "--workgroups", "1", "--buffer", "data=zeros:8"];
    // One mutant makes the workgroup larger, which changes nothing.
    let gate = ["--fail-under", "95"];
    let ended = mutate(folder, &[&launch[..], &gate].concat());
    ensure(ended.status == Some(1), &ended)?;
    ensure(ended.stderr.contains("% of mutants are detected, but 95 % are required"), &ended)?;
    let some = ["--operator", "plus-to-minus"];
    let ended = mutate(folder, &[&launch[..], &gate, &some].concat());
    ensure(ended.status == Some(0) && ended.stdout.contains("tests detect 1 of 1"), &ended)
}

/// A kernel with a harmless race of clamped indices, in a launch with 60 elements of `seen`, and a barrier that it needs.
const CLAMPED: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    seen[id.x] = 1u;
    tile[lane] = data[id.x];
    workgroupBarrier();
    data[id.x] = tile[63u - lane];
}
@compute @workgroup_size(64)
fn other(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = data[lane];
    workgroupBarrier();
    data[lane] = tile[63u - lane];
}
";

fn clamped(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("kernel.wgsl"), CLAMPED)?;
    fs::remove_file(folder.join("hirace.toml"))?;
    let launch =
        "kernel.wgsl --entry main --workgroups 1 --buffer data=zeros:64 --buffer seen=zeros:60";
    let launch: Vec<&str> = launch.split(' ').collect();
    let barriers = ["--operator", "barrier", "--function", "main"];
    let (ended, json) = results(folder, &[&launch[..], &barriers].concat())?;
    ensure(ended.status == Some(0), &ended)?;
    holds(mutants(&json).len() == 2, &json)?;
    for mutant in mutants(&json) {
        let by = &mutant["killed_by"];
        holds(mutant["status"] == "killed" && by["cause"] == "finding", &json)?;
        holds(by["rules"][0] == "HR001", &json)?;
    }
    let clamped = json["known_findings"].as_array().into_iter().flatten();
    let clamped = clamped.filter(|known| known["only_by_clamping"] == true);
    holds(clamped.count() == 1, &json)
}

fn other_kernel(folder: &Path) -> Result<(), Failed> {
    // The first kernel has a race that its test ignores.
    fs::write(
        folder.join("kernel.wgsl"),
        CLAMPED.replace("63u - lane];\n}\n@c", "62u];\n    seen[0] = lane;\n}\n@c"),
    )?;
    let suite = "[[file]]\npath = \"kernel.wgsl\"\n[[file.test]]\nname = \"both\"\nlaunch = { dispatches = [{ entry = \"main\", workgroups = 1 }, { entry = \"other\", workgroups = 1 }], buffers = { data = \"zeros:64\", seen = \"zeros:64\" } }\nexpect = { data = \"zeros:64\" }\n";
    fs::write(folder.join("hirace.toml"), suite)?;
    let (ended, json) = results(folder, &["--operator", "barrier"])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(json["known_findings"].as_array().is_some_and(|known| !known.is_empty()), &json)?;
    holds(mutants(&json).len() == 4, &json)?;
    holds(mutants(&json).iter().all(|mutant| mutant["status"] == "killed"), &json)
}

/// A kernel in which two invocations write the same number.
const TWO_WRITE: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane < 2u) {
        data[lane / 2u] = lane;
    }
    out[lane] = lane;
}
";

fn hidden(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("kernel.wgsl"), TWO_WRITE)?;
    let suite = "[[file]]\npath = \"kernel.wgsl\"\n[[file.test]]\nname = \"out\"\nlaunch = { workgroups = 1, buffers = { data = \"zeros:8\", out = \"zeros:8\" } }\nexpect = { out = \"iota:8\" }\n";
    fs::write(folder.join("hirace.toml"), suite)?;
    let (ended, json) = results(folder, &["--operator", "less-to-greater-equal"])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(statuses(&json, "less-to-greater-equal") == ["survived"], &json)?;
    let by = &mutants(&json)[0]["hidden_by"][0];
    holds(by["line"] == 6 && by["rule"] == "HR001" && by["variable"] == "data", &json)?;
    let text = mutate(folder, &["--operator", "less-to-greater-equal"]);
    let said = "it makes a finding worse that is also found without it: kernel.wgsl:6: HR001 of data in main (out)";
    ensure(text.stdout.contains(said), &text)
}

fn unviable(folder: &Path) -> Result<(), Failed> {
    fs::write(
        folder.join("kernel.wgsl"),
        KERNEL.replace("workgroup_size(8)", "workgroup_size(256)"),
    )?;
    fs::remove_file(folder.join("hirace.toml"))?;
    let launch = ["kernel.wgsl", "--workgroups", "1", "--buffer", "data=iota:256"];
    let sizes = ["--operator", "workgroup-size-plus-one", "--fail-under", "0"];
    let (ended, json) = results(folder, &[&launch[..], &sizes].concat())?;
    ensure(ended.status == Some(1), &ended)?;
    let said = "none of 1 mutants counts in the score, but a score of 0 % is required";
    ensure(ended.stderr.contains(said), &ended)?;
    holds(statuses(&json, "workgroup-size-plus-one") == ["unviable"], &json)?;
    let reason = mutants(&json)[0]["reason"].as_str().unwrap_or_default();
    holds(reason.contains("maxComputeInvocationsPerWorkgroup"), &json)?;
    holds(json["summary"]["score"].is_null(), &json)?;
    let text = mutate(folder, &launch);
    ensure(text.stdout.contains("cannot run here, so in no score (1)\n"), &text)
}

fn unneeded_barrier(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("kernel.wgsl"), SUM.replace("tile[i]", "tile[lane]"))?;
    let launch = ["kernel.wgsl", "--workgroups", "1", "--buffer", "data=zeros:64"];
    let deleted = ["--operator", "barrier-deleted", "--schedules", "2"];
    let (_, json) = results(folder, &[&launch[..], &deleted].concat())?;
    holds(statuses(&json, "barrier-deleted") == ["equivalent"], &json)?;
    let reason = mutants(&json)[0]["reason"].as_str().unwrap_or_default();
    holds(reason.contains("where the barrier orders them"), &json)?;
    holds(json["summary"]["score"].is_null(), &json)?;
    let (_, json) = results(folder, &[&launch[..], &deleted, &["--strict"]].concat())?;
    holds(json["summary"]["score"] == 0.0, &json)?;
    // The barrier of the original kernel is needed.
    fs::write(folder.join("kernel.wgsl"), SUM)?;
    let (_, json) = results(folder, &[&launch[..], &deleted].concat())?;
    holds(statuses(&json, "barrier-deleted") == ["killed"], &json)
}

fn twins(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("twin.wgsl"), KERNEL)?;
    let (ended, json) = results(folder, &[&["kernel.wgsl", "twin.wgsl"], &FLAGS[..]].concat())?;
    ensure(ended.status == Some(0), &ended)?;
    let of = |file: &str| -> Vec<Value> {
        mutants(&json).iter().filter(|mutant| mutant["file"] == file).cloned().collect()
    };
    let (one, two) = (of("kernel.wgsl"), of("twin.wgsl"));
    let statuses =
        |of: &[Value]| -> Vec<Value> { of.iter().map(|mutant| mutant["status"].clone()).collect() };
    holds(one.len() == two.len() && !one.is_empty(), &json)?;
    holds(statuses(&one) == statuses(&two), &json)?;
    // Each mutant is judged by the launch of its own file.
    let is_own = |mutant: &Value, name: &str| {
        mutant["reached_by"].as_array().is_some_and(|by| by.iter().all(|test| test == name))
    };
    holds(one.iter().all(|mutant| is_own(mutant, "kernel.wgsl: launch 1")), &json)?;
    holds(two.iter().all(|mutant| is_own(mutant, "twin.wgsl: launch 1")), &json)
}

fn standard_input(folder: &Path) -> Result<(), Failed> {
    use crate::support::hirace;
    use std::io::Write;
    use std::process::Stdio;
    let arguments = [&["mutate", "-", "--format", "json"], &FLAGS[..]].concat();
    let mut child = hirace(&arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    input.write_all(KERNEL.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    let json: Value = serde_json::from_slice(&output.stdout)?;
    holds(output.status.success() && mutants(&json)[0]["file"] == "<stdin>", &json)?;
    holds(statuses(&json, "plus-to-minus") == ["killed"], &json)
}

fn rust(folder: &Path) -> Result<(), Failed> {
    let text = "use hirace::prelude::*;\n
#[hirace::monitor(workgroup_size(8))]
pub fn grow(#[builtin(global_invocation_id)] id: UVec3, data: &mut [u32]) {
    data[id.x] = data[id.x] + 1;
}\n";
    fs::write(folder.join("kernel.rs"), text)?;
    let (ended, json) = results(folder, &[&["kernel.rs"], &FLAGS[..]].concat())?;
    ensure(ended.status == Some(0), &ended)?;
    holds(statuses(&json, "plus-to-minus") == ["killed"], &json)?;
    holds(mutants(&json)[0]["file"] == "kernel.rs", &json)
}

#[cfg(feature = "glsl")]
fn glsl(folder: &Path) -> Result<(), Failed> {
    let text = "#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    data[i] = data[i] + 1u;
}
";
    fs::write(folder.join("kernel.comp"), text)?;
    let ended = mutate(folder, &["kernel.comp", "--list"]);
    ensure(ended.status == Some(0) && ended.stdout.contains("replace + with -"), &ended)?;
    let (ended, json) = results(folder, &["kernel.comp", "--workgroups", "1"])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(statuses(&json, "plus-to-minus") == ["killed"], &json)
}
