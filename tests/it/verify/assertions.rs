//! Tests of assertions about memory after all invocations have terminated.

use super::{Test, kinds, run_verify, verify};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;

pub const TESTS: &[(&str, Test)] = &[
    ("a_lost_update_is_found_by_what_is_left", a_lost_update_is_found_by_what_is_left),
    ("each_model_leaves_what_it_allows", each_model_leaves_what_it_allows),
    ("a_kernel_in_rust_ensures_something", a_kernel_in_rust_ensures_something),
    ("a_monitored_kernel_ensures_it_too", a_monitored_kernel_ensures_it_too),
    (
        "what_no_claim_can_say_is_refused_at_its_place",
        what_no_claim_can_say_is_refused_at_its_place,
    ),
    ("one_thread_finds_what_several_find", one_thread_finds_what_several_find),
    ("a_repair_keeps_to_what_is_claimed", a_repair_keeps_to_what_is_claimed),
    ("what_does_not_end_leaves_nothing", what_does_not_end_leaves_nothing),
    #[cfg(feature = "glsl")]
    ("members_of_blocks_are_claimed_of_glsl", members_of_blocks_are_claimed_of_glsl),
];

/// Returns a kernel with a counter that four invocations update by this statement.
fn counted(statement: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> count: array<atomic<u32>, 2>;
        @compute @workgroup_size(2) fn main() {{ {statement} }}"
    )
}

const LOST: &str = "let seen = atomicLoad(&count[0]); atomicStore(&count[0], seen + 1u);";
const TWO: [&str; 2] = ["--workgroups", "2"];

fn claimed(folder: &Path, text: &str, claim: &str, flags: &[&str]) -> Result<(Value, i32), Failed> {
    verify(folder, "it.wgsl", text, &[&TWO[..], &["--assert", claim], flags].concat())
}

fn a_lost_update_is_found_by_what_is_left(folder: &Path) -> Result<(), Failed> {
    let (json, status) = claimed(folder, &counted(LOST), "count[0] == 4", &[])?;
    assert_eq!((status, kinds(&json)), (1, vec!["assertion"]), "{json}");
    let finding = &json["programs"][0]["findings"][0];
    let unmet = &finding["unmet"];
    assert_eq!(unmet["claim"].as_str(), Some("count[0] == 4"), "{unmet}");
    let held = &unmet["memory"][0];
    assert_eq!(held["memory"].as_str(), Some("count[0]"), "{unmet}");
    let left = held["value"].as_str().and_then(|value| value.parse::<u64>().ok());
    let events = finding["execution"].as_array().ok_or("an execution")?;
    // The last write in coherence order depends on the execution that is found first.
    let wrote = |value| events.iter().any(|event| event["wrote"].as_u64() == Some(value));
    assert!(left.is_some_and(|left| left < 4 && wrote(left)), "{unmet} {events:?}");
    assert_eq!(finding["accesses"].as_array().map(Vec::len), Some(1), "{finding}");
    assert!(finding["replay"].is_string(), "{finding}");
    let (json, status) =
        claimed(folder, &counted("atomicAdd(&count[0], 1u);"), "count[0] == 4", &[])?;
    assert_eq!((status, json["verdict"].as_str()), (0, Some("verified")), "{json}");
    // Only that order is explored.
    assert_eq!(json["executions"].as_u64(), Some(1), "{json}");
    Ok(())
}

fn each_model_leaves_what_it_allows(folder: &Path) -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>, 2>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {
            atomicStore(&a[g.x], 1u);
            atomicStore(&a[1u - g.x], 2u);
        }";
    for (model, status) in [("wgsl", 1), ("scoped-rc11", 1), ("sc", 0)] {
        // If all writes are in one order, at least one of the two last values is a 2.
        let (json, ended) = claimed(folder, text, "a[0] + a[1] > 2", &["--model", model])?;
        assert_eq!(ended, status, "{model}: {json}");
    }
    Ok(())
}

/// Returns a model with a postcondition.
fn model(ensured: &str, order: &str) -> String {
    format!(
        "#[hirace::model]
pub mod it {{
    use hirace::prelude::*;
    use std::sync::atomic::{{AtomicU32, Ordering}};

    #[overridable]
    pub const SIZE: u32 = 2;

    #[ensures({ensured})]
    #[kernel(workgroup_size(SIZE))]
    pub fn main(count: &AtomicU32, seen: &mut [u32]) {{
        let own = count.{order};
        seen[own as usize] = 1;
    }}
}}
"
    )
}

fn a_kernel_in_rust_ensures_something(folder: &Path) -> Result<(), Failed> {
    let flags = ["--workgroups", "2", "--buffer", "seen=zeros:4", "--model", "scoped-rc11"];
    let all = "count == 2 * SIZE && (0..seen.len()).all(|i| seen[i] == 1)";
    let counted = "fetch_add(1, Ordering::Relaxed)";
    let (json, status) = verify(folder, "it.rs", &model(all, counted), &flags)?;
    assert_eq!((status, json["verdict"].as_str()), (0, Some("verified")), "{json}");
    let (json, _) = verify(folder, "it.rs", &model("count == 5", counted), &flags)?;
    let unmet = &json["programs"][0]["findings"][0]["unmet"];
    assert_eq!(
        (unmet["claim"].as_str(), unmet["line"].as_u64()),
        (Some("count == 5"), Some(9)),
        "{json}"
    );
    // Both conditions hold in one launch.
    let and = [&flags[..], &["--assert", "count == 4"]].concat();
    let (json, status) = verify(folder, "it.rs", &model(all, counted), &and)?;
    assert_eq!(status, 0, "{json}");
    Ok(())
}

