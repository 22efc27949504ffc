//! Tests of notes about kernels: barriers that order nothing, and outputs that depend on the order of invocations.

use crate::support::{ProgramOutput, hirace, run, scratch};
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("notes::each_format_has_them", formats),
        Trial::test("notes::they_change_no_exit_status", statuses),
        Trial::test("notes::barriers_of_each_language_are_judged", languages),
        Trial::test("notes::only_reports_without_findings_name_the_order", order),
    ]
}

/// Clears and counts bins, with these barriers between. The barrier is in line 6.
fn bins(barriers: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
var<workgroup> bins: array<atomic<u32>, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {{
    atomicStore(&bins[l], 0u);
    {barriers}
    atomicAdd(&bins[(l * 7u) % 16u], 1u);
    workgroupBarrier();
    out[l] = atomicLoad(&bins[l]);
}}
"
    )
}

/// Runs `check` with a file and flags.
fn check(name: &str, text: &str, flags: &[&str]) -> Result<ProgramOutput, Failed> {
    let path = scratch("notes").join(name);
    std::fs::write(&path, text)?;
    let path = path.display().to_string();
    Ok(run(&mut hirace(&[&["check", &path], flags].concat()), LIMIT))
}

/// Returns the messages of the notes in the JSON report of a check.
fn notes(name: &str, text: &str, flags: &[&str]) -> Result<Vec<String>, Failed> {
    let ended = check(name, text, &[&["--format", "json"], flags].concat())?;
    let json: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("{error}\n{}{}", ended.stdout, ended.stderr))?;
    let launches = json["launches"].as_array().filter(|launches| !launches.is_empty());
    let launches = launches.ok_or_else(|| format!("nothing was checked: {}", ended.stdout))?;
    let notes = launches.iter().flat_map(|launch| launch["notes"].as_array().into_iter().flatten());
    Ok(notes.filter_map(|note| Some(note["message"].as_str()?.to_owned())).collect())
}

const MESSAGE: &str = "orders none of the accesses before and after it: lines 5 and 7 access `bins`, in workgroup memory; use `workgroupBarrier()` to order them";

fn formats() -> Result<(), Failed> {
    let wrong = bins("storageBarrier();");
    for format in ["text", "json", "sarif", "github", "html"] {
        for launch in [&[][..], &["--workgroups", "1"]] {
            let ended = check("bins.wgsl", &wrong, &[&["--format", format], launch].concat())?;
            assert!(ended.stdout.contains(MESSAGE), "{format} {launch:?}\n{}", ended.stdout);
        }
    }
    let ended = check("bins.wgsl", &wrong, &["--format", "json"])?;
    let json: Value = serde_json::from_str(&ended.stdout)?;
    let note = &json["launches"][0]["notes"][0];
    assert_eq!(note["kind"], "ineffective-barrier", "{note}");
    assert_eq!(
        (&note["place"]["line"], &note["place"]["column"]),
        (&6.into(), &5.into()),
        "{note}"
    );
    let ended = check("bins.wgsl", &wrong, &["--format", "sarif"])?;
    let sarif: Value = serde_json::from_str(&ended.stdout)?;
    let notification = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notification["level"], "note", "{sarif}");
    Ok(())
}

fn statuses() -> Result<(), Failed> {
    for flags in
        [&["--workgroups", "1"][..], &["--workgroups", "1", "--buffer", "out=zeros", "--strict"]]
    {
        let with = check("statuses.wgsl", &bins("storageBarrier();"), flags)?;
        let without = check("statuses.wgsl", &bins("workgroupBarrier();"), flags)?;
        assert_eq!((with.status, without.status), (Some(0), Some(0)), "{}", with.stdout);
        assert!(!without.stdout.contains("note: "), "{}", without.stdout);
    }
    Ok(())
}

/// A kernel in GLSL with these barriers between atomic operations on a buffer.
fn glsl(barriers: &str) -> String {
    format!(
        "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data {{ uint total; }};
shared uint tile[64];
void main() {{
    if (gl_LocalInvocationIndex == 0u) atomicExchange(total, 5u);
    {barriers}
    atomicAdd(total, 1u);
}}
"
    )
}

