//! Tests of what is and is not found in launches of files.

#[cfg(unix)]
use super::LIMIT;
use super::{LISTED, Test, amplify, ensure, findings, holds, results};
#[cfg(unix)]
use crate::support::run;
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

pub const TESTS: &[(&str, Test)] = &[
    ("the_order_of_a_list_is_found_with_its_accesses", list),
    ("a_list_may_be_a_set", set),
    ("what_hangs_on_nothing_passes", sum),
    #[cfg(unix)]
    ("standard_input_is_a_file_too", stdin),
    ("flags_for_outputs_are_part_of_the_replay", flags),
    ("a_wait_for_a_workgroup_that_may_come_later_is_found", chain),
    ("a_finding_is_shown_once_more_by_its_schedule", replayed),
    ("what_hangs_on_a_guess_fails_nothing", guessed),
    ("every_report_says_what_was_found", reports),
    ("a_kernel_in_rust_is_launched_too", rust),
    ("a_strategy_alone_is_run_as_often_as_asked", strategies),
    ("the_same_draws_give_the_same_results", repeatable),
];

fn list(folder: &Path) -> Result<(), Failed> {
    let ended = amplify(folder, &LISTED);
    ensure(ended.status == Some(1) && ended.stderr.is_empty(), &ended)?;
    for said in [
        "error: the value of `items[0]` depends on the order of invocations",
        " --> list.wgsl:6:15",
        "accessed atomically by invocation 0 of workgroup 0, first in the serial schedule",
        "= note: the two accesses are to `count` and are not ordered",
        "replay: hirace amplify list.wgsl --workgroups 3 --buffer items=zeros:8 --buffer count=0 --replay target-first:1",
        "1 launch of 1 test in ",
    ] {
        if !ended.stdout.contains(said) {
            return Err(format!("no `{said}` in {}", ended.stdout).into());
        }
    }
    Ok(())
}

fn set(folder: &Path) -> Result<(), Failed> {
    let ended = amplify(folder, &[&LISTED[..], &["--as-set", "items"]].concat());
    ensure(ended.status == Some(0), &ended)?;
    // The items are compared as a set, and still differ.
    let text = super::LIST.replace("= id.x", "= id.x * atomicAdd(&count, 0u)");
    fs::write(folder.join("list.wgsl"), text)?;
    let ended = amplify(folder, &[&LISTED[..], &["--as-set", "items"]].concat());
    ensure(ended.status == Some(1), &ended)?;
    // The list is not compared.
    let ended = amplify(folder, &[&LISTED[..], &["--compare", "count"]].concat());
    ensure(ended.status == Some(0), &ended)
}

fn sum(folder: &Path) -> Result<(), Failed> {
    let (ended, json) =
        results(folder, &["sum.wgsl", "--workgroups", "4", "--buffer", "sums=zeros:4"])?;
    ensure(ended.status == Some(0), &ended)?;
    holds(findings(&json).is_empty(), &json)?;
    let tried = &json["tests"][0]["launches"][0]["dispatches"][0]["strategies"];
    let tried = tried.as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = tried.iter().filter_map(|of| of["strategy"].as_str()).collect();
    let all = ["exhaustive", "target-first", "occupancy", "seeded", "random", "pct"];
    holds(names == all, &json)?;
    let ran = tried.iter().filter(|of| of["runs"].as_u64().is_some_and(|runs| runs > 0));
    holds(ran.count() == 5 && tried[0]["skipped"]["kind"] == "too-many", &json)
}

#[cfg(unix)]
fn stdin(folder: &Path) -> Result<(), Failed> {
    let flags = LISTED[1..].join(" ");
    let verb = env!("CARGO_BIN_EXE_hirace");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("'{verb}' amplify - {flags} < list.wgsl")]);
    let ended = run(command.current_dir(folder), LIMIT);
    ensure(ended.status == Some(1) && ended.stdout.contains("`items[0]`"), &ended)
}

fn flags(folder: &Path) -> Result<(), Failed> {
    let flags = ["--compare", "items", "--tolerance", "0.5"];
    let ended = amplify(folder, &[&LISTED[..], &flags].concat());
    let said = "--buffer count=0 --compare items --tolerance 0.5 --replay ";
    ensure(ended.status == Some(1) && ended.stdout.contains(said), &ended)?;
    // There is no test that could fail.
    ensure(!ended.stdout.contains("the test fails"), &ended)
}

