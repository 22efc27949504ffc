//! Tests of `hirace amplify` on the device: a launch as it is, and with one or another workgroup first.

use super::{Case, device_name, lock_for_long_test};
use crate::amplify::{LIST, SUM, findings, holds};
use crate::schema::is_of_schema;
use crate::support::{hirace, run, scratch};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::time::Duration;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("schedules_of_a_list_differ", list),
        Case::new("schedules_of_sums_do_not", sum),
        Case::new("schedules_of_a_device_are_no_single_steps", steps),
    ]
}

/// Runs a launch of one of these kernels on the device, and returns the exit status and the results.
fn amplified(name: &str, text: &str, flags: &[&str]) -> Result<(Option<i32>, Value), Failed> {
    let folder = scratch("device-schedules").join(name);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("kernel.wgsl"), text)?;
    let device = device_name();
    let verb = ["amplify", "kernel.wgsl", "--format", "json", "--device", &device];
    let _alone = lock_for_long_test();
    let ended =
        run(hirace(&[&verb[..], flags].concat()).current_dir(&folder), Duration::from_secs(300));
    let json: Value =
        serde_json::from_str(&ended.stdout).map_err(|error| format!("{error}: {ended:#?}"))?;
    is_of_schema("hirace.amplify-1", &json)?;
    Ok((ended.status, json))
}

fn tried<'r>(json: &'r Value, strategy: &str) -> &'r Value {
    let tried = &json["tests"][0]["launches"][0]["dispatches"][0]["strategies"];
    let mut tried = tried.as_array().into_iter().flatten();
    tried.find(|tried| tried["strategy"] == strategy).unwrap_or(&Value::Null)
}

fn list() -> Result<(), Failed> {
    let launch = ["--workgroups", "16", "--buffer", "items=zeros:64", "--buffer", "count=0"];
    let (status, json) = amplified("list", LIST, &launch)?;
    holds(status == Some(1), &json)?;
    let first = tried(&json, "target-first");
    // Workgroup 0 first is the usual order of devices.
    holds(first["runs"] == 20 && first["found"].as_u64() >= Some(10), &json)?;
    let found = findings(&json);
    holds(found[0]["what"]["facts"]["variable"] == "items", &json)?;
    let (status, json) =
        amplified("list", LIST, &[&launch[..], &["--replay", "target-first:5"]].concat())?;
    holds(status == Some(1) && tried(&json, "replay")["found"].as_u64() >= Some(1), &json)?;
    // The target appends first.
    let facts = &findings(&json)[0]["what"]["facts"];
    holds(facts["element"] == "items[0]", &json)?;
    let (status, json) = amplified("list", LIST, &[&launch[..], &["--as-set", "items"]].concat())?;
    holds(status == Some(0), &json)
}

fn sum() -> Result<(), Failed> {
    let launch = ["--workgroups", "16", "--buffer", "sums=zeros:16"];
    let (status, json) = amplified("sum", SUM, &launch)?;
    holds(status == Some(0) && findings(&json).is_empty(), &json)?;
    for strategy in ["plain", "target-first", "remapped", "in-place"] {
        let tried = tried(&json, strategy);
        holds(tried["runs"] == 20 && tried["found"] == 0, &json)?;
    }
    Ok(())
}

fn steps() -> Result<(), Failed> {
    let folder = scratch("device-schedules").join("steps");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("kernel.wgsl"), LIST)?;
    let device = device_name();
    let flags = ["amplify", "kernel.wgsl", "--workgroups", "3", "--device", &device];
    let replay = ["--replay", "choices:1"];
    let _alone = lock_for_long_test();
    let ended =
        run(hirace(&[&flags[..], &replay].concat()).current_dir(&folder), Duration::from_secs(300));
    let said = "a device cannot run in the order choices:1";
    match ended.status == Some(2) && ended.stderr.contains(said) {
        true => Ok(()),
        false => Err(format!("{ended:#?}").into()),
    }
}