/// A kernel in Rust with these barriers between atomic operations on workgroup memory.
fn rust(barriers: &str) -> String {
    format!(
        "#[hirace::monitor(workgroup_size(64))]
fn main(
    #[builtin(local_invocation_index)] l: u32,
    #[workgroup] bins: &[Atomic<u32>; 64],
    out: &mut [u32; 64],
) {{
    bins[l].store(0);
    {barriers}
    bins[(l * 7) % 16].fetch_add(1);
    workgroup_barrier();
    out[l] = bins[l].load();
}}
"
    )
}

fn languages() -> Result<(), Failed> {
    let one = ["--workgroups", "1"];
    let wrong = [
        ("it.wgsl", bins("storageBarrier();"), "`workgroupBarrier()` to order"),
        ("it.wgsl", bins("textureBarrier();"), "`workgroupBarrier()` to order"),
        ("it.comp", glsl("barrier();"), "`memoryBarrierBuffer(); barrier()` to order"),
        (
            "it.comp",
            glsl("memoryBarrierShared(); barrier();"),
            "`memoryBarrierBuffer(); barrier()` to order",
        ),
        ("it.rs", rust("storage_barrier();"), "`workgroup_barrier()` to order"),
        ("it.rs", rust("storage_barrier(); texture_barrier();"), "`workgroup_barrier()` to order"),
    ];
    let is_supported = |name: &str| cfg!(feature = "glsl") || !name.ends_with(".comp");
    for (name, text, expected) in wrong.into_iter().filter(|(name, ..)| is_supported(name)) {
        let notes = notes(name, &text, &one)?;
        assert!(
            !notes.is_empty() && notes.iter().all(|note| note.contains(expected)),
            "{text}\n{notes:?}"
        );
    }
    let right = [
        ("it.wgsl", bins("workgroupBarrier();")),
        ("it.wgsl", bins("storageBarrier(); workgroupBarrier();")),
        ("it.comp", glsl("memoryBarrierBuffer(); barrier();")),
        ("it.comp", glsl("barrier(); memoryBarrierBuffer();")),
        ("it.comp", glsl("memoryBarrier(); barrier();")),
        ("it.comp", glsl("groupMemoryBarrier(); barrier();")),
        (
            "it.comp",
            glsl(
                "tile[gl_LocalInvocationIndex] = 1u; barrier(); if (tile[gl_LocalInvocationIndex ^ 1u] == 1u)",
            ),
        ),
        ("it.rs", rust("workgroup_barrier();")),
        ("it.rs", rust("workgroup_barrier(); storage_barrier();")),
    ];
    for (name, text) in right.into_iter().filter(|(name, _)| is_supported(name)) {
        let notes = notes(name, &text, &one)?;
        assert!(notes.is_empty(), "{text}\n{notes:?}");
    }
    Ok(())
}

/// Appends to a list, with this statement before.
fn append(statement: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {{
    {statement}
    let slot = atomicAdd(&count, 1u);
    list[slot] = id.x;
}}
"
    )
}

fn order() -> Result<(), Failed> {
    let launch = ["--workgroups", "2", "--buffer", "count=0", "--buffer", "list=zeros:128"];
    let found = notes("append.wgsl", &append(""), &launch)?;
    let [note] = &found[..] else { return Err(format!("{found:?}").into()) };
    let says = "the result of `atomicAdd` at line 7 reaches `list`, so the output may depend on the order of invocations: `hirace amplify ";
    assert!(note.starts_with(says) && note.ends_with("` tries other orders"), "{note}");
    // The command is about the same launch, and finds the dependence.
    let command = note.rsplit('`').nth(1).ok_or("no command")?;
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let ended = run(&mut hirace(&words), LIMIT);
    assert_eq!(ended.status, Some(1), "{command}\n{}{}", ended.stdout, ended.stderr);
    let ended = check("append.wgsl", &append(""), &launch)?;
    assert_eq!(ended.status, Some(0), "{}", ended.stdout);
    // A finding is more important, and an unused result has no effect.
    let racy = append("tile[l] = l; if (tile[l ^ 1u] == 0u) { return; }");
    assert!(notes("append.wgsl", &racy, &launch)?.is_empty());
    let unused = append("atomicMax(&count, 3u); list[id.x] = 0u; return;");
    assert!(notes("append.wgsl", &unused, &launch)?.is_empty());
    Ok(())
}
