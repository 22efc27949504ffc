//! Tests of models: the orders and scopes in the Rust source are those that are explored.

use super::{Test, kinds, verify};
use crate::support::{hirace, run};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
use std::time::Duration;

pub const TESTS: &[(&str, Test)] = &[
    ("locks_hold_by_their_orders_and_scopes", locks_hold_by_their_orders_and_scopes),
    ("a_scope_is_wide_enough_within_it", a_scope_is_wide_enough_within_it),
    ("a_failed_exchange_orders_as_it_says", a_failed_exchange_orders_as_it_says),
    ("a_model_is_no_wgsl", a_model_is_no_wgsl),
    ("check_takes_a_model_with_a_doubt", check_takes_a_model_with_a_doubt),
    ("a_model_uses_what_is_monitored", a_model_uses_what_is_monitored),
];

const SCOPED: &str = "--model=scoped-rc11";

/// Returns a model of one kernel, `main`, in workgroups of one invocation.
fn model(parameters: &str, body: &str) -> String {
    format!(
        "#[hirace::model]
pub mod it {{
    use hirace::prelude::*;
    use std::sync::atomic::{{AtomicU32, Ordering::*, fence}};

    #[kernel(workgroup_size(1))]
    pub fn main(#[builtin(workgroup_id)] group: UVec3, {parameters}) {{
        {body}
    }}
}}
"
    )
}

/// Returns a lock around a count, from the acquiring operation, what follows it, what precedes the release, and the releasing
/// operation.
fn lock([taken, then, before, given]: [&str; 4]) -> String {
    let body = format!(
        "while lock.{taken}.is_err() {{}}
        {then}
        *count += 1;
        {before}
        lock.{given};"
    );
    model("lock: &AtomicU32, count: &mut u32", &body)
}

fn locks_hold_by_their_orders_and_scopes(folder: &Path) -> Result<(), Failed> {
    const ACQUIRED: &str = "compare_exchange(0, 1, Acquire, Relaxed)";
    const RELAXED: &str = "compare_exchange_weak(0, 1, Relaxed, Relaxed)";
    let table: &[([&str; 4], &[&str])] = &[
        ([ACQUIRED, "", "", "store(0, Release)"], &[]),
        ([ACQUIRED, "", "", "store(0, SeqCst)"], &[]),
        (["compare_exchange(0, 1, AcqRel, Acquire)", "", "", "store(0, Release)"], &[]),
        ([ACQUIRED, "", "", "store(0, Relaxed)"], &["data-race"]),
        ([RELAXED, "", "", "store(0, Release)"], &["data-race"]),
        ([RELAXED, "fence(Acquire);", "fence(Release);", "store(0, Relaxed)"], &[]),
        ([RELAXED, "fence(AcqRel);", "", "store(0, Release)"], &[]),
        ([RELAXED, "", "fence(Release);", "store(0, Relaxed)"], &["data-race"]),
        (
            [
                RELAXED,
                "fence(Acquire);",
                "hirace::fence(Release, Scope::Workgroup);",
                "store(0, Relaxed)",
            ],
            &["data-race"],
        ),
        (
            [
                "within(Scope::Workgroup).compare_exchange(0, 1, Acquire, Relaxed)",
                "",
                "",
                "within(Scope::Workgroup).store(0, Release)",
            ],
            &["heterogeneous-race", "data-race"],
        ),
        (
            [
                "within(Scope::System).compare_exchange(0, 1, Acquire, Relaxed)",
                "",
                "",
                "within(Scope::QueueFamily).store(0, Release)",
            ],
            &[],
        ),
    ];
    for (lines, expected) in table {
        let flags = ["--workgroups", "2", SCOPED, "--no-fail-fast"];
        let (json, status) = verify(folder, "it.rs", &lock(*lines), &flags)?;
        let found = kinds(&json);
        let is_right = expected.iter().all(|kind| found.contains(kind));
        assert!(is_right && found.is_empty() == expected.is_empty(), "{lines:?}: {json}");
        assert_eq!(status, i32::from(!expected.is_empty()), "{lines:?}: {json}");
    }
    Ok(())
}

