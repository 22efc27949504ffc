//! Tests of each verdict on WGSL, on Rust kernels and on litmus tests.

use super::{Test, kinds, run_verify, verify};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub const TESTS: &[(&str, Test)] = &[
    ("a_kernel_with_its_barrier_is_verified", a_kernel_with_its_barrier_is_verified),
    (
        "a_missing_barrier_is_a_race_with_its_execution",
        a_missing_barrier_is_a_race_with_its_execution,
    ),
    ("a_barrier_of_another_memory_is_a_race", a_barrier_of_another_memory_is_a_race),
    ("a_barrier_that_some_do_not_reach_is_found", a_barrier_that_some_do_not_reach_is_found),
    ("a_wait_for_nobody_is_found", a_wait_for_nobody_is_found),
    ("an_endless_loop_is_bounded", an_endless_loop_is_bounded),
    ("a_lock_of_relaxed_atomics_is_no_lock_in_wgsl", a_lock_of_relaxed_atomics_is_no_lock_in_wgsl),
    ("an_assertion_in_rust_is_explored", an_assertion_in_rust_is_explored),
    ("loads_are_buffered_in_wgsl_alone", loads_are_buffered_in_wgsl_alone),
    (
        "litmus_tests_have_the_answers_of_their_models",
        litmus_tests_have_the_answers_of_their_models,
    ),
    ("what_cannot_be_explored_is_refused", what_cannot_be_explored_is_refused),
    ("too_few_executions_are_inconclusive", too_few_executions_are_inconclusive),
    ("flags_without_an_effect_are_refused", flags_without_an_effect_are_refused),
    ("reductions_change_no_verdict", reductions_change_no_verdict),
    ("what_no_execution_reaches_is_not_verified", what_no_execution_reaches_is_not_verified),
];

/// Returns a kernel with one store, one load of the other's location, and `between` between them.
pub fn exchange(between: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> tile: array<u32, 2>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32) {{
            tile[l] = l + 1u;
            {between}
            out[l] = tile[1u - l];
        }}"
    )
}

fn a_kernel_with_its_barrier_is_verified(folder: &Path) -> Result<(), Failed> {
    let (json, status) =
        verify(folder, "it.wgsl", &exchange("workgroupBarrier();"), &["--workgroups", "1"])?;
    assert_eq!(
        (json["verdict"].as_str(), status, json["executions"].as_u64()),
        (Some("verified"), 0, Some(1)),
        "{json}"
    );
    let assumptions = json["programs"][0]["assumptions"].to_string();
    assert!(assumptions.contains("out") && assumptions.contains("zero"), "{assumptions}");
    Ok(())
}

fn a_missing_barrier_is_a_race_with_its_execution(folder: &Path) -> Result<(), Failed> {
    let (dot, text) = (folder.join("it.dot"), folder.join("it.txt"));
    let reports = [format!("dot={}", dot.display()), format!("text={}", text.display())];
    let flags = ["--workgroups", "1", "--report", &reports[0], "--report", &reports[1]];
    let (json, status) = verify(folder, "it.wgsl", &exchange(""), &flags)?;
    assert_eq!(
        (json["verdict"].as_str(), status, kinds(&json)),
        (Some("violation"), 1, vec!["data-race"])
    );
    let finding = &json["programs"][0]["findings"][0];
    let lines: Vec<_> = [0, 1].map(|at| finding["accesses"][at]["line"].as_u64()).to_vec();
    assert!(lines.contains(&Some(4)) && lines.contains(&Some(6)), "{finding}");
    assert!(finding["execution"].as_array().is_some_and(|events| events.len() >= 2), "{finding}");
    assert!(fs::read_to_string(dot)?.starts_with("digraph"));
    let text = fs::read_to_string(text)?;
    assert!(text.contains("data race") && text.contains("tile[1u - l]"), "{text}");
    Ok(())
}