fn a_monitored_kernel_ensures_it_too(folder: &Path) -> Result<(), Failed> {
    for (left, status) in [("4", 0), ("5", 1)] {
        let text = format!(
            "#[hirace::monitor(workgroup_size(2))]
            #[ensures(count == {left})]
            fn adds(count: &Atomic<u32>) {{ count.fetch_add(1); }}"
        );
        let (json, ended) = verify(folder, "it.rs", &text, &TWO)?;
        assert_eq!(ended, status, "{json}");
        let found: &[&str] = if status == 0 { &[] } else { &["assertion"] };
        assert_eq!(kinds(&json), found, "{json}");
    }
    Ok(())
}

fn what_no_claim_can_say_is_refused_at_its_place(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("it.wgsl");
    fs::write(&path, counted(LOST))?;
    for (claim, at) in [
        ("count[0]", "--assert:1:1"),
        ("count[0] == 4 && cuont[1] == 0", "--assert:1:18"),
        ("count[0] == 4 && count[2] == 0", "--assert:1:18"),
        ("count[0] = 4", "--assert:1:1"),
        ("(0..9).all(|i| count[0] == f(i))", "--assert:1:28"),
    ] {
        let ended = run_verify(&path, &["--workgroups", "2", "--assert", claim]);
        assert_eq!(ended.status, Some(2), "{claim}: {}", ended.stdout);
        assert!(ended.stderr.contains(at), "{claim}: {}", ended.stderr);
    }
    let (json, status) =
        verify(folder, "it.rs", &model("count == seen", "load(Ordering::Relaxed)"), &[])?;
    assert_eq!((status, json["errors"].as_array().map(Vec::len)), (2, Some(1)), "{json}");
    let path = folder.join("it.rs");
    fs::write(&path, model("count == f(1)", "load(Ordering::Relaxed)"))?;
    let ended = run_verify(&path, &[]);
    assert!(ended.status == Some(2) && ended.stderr.contains("it.rs:9:24"), "{}", ended.stderr);
    let litmus = folder.join("it.litmus");
    fs::write(&litmus, "VULKAN it\n{ x=0; }\n P0@sg 0, wg 0, qf 0 ;\n st.dv.sc0 x, 1 ;\n")?;
    let ended = run_verify(&litmus, &["--assert", "x == 1"]);
    assert!(ended.status == Some(2) && ended.stderr.contains("forall"), "{}", ended.stderr);
    Ok(())
}

fn one_thread_finds_what_several_find(folder: &Path) -> Result<(), Failed> {
    for claim in ["count[0] >= 1 && count[0] <= 4", "count[0] != 2"] {
        let with = |threads: &str| {
            let (json, _) =
                claimed(folder, &counted(LOST), claim, &["--no-fail-fast", "--jobs", threads])?;
            let found = kinds(&json).join(" ");
            Ok::<_, Failed>((found, ["executions", "blocked"].map(|count| json[count].as_u64())))
        };
        assert_eq!(with("1")?, with("4")?, "{claim}");
    }
    Ok(())
}

fn a_repair_keeps_to_what_is_claimed(folder: &Path) -> Result<(), Failed> {
    let text = "@group(0) @binding(0) var<storage, read_write> count: u32;
        @compute @workgroup_size(2) fn main() { count += 1u; }";
    let (json, _) = claimed(folder, text, "count == 4", &["--repair"])?;
    let repair = &json["programs"][0]["repair"];
    assert_eq!(repair["verified"].as_bool(), Some(true), "{json}");
    let (json, _) = claimed(folder, text, "count == 5", &["--repair"])?;
    let repair = &json["programs"][0]["repair"];
    assert_eq!(repair["verified"].as_bool(), Some(false), "{json}");
    Ok(())
}

/// If some invocations wait forever, or loops are not explored to their end, there are no final contents.
fn what_does_not_end_leaves_nothing(folder: &Path) -> Result<(), Failed> {
    let waits = counted("while atomicLoad(&count[1]) == 0u {} atomicStore(&count[0], 1u);");
    let (json, _) = claimed(folder, &waits, "count[0] == 1", &["--no-fail-fast"])?;
    assert_eq!(kinds(&json), ["no-termination"], "{json}");
    let bounded = counted("for (var i = 0u; ; i++) { atomicStore(&count[0], i); }");
    let flags = ["--max-loop-iterations", "2", "--max-steps", "1000"];
    let (json, status) = claimed(folder, &bounded, "count[0] == 9", &flags)?;
    assert_eq!((status, json["verdict"].as_str()), (4, Some("bounded")), "{json}");
    Ok(())
}

#[cfg(feature = "glsl")]
fn members_of_blocks_are_claimed_of_glsl(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("it.comp");
    fs::write(
        &path,
        "#version 450
        layout(local_size_x = 2) in;
        layout(set = 0, binding = 0) buffer Counts { uint all; uint later; };
        void main() { if (atomicAdd(all, 1u) > 0u) { atomicAdd(later, 1u); } }",
    )?;
    for (claim, expected) in [("Counts.later == 3", 0), ("Counts.later == 2", 1), ("later == 3", 2)]
    {
        let ended = run_verify(&path, &["--workgroups", "2", "--assert", claim]);
        assert_eq!(ended.status, Some(expected), "{claim}: {} {}", ended.stdout, ended.stderr);
        let is_named = ended.stderr.contains("refer to it as `Counts.later`");
        assert_eq!(is_named, expected == 2, "{}", ended.stderr);
    }
    Ok(())
}