fn a_scope_is_wide_enough_within_it(folder: &Path) -> Result<(), Failed> {
    let text = model(
        "flag: &AtomicU32, data: &mut u32, #[builtin(local_invocation_index)] lane: u32",
        "
        if lane == 0 { *data = 1; flag.within(Scope::Workgroup).store(1, Release); }
        else if flag.within(Scope::Workgroup).load(Acquire) == 1 { assert!(*data == 1); }",
    )
    .replace("workgroup_size(1)", "workgroup_size(2)");
    let (json, status) = verify(folder, "it.rs", &text, &["--workgroups", "1", SCOPED])?;
    assert_eq!((json["verdict"].as_str(), status), (Some("verified"), 0), "{json}");
    let (json, status) = verify(folder, "it.rs", &text, &["--workgroups", "2", SCOPED])?;
    assert_eq!(status, 1, "{json}");
    let text = text.replace("Scope::Workgroup", "Scope::Subgroup");
    let narrow = ["--workgroups", "1", SCOPED, "--subgroup-size", "1"];
    let (json, status) = verify(folder, "it.rs", &text, &narrow)?;
    assert_eq!(status, 1, "{json}");
    Ok(())
}

fn a_failed_exchange_orders_as_it_says(folder: &Path) -> Result<(), Failed> {
    let text = |failed: &str| {
        let body = format!(
            "if group.x == 0 {{ *data = 1; flag.store(1, Release); }}
            else if let Err(1) = flag.compare_exchange(0, 0, Relaxed, {failed}) {{ assert!(*data == 1); }}"
        );
        model("flag: &AtomicU32, data: &mut u32", &body)
    };
    let flags = ["--workgroups", "2", SCOPED];
    let (json, status) = verify(folder, "it.rs", &text("Acquire"), &flags)?;
    assert_eq!((json["verdict"].as_str(), status), (Some("verified"), 0), "{json}");
    let (json, status) = verify(folder, "it.rs", &text("Relaxed"), &flags)?;
    assert_eq!((status, kinds(&json)), (1, vec!["data-race"]), "{json}");
    Ok(())
}

fn a_model_is_no_wgsl(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("it.rs");
    fs::write(
        &path,
        model("flag: &AtomicU32", "flag.store(group.x, Relaxed); flag.store(1, Release);"),
    )?;
    let path = path.display().to_string();
    for arguments in [&["expand", &path][..], &["expand", "--plain", &path]] {
        let ended = run(&mut hirace(arguments), Duration::from_secs(60));
        let said =
            ended.stderr.contains("WGSL cannot express") && ended.stderr.contains("it.rs:8:39");
        assert!(ended.status == Some(2) && said, "{ended:?}");
    }
    // WGSL's model has no orders either.
    let ended = super::run_verify(Path::new(&path), &["--workgroups", "1"]);
    assert!(ended.status == Some(2) && ended.stderr.contains("scoped-rc11"), "{ended:?}");
    Ok(())
}

fn check_takes_a_model_with_a_doubt(folder: &Path) -> Result<(), Failed> {
    let path = folder.join("it.rs");
    fs::write(
        &path,
        lock(["compare_exchange(0, 1, Acquire, Relaxed)", "", "", "store(0, Release)"]),
    )?;
    let path = path.display().to_string();
    let arguments = ["check", &path, "--workgroups", "2"];
    let ended = run(&mut hirace(&arguments), Duration::from_secs(60));
    let said = ended.stdout.clone() + &ended.stderr;
    assert!(said.contains("possible data race on `count`"), "{ended:?}");
    Ok(())
}

fn a_model_uses_what_is_monitored(folder: &Path) -> Result<(), Failed> {
    let text = "#[hirace::monitor]
const STEP: u32 = 2;

#[hirace::model(workgroup_size(1))]
fn adds(count: &AtomicU32) {
    let before = count.fetch_add(STEP, Ordering::SeqCst);
    assert!(before < STEP);
}
";
    let (json, status) = verify(folder, "it.rs", text, &["--workgroups", "2", SCOPED])?;
    assert_eq!((status, kinds(&json)), (1, vec!["assertion"]), "{json}");
    let (json, status) = verify(folder, "it.rs", text, &["--workgroups", "1", SCOPED])?;
    assert_eq!((status, json["verdict"].as_str()), (0, Some("verified")), "{json}");
    Ok(())
}