fn a_barrier_of_another_memory_is_a_race(folder: &Path) -> Result<(), Failed> {
    let (json, status) =
        verify(folder, "it.wgsl", &exchange("storageBarrier();"), &["--workgroups", "1"])?;
    assert_eq!((status, kinds(&json)), (1, vec!["data-race"]), "{json}");
    Ok(())
}

fn a_barrier_that_some_do_not_reach_is_found(folder: &Path) -> Result<(), Failed> {
    let text = exchange("if l == 0u { workgroupBarrier(); }");
    let (json, status) =
        verify(folder, "it.wgsl", &text, &["--workgroups", "1", "--no-fail-fast"])?;
    assert!(status == 1 && kinds(&json).contains(&"barrier-divergence"), "{json}");
    Ok(())
}

/// Returns a kernel over flags: the invocation of each workgroup executes one of two statements.
pub fn flags(first: &str, second: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> flag: array<atomic<u32>, 2>;
        @group(0) @binding(1) var<storage, read_write> data: array<u32, 2>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {{
            if g.x == 0u {{ {first} }} else {{ {second} }}
        }}"
    )
}

fn a_wait_for_nobody_is_found(folder: &Path) -> Result<(), Failed> {
    let text = flags("atomicStore(&flag[0], 2u);", "while atomicLoad(&flag[0]) != 1u {}");
    let (json, status) = verify(folder, "it.wgsl", &text, &["--workgroups", "2"])?;
    assert_eq!((status, kinds(&json)), (1, vec!["no-termination"]), "{json}");
    let text = flags("atomicStore(&flag[0], 1u);", "while atomicLoad(&flag[0]) != 1u {}");
    let (json, status) = verify(folder, "it.wgsl", &text, &["--workgroups", "2"])?;
    assert_eq!((status, json["verdict"].as_str()), (0, Some("verified")), "{json}");
    Ok(())
}

fn an_endless_loop_is_bounded(folder: &Path) -> Result<(), Failed> {
    let text = flags("", "var i = 0u; while atomicLoad(&flag[1]) == 0u { i++; } data[0] = i;");
    let flags = ["--workgroups", "2", "--max-loop-iterations", "5", "--max-steps", "10000"];
    let (json, status) = verify(folder, "it.wgsl", &text, &flags)?;
    assert_eq!((json["verdict"].as_str(), status), (Some("bounded"), 4), "{json}");
    Ok(())
}

fn a_lock_of_relaxed_atomics_is_no_lock_in_wgsl(folder: &Path) -> Result<(), Failed> {
    let section = "loop { if atomicCompareExchangeWeak(&flag[0], 0u, 1u).exchanged { break; } }
        data[0] += 1u;
        atomicStore(&flag[0], 0u);";
    let text = flags(section, section);
    let (json, status) = verify(folder, "it.wgsl", &text, &["--workgroups", "2"])?;
    assert_eq!((status, kinds(&json)), (1, vec!["data-race"]), "{json}");
    let (json, status) = verify(folder, "it.wgsl", &text, &["--workgroups", "2", "--model", "sc"])?;
    assert_eq!((status, json["verdict"].as_str()), (0, Some("verified")), "{json}");
    Ok(())
}

/// Returns a kernel in which each invocation increments a counter; the assertion `count < most` fails only in some orders.
pub fn counter(most: u32) -> String {
    format!(
        "#[hirace::monitor]
pub mod counter {{
    use hirace::prelude::*;

    #[kernel(workgroup_size(3))]
    pub fn count(count: &Atomic<u32>) {{
        let before = count.fetch_add(1);
        assert!(before < {most});
    }}
}}
"
    )
}

fn an_assertion_in_rust_is_explored(folder: &Path) -> Result<(), Failed> {
    let (json, status) = verify(folder, "it.rs", &counter(2), &["--workgroups", "1"])?;
    assert_eq!((status, kinds(&json)), (1, vec!["assertion"]), "{json}");
    assert_eq!(
        json["programs"][0]["findings"][0]["accesses"][0]["line"].as_u64(),
        Some(8),
        "{json}"
    );
    let (json, status) = verify(folder, "it.rs", &counter(3), &["--workgroups", "1"])?;
    assert_eq!((status, json["verdict"].as_str()), (0, Some("verified")), "{json}");
    Ok(())
}