fn chain(folder: &Path) -> Result<(), Failed> {
    let launch = ["chain.wgsl", "--workgroups", "4", "--buffer", "ready=zeros:4"];
    let (ended, json) = results(folder, &launch)?;
    ensure(ended.status == Some(1), &ended)?;
    let found = findings(&json);
    let [found] = found[..] else { return Err(format!("{json:#}").into()) };
    let what = &found["what"];
    holds(what["kind"] == "no-progress" && what["facts"]["place"]["line"] == 5, &json)?;
    let awaits = &what["facts"]["awaits"];
    holds(awaits["element"] == "ready[0]" && awaits["workgroup_not_started"] == true, &json)?;
    holds(awaits["write"]["place"]["line"] == 7, &json)?;
    // If workgroups take their number when they start, none waits for one that has not started.
    let text = super::CHAIN
        .replace(
            "fn chain(@builtin(workgroup_id) group: vec3<u32>) {",
            "fn chain() {\n    let group = vec3(atomicAdd(&next, 1u));",
        )
        .replace(
            "@compute",
            "@group(0) @binding(1) var<storage, read_write> next: atomic<u32>;\n@compute",
        );
    fs::write(folder.join("chain.wgsl"), text)?;
    let ended = amplify(folder, &[&launch[..], &["--buffer", "next=0"]].concat());
    ensure(ended.status == Some(0), &ended)
}

fn replayed(folder: &Path) -> Result<(), Failed> {
    for strategy in ["target-first", "seeded", "random", "pct"] {
        let (_, json) = results(folder, &[&LISTED[..], &["--strategy", strategy]].concat())?;
        let found = findings(&json);
        let schedule = found[0]["schedule"].as_str().unwrap_or_default();
        let replay = [&LISTED[..], &["--replay", schedule]].concat();
        let (ended, once) = results(folder, &replay)?;
        ensure(ended.status == Some(1), &ended)?;
        let same = findings(&once);
        holds(same.len() == 1 && same[0]["what"] == found[0]["what"], &once)?;
        holds(same[0]["reordered"] == found[0]["reordered"], &once)?;
        holds(
            once["tests"][0]["launches"][0]["dispatches"][0]["strategies"][0]["runs"] == 1,
            &once,
        )?;
    }
    let ended = amplify(folder, &[&LISTED[..], &["--replay", "serial"]].concat());
    ensure(ended.status == Some(0), &ended)
}

fn guessed(folder: &Path) -> Result<(), Failed> {
    let ended = amplify(folder, &["list.wgsl"]);
    ensure(ended.status == Some(0), &ended)?;
    ensure(ended.stdout.contains("warning: possibly, the value of `items[0]`"), &ended)?;
    ensure(ended.stdout.contains("guessed: `items`: "), &ended)
}

fn reports(folder: &Path) -> Result<(), Failed> {
    let written = ["--report", "json=a.json", "--report", "text=a.txt", "--report", "github=a.gh"];
    let ended = amplify(folder, &[&LISTED[..], &written, &["-q"]].concat());
    ensure(ended.status == Some(1) && ended.stdout.is_empty(), &ended)?;
    let read = |name: &str| fs::read_to_string(folder.join(name));
    ensure(read("a.txt")?.starts_with("error: the value of `items[0]`"), &ended)?;
    ensure(read("a.gh")?.starts_with("::error file=list.wgsl,line=6"), &ended)?;
    ensure(read("a.json")?.contains("\"hirace.amplify/1\""), &ended)?;
    let onto = amplify(folder, &[&LISTED[..], &["--report", "json=list.wgsl"]].concat());
    ensure(onto.status == Some(2) && onto.stderr.contains("would overwrite"), &onto)
}

fn rust(folder: &Path) -> Result<(), Failed> {
    let text = "use hirace::prelude::*;\n\n#[hirace::monitor(workgroup_size(1))]\nfn last(#[builtin(workgroup_id)] id: UVec3, out: &mut [u32]) {\n    out[0] = id.x;\n}\n";
    fs::write(folder.join("kernels.rs"), text)?;
    let launch = ["kernels.rs", "--workgroups", "3", "--buffer", "out=zeros:1"];
    let (ended, json) = results(folder, &launch)?;
    ensure(ended.status == Some(1), &ended)?;
    let found = findings(&json);
    // All six orders of three writes.
    holds(found.len() == 1 && found[0]["reordered"]["first"]["place"]["line"] == 5, &json)?;
    let tried = &json["tests"][0]["launches"][0]["dispatches"][0]["strategies"][0];
    holds(tried["all"] == true && tried["runs"] == 6 && tried["found"] == 4, &json)
}

fn strategies(folder: &Path) -> Result<(), Failed> {
    let flags = ["--strategy", "seeded", "--strategy", "occupancy", "--schedules", "7"];
    let (_, json) = results(folder, &[&LISTED[..], &flags].concat())?;
    let tried = &json["tests"][0]["launches"][0]["dispatches"][0]["strategies"];
    holds(tried.as_array().map(Vec::len) == Some(2), &json)?;
    holds(tried[0]["strategy"] == "occupancy" && tried[1]["runs"] == 7, &json)
}

fn repeatable(folder: &Path) -> Result<(), Failed> {
    let one = |draw: &str| -> Result<String, Failed> {
        Ok(amplify(folder, &[&LISTED[..], &["--format", "json", "--schedule-seed", draw]].concat())
            .stdout)
    };
    let (first, same, other) = (one("3")?, one("3")?, one("4")?);
    if first == same && first != other { Ok(()) } else { Err(first.into()) }
}