fn loads_are_buffered_in_wgsl_alone(folder: &Path) -> Result<(), Failed> {
    let one = |from: u32, to: u32| {
        format!(
            "if atomicLoad(&flag[{from}]) == 1u {{ data[{from}] = 1u; }} atomicStore(&flag[{to}], 1u);"
        )
    };
    let text = flags(&one(0, 1), &one(1, 0));
    let executions = |model: &str| -> Result<Option<u64>, Failed> {
        let flags = ["--workgroups", "2", "--model", model];
        Ok(verify(folder, "it.wgsl", &text, &flags)?.0["executions"].as_u64())
    };
    // The store is behind a branch on the load, so no model allows both loads to see the stores.
    assert_eq!((executions("wgsl")?, executions("sc")?), (Some(3), Some(3)));
    let one = |from: u32, to: u32| {
        format!(
            "let x = atomicLoad(&flag[{from}]); atomicStore(&flag[{to}], 1u); data[{from}] = x;"
        )
    };
    let text = flags(&one(0, 1), &one(1, 0));
    let executions = |model: &str| -> Result<(Option<u64>, i32), Failed> {
        // The read values need a use.
        let claim = "data[0] == 0 || data[1] == 0";
        let flags = ["--workgroups", "2", "--model", model, "--no-fail-fast", "--assert", claim];
        let (json, status) = verify(folder, "it.wgsl", &text, &flags)?;
        Ok((json["executions"].as_u64(), status))
    };
    // Both loads see the stores that follow the other load only if loads are buffered.
    assert_eq!((executions("wgsl")?, executions("scoped-rc11")?), ((Some(4), 1), (Some(3), 0)));
    Ok(())
}

/// Returns the path of a litmus test of the model checker's crate.
fn litmus(name: &str) -> PathBuf {
    crate::support::root().join("hirace-mc/litmus").join(name).with_extension("litmus")
}

fn litmus_tests_have_the_answers_of_their_models(_: &Path) -> Result<(), Failed> {
    // Test, model, status, and whether its assertion holds.
    let table: &[(&str, &str, i32, bool)] = &[
        ("vulkan/SB", "wgsl", 0, true),
        ("vulkan/SB", "scoped-rc11", 0, true),
        ("vulkan/SB", "sc", 1, false),
        ("vulkan/LB", "wgsl", 0, true),
        ("vulkan/LB", "scoped-rc11", 1, false),
        ("vulkan/CoRR", "wgsl", 0, true),
        ("vulkan/RMW-atomicity", "wgsl", 0, true),
        ("vulkan/spin-wait", "wgsl", 0, true),
        ("vulkan/spin-for-ever", "wgsl", 1, true),
        ("vulkan/barrier-in-scope", "wgsl", 0, true),
        ("vulkan/barrier-other-class", "wgsl", 1, true),
        ("ptx/MP-acq-rel", "scoped-rc11", 0, true),
        ("ptx/MP-cta", "scoped-rc11", 1, true),
        ("ptx/lock", "scoped-rc11", 0, true),
        ("ptx/lock-relaxed", "scoped-rc11", 1, true),
    ];
    for &(name, model, status, holds) in table {
        let ended = run_verify(&litmus(name), &["--model", model]);
        let json: Value = serde_json::from_str(&ended.stdout)
            .map_err(|error| format!("{name}: {error}: {ended:?}"))?;
        let claim = &json["programs"][0]["claim"]["holds"];
        if name != "ptx/lock-relaxed" {
            assert_eq!(claim.as_bool(), Some(holds), "{name} under {model}: {json}");
        }
        assert_eq!(ended.status, Some(status), "{name} under {model}: {json}");
    }
    Ok(())
}

fn what_cannot_be_explored_is_refused(folder: &Path) -> Result<(), Failed> {
    let large = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) { out[i.x] = i.x; }";
    fs::write(folder.join("it.wgsl"), large)?;
    let ended = run_verify(&folder.join("it.wgsl"), &["--workgroups", "2"]);
    assert!(ended.status == Some(2) && ended.stderr.contains("--max-invocations"), "{ended:?}");
    let ended =
        run_verify(&folder.join("it.wgsl"), &["--workgroups", "2", "--max-invocations", "128"]);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    // WGSL's model has no release operations.
    let ended = run_verify(&litmus("vulkan/MP-acq-rel"), &[]);
    assert!(ended.status == Some(2) && ended.stderr.contains("scoped-rc11"), "{ended:?}");
    fs::write(
        folder.join("it.litmus"),
        "VULKAN T\n{ x=0; }\n P0@wg 0 ;\n ld.sc0 x, 1 ;\nexists (x == 0)\n",
    )?;
    let ended = run_verify(&folder.join("it.litmus"), &[]);
    assert!(ended.status == Some(2) && ended.stderr.contains("it.litmus:4:9"), "{ended:?}");
    Ok(())
}

fn too_few_executions_are_inconclusive(_: &Path) -> Result<(), Failed> {
    let ended = run_verify(
        &litmus("vulkan/RMW-atomicity"),
        &["--max-executions", "1", "--reductions", "none"],
    );
    let json: Value = serde_json::from_str(&ended.stdout)?;
    assert_eq!((json["verdict"].as_str(), ended.status), (Some("inconclusive"), Some(4)), "{json}");
    Ok(())
}

fn flags_without_an_effect_are_refused(folder: &Path) -> Result<(), Failed> {
    let file = folder.join("it.wgsl");
    fs::write(&file, exchange("workgroupBarrier();"))?;
    let flags: [&[&str]; 4] =
        [&["--device", "0"], &["--schedule", "1"], &["--schedules", "2"], &["--oracle"]];
    for flags in flags {
        let ended = run_verify(&file, flags);
        let said = format!("`{}` does not apply to `hirace verify`", flags[0]);
        assert!(ended.status == Some(2) && ended.stderr.contains(&said), "{ended:?}");
    }
    Ok(())
}

fn reductions_change_no_verdict(_: &Path) -> Result<(), Failed> {
    for name in
        ["ptx/lock", "ptx/lock-relaxed", "ptx/red-add", "vulkan/spin-wait", "vulkan/CAS-one-winner"]
    {
        let said = |reductions: &str| -> Result<Vec<Value>, Failed> {
            let ended =
                run_verify(&litmus(name), &["--model", "scoped-rc11", "--reductions", reductions]);
            let json: Value = serde_json::from_str(&ended.stdout)?;
            let program = &json["programs"][0];
            Ok(vec![
                json["verdict"].clone(),
                program["claim"]["holds"].clone(),
                Value::from(kinds(&json).join(" ")),
            ])
        };
        assert_eq!(said("all")?, said("none")?, "{name}");
    }
    Ok(())
}

fn what_no_execution_reaches_is_not_verified(folder: &Path) -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read> values: array<u32, 2>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) l: u32) {
            if values[l] > 5u { out[0] = l; }
        }";
    let (json, status) = verify(folder, "it.wgsl", text, &["--workgroups", "1"])?;
    assert_eq!((json["verdict"].as_str(), status), (Some("inconclusive"), 4), "{json}");
    assert_eq!(json["programs"][0]["not_reached"][0]["line"].as_u64(), Some(4), "{json}");
    let buffers = |values| ["--workgroups", "1", "--buffer", values, "--buffer", "out=zeros"];
    let (json, status) = verify(folder, "it.wgsl", text, &buffers("values=1,2"))?;
    assert_eq!((json["verdict"].as_str(), status), (Some("verified"), 0), "{json}");
    let (json, status) = verify(folder, "it.wgsl", text, &buffers("values=7,8"))?;
    assert_eq!((status, kinds(&json)), (1, vec!["data-race"]), "{json}");
    Ok(())
}
