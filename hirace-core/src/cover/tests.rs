use super::coverage::{Branch, Coverage, File, Loop};
use super::run::coverage;
use crate::exec::embedded::Embedded;
use crate::front::wgsl;
use crate::launch::build;
use crate::launch::candidates::candidates;
use crate::launch::spec::{Binding, LaunchSpec};
use crate::program::Program;
use std::collections::BTreeMap;

/// Returns the coverage of a launch of `text`'s first kernel over one workgroup, and whether it terminated.
fn launch_coverage(text: &str, buffers: &[&str], spec: LaunchSpec) -> (Coverage, bool) {
    let parsed = wgsl::parse("kernel.wgsl", text).unwrap();
    let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
    let bindings = buffers.iter().map(|text| Binding::parse(text).unwrap()).collect();
    let spec = LaunchSpec { workgroups: Some([1, 1, 1]), bindings, ..spec };
    let candidates = candidates(&program, &spec, 0).unwrap();
    let launch = build::launch(&program, &spec, &candidates[0], &BTreeMap::new()).unwrap();
    coverage(&Embedded, &program, &launch, false, None).unwrap()
}

/// Returns the coverage of a launch of `text`'s first kernel, which must terminate.
fn kernel_coverage(text: &str, buffers: &[&str]) -> Coverage {
    let spec = LaunchSpec { subgroup_size: Some(8), ..LaunchSpec::default() };
    let (coverage, ended) = launch_coverage(text, buffers, spec);
    assert!(ended);
    coverage
}

/// Returns a coverage that contains every kind of item.
pub(super) fn any() -> Coverage {
    kernel_coverage(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) i: u32) {
            for (var k = 0u; k < i; k++) { if (k == 3u) { out[i] += select(1u, 2u, k < 2u); } }
            workgroupBarrier();
        }",
        &["out=zeros:8"],
    )
}

fn arms(branch: &Branch) -> Vec<(&str, u64)> {
    branch.arms.iter().map(|arm| (&arm.label[..], arm.count)).collect()
}

#[test]
fn lines_count_invocations_and_branches_both_sides() {
    let coverage = kernel_coverage(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn twice(x: u32) -> u32 {
    return 2u * x;
}
fn never(x: u32) -> u32 {
    return x;
}
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i;
    if (i < 3u) {
        out[i] = twice(i);
    }
    if (out[i] > 100u || i == 5u) {
        return;
    } else if (out[i] == 200u) {
        out[i] = never(i);
    }
    out[i] += select(1u, 2u, i < 4u);
}",
        &["out=zeros:16"],
    );
    let file = &coverage.files[0];
    let counts: Vec<(u32, u64)> = file.lines.iter().map(|line| (line.line, line.count)).collect();
    let expected = [
        (3, 3),
        (6, 0),
        (10, 16),
        (11, 16),
        (12, 3),
        (14, 16),
        (15, 1),
        (16, 15),
        (17, 0),
        (19, 15),
    ];
    assert_eq!(counts, expected);
    let functions: Vec<_> = file.functions.iter().map(|f| (&f.name[..], f.line, f.count)).collect();
    assert_eq!(functions, [("twice", 2, 3), ("never", 5, 0), ("main", 9, 16)]);
    let branches: Vec<_> = file.branches.iter().map(|b| (b.line, b.diverged, arms(b))).collect();
    let expected = [
        (11, Some(1), vec![("true", 3), ("false", 13)]),
        (14, Some(1), vec![("true", 1), ("false", 15)]),
        (14, Some(0), vec![("right operand", 16), ("left operand only", 0)]),
        (16, Some(0), vec![("true", 0), ("false", 15)]),
        (19, None, vec![("true", 4), ("false", 11)]),
    ];
    assert_eq!(branches, expected);
    assert_eq!(file.kernels[0].functions, ["main", "never", "twice"]);
    assert_eq!(coverage.summary.lines.covered, 8);
    assert_eq!(coverage.summary.branches.total, 10);
}

#[test]
fn each_loop_visit_counts_for_one_case() {
    let coverage = kernel_coverage(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn early(n: u32) -> u32 {
    for (var i = 0u; i < n; i++) {
        if (i == 1u) { return 7u; }
    }
    return 1u;
}
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k < i; k++) {
        sum += k;
    }
    loop {
        sum += 1u;
        if (sum > 3u) { break; }
    }
    while (sum < 100u) {
        sum += 1000u;
        for (var j = 0u; j < 2u; j++) { sum += 1u; }
    }
    loop {
        sum += 1u;
        continuing { break if sum > 1010u; }
    }
    out[i] = sum + early(i);
}",
        &["out=zeros:4"],
    );
    let loops = &coverage.files[0].loops;
    let shown = |of: &Loop| (of.line, of.zero, of.once, of.many, of.boundary);
    let shown: Vec<_> = loops.iter().map(shown).collect();
    let expected = [
        // Of 0, 1, 2 and 3: 2 and 3 return in their second iteration.
        (3, Some(1), 1, 2, Some(2)),
        (11, Some(1), 1, 2, Some(4)),
        (14, None, 1, 3, None),
        (18, Some(0), 4, 0, Some(4)),
        (20, Some(0), 0, 4, Some(4)),
        (22, None, 0, 4, Some(4)),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn barriers_count_visits_of_all_and_of_some() {
    let coverage = kernel_coverage(
        "var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < 3u; k++) {
        tile[i] = k;
        workgroupBarrier();
        out[i] = tile[7u - i];
        workgroupBarrier();
    }
    for (var k = 0u; k < i; k++) {
        workgroupBarrier();
    }
    if (out[0] == 77u) {
        storageBarrier();
    }
}",
        &["out=zeros:8"],
    );
    let barriers = coverage.files[0].barriers.iter();
    let shown: Vec<_> = barriers.map(|b| (b.line, b.complete, b.divergent)).collect();
    assert_eq!(shown, [(7, 3, 0), (9, 3, 0), (12, 0, 7), (15, 0, 0)]);
    assert_eq!((coverage.summary.barriers.covered, coverage.summary.barriers.total), (2, 4));
    // Invocations that wait for each other separate, but no part of a subgroup takes two arms.
    let last = coverage.files[0].branches.last().unwrap();
    assert_eq!((last.line, last.diverged), (14, Some(0)));
}

#[test]
fn counts_of_the_same_text_are_added() {
    let (one, mut sum) = (any(), any());
    sum.add(any());
    assert_eq!(sum.files[0].lines[0].count, 2 * one.files[0].lines[0].count);
    assert_eq!(sum.files[0].loops[0].zero, Some(2));
    assert_eq!(sum.files[0].barriers[0].complete, 2);
    assert_eq!(sum.summary, one.summary);
    let mut other = any();
    other.files[0].text = Some("0".to_owned());
    sum.add(other);
    assert_eq!(sum.files_with_several_texts(), ["kernel.wgsl"]);
    let sum_of = |text: &Option<String>| sum.files.iter().position(|f| f.text == *text).unwrap();
    let at = sum_of(&one.files[0].text);
    assert_eq!(sum.files[at].lines[0].count, 2 * one.files[0].lines[0].count);
    let mut most = any();
    most.files[0].lines[0].count = u64::MAX;
    sum.add(most);
    assert_eq!(sum.files[at].lines[0].count, u64::MAX);
}

#[test]
fn unsorted_documents_are_sorted_when_read() {
    let whole = any();
    let mut shuffled = whole.clone();
    for file in &mut shuffled.files {
        file.lines.reverse();
        file.branches.reverse();
    }
    let other = File { file: "another.wgsl".to_owned(), ..File::default() };
    shuffled.files.push(other.clone());
    let read = Coverage::read(&serde_json::to_string(&shuffled).unwrap()).unwrap();
    assert_eq!(read, Coverage { files: vec![other, whole.files[0].clone()], ..whole });
    assert!(Coverage::read("[]").is_err());
}

#[test]
fn operators_one_after_the_other_are_branches_of_their_own() {
    let coverage = kernel_coverage(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if (i < 4u && out[i] > 100u && out[i] == 0u) { out[i] = 1u; }
    if (out[i] > 100u
        && out[i] == 0u) { out[i] = 1u; }
}",
        &["out=zeros:8"],
    );
    let branches = coverage.files[0].branches.iter();
    let and: Vec<_> = branches.filter(|b| b.kind == super::coverage::BranchKind::And).collect();
    let shown: Vec<_> =
        and.iter().map(|b| (b.line, b.column, b.arms[0].count, b.arms[1].count)).collect();
    assert_eq!(shown, [(4, 19, 4, 4), (4, 36, 0, 8), (6, 12, 0, 8)]);
    // Code that continues on another line and is not reached did not run.
    let line = coverage.files[0].lines.iter().find(|line| line.line == 6).unwrap();
    assert_eq!(line.count, 0);
}

#[test]
fn what_is_cut_off_did_not_diverge() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    workgroupBarrier();
    loop { out[i] += 1u; workgroupBarrier(); if (i >= 32u) { loop { out[i] += 1u; } } }
}";
    let spec = LaunchSpec { step_limit: Some(1_000), ..LaunchSpec::default() };
    let (coverage, ended) = launch_coverage(text, &["out=zeros:64"], spec);
    assert!(!ended);
    assert!(coverage.files[0].barriers.iter().all(|barrier| barrier.divergent == 0));
    assert_eq!(coverage.files[0].barriers[0].complete, 1);
}

/// Returns the cases of the last loop and the arms of the last branch in a kernel of eight invocations with this body.
fn possible(body: &str) -> (String, String) {
    let coverage = kernel_coverage(
        &format!(
            "const LIMIT = 4u;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32, @builtin(num_workgroups) groups: vec3<u32>) {{
    var x = out[i];
    {body}
    out[i] = x;
}}"
        ),
        &["out=zeros:8"],
    );
    let file = &coverage.files[0];
    let cases = file.loops.last().map(|of| of.cases().map(|(case, _)| case).collect::<Vec<_>>());
    let arms =
        file.branches.last().map(|of| of.arms.iter().map(|arm| &arm.label[..]).collect::<Vec<_>>());
    (cases.unwrap_or_default().join(", "), arms.unwrap_or_default().join(", "))
}

#[test]
fn loop_cases_that_constants_exclude_are_not_asked_for() {
    for (body, cases) in [
        ("for (var k = 0u; k < 4u; k++) { x += k; }", "more iterations, boundary"),
        ("for (var k = 0u; k < 1u; k++) { x += k; }", "1 iteration, boundary"),
        ("for (var k = LIMIT; k < LIMIT; k++) { x += k; }", "0 iterations, boundary"),
        ("for (var k = 32u; k > 0u; k >>= 1u) { x += k; }", "more iterations, boundary"),
        ("var k = 3; while (k > 0) { x += 1u; k -= 1; }", "more iterations, boundary"),
        ("for (var k = i; k < 8u; k++) { x += k; }", "1 iteration, more iterations, boundary"),
        // The bound excludes nothing.
        (
            "for (var k = i; k < 4u; k++) { x += k; }",
            "0 iterations, 1 iteration, more iterations, boundary",
        ),
        (
            "for (var k = 0u; k < x; k++) { x -= k; }",
            "0 iterations, 1 iteration, more iterations, boundary",
        ),
        (
            "for (var k = 2u; k < groups.x; k++) { x += k; }",
            "0 iterations, 1 iteration, more iterations, boundary",
        ),
        // The loop can be left otherwise.
        (
            "for (var k = 0u; k < 4u; k++) { if (x > 2u) { break; } x += k; }",
            "1 iteration, more iterations, boundary",
        ),
        (
            "for (var k = 0u; k < 4u; k++) { if (x == 9u) { return; } x += k; }",
            "1 iteration, more iterations, boundary",
        ),
        // `continue` does not leave it.
        (
            "for (var k = 0u; k < 4u; k++) { if (x == 9u) { continue; } x += k; }",
            "more iterations, boundary",
        ),
        (
            "for (var k = 0u; k < 3u; k++) { for (var l = 0u; l <= k; l++) { x += l; } }",
            "1 iteration, more iterations, boundary",
        ),
        (
            "for (var k = 0u; k < 3u; k++) { for (var l = k; l < 2u; l++) { x += l; } }",
            "0 iterations, 1 iteration, more iterations, boundary",
        ),
        (
            "loop { x += 1u; continuing { break if x < 100u; } }",
            "1 iteration, more iterations, boundary",
        ),
        ("if (LIMIT > 4u) { for (var k = 0u; k < x; k++) { x += k; } }", ""),
        (
            "for (var k = 0u; k < 4u; k++) { workgroupBarrier(); x += k; }",
            "more iterations, boundary",
        ),
    ] {
        assert_eq!(possible(body).0, cases, "{body}");
    }
}

#[test]
fn arms_that_no_value_can_take_are_not_asked_for() {
    for (body, arms) in [
        ("if (LIMIT > 3u) { x += 1u; }", "true"),
        ("if (i < 8u) { x += 1u; }", "true"),
        ("if (i > 7u) { x += 1u; } else { x += 2u; }", "false"),
        ("if (i < 4u) { x += 1u; }", "true, false"),
        ("if (groups.x > 1u) { x += 1u; }", "true, false"),
        ("if (i < 4u) { if (i < 6u) { x += 1u; } }", "true"),
        ("if (i < 6u) { if (i < 4u) { x += 1u; } }", "true, false"),
        ("if (x < 4u) { if (x > 5u) { x += 1u; } }", "false"),
        (
            "switch (i & 1u) { case 0u: { x += 1u; } case 1u: {} default: { x += 2u; } }",
            "case 0, case 1",
        ),
        (
            "switch (i & 3u) { case 0u: { x += 1u; } case 9u: {} default: { x += 2u; } }",
            "case 0, default",
        ),
        ("switch (x) { case 0u: { x += 1u; } default: { x += 2u; } }", "case 0, default"),
    ] {
        assert_eq!(possible(body).1, arms, "{body}");
    }
}

#[test]
fn cases_that_other_constants_make_possible_are_asked_for() {
    let with = |limit: u32| {
        kernel_coverage(
            &format!(
                "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {{
    for (var k = 0u; k < {limit}u; k++) {{ out[i] += k; }}
}}"
            ),
            &["out=zeros:8"],
        )
    };
    let (mut one, mut four) = (with(1), with(4));
    assert_eq!((one.summary.loops.covered, one.summary.loops.total), (2, 2));
    four.files[0].text.clone_from(&one.files[0].text);
    one.add(four);
    assert_eq!((one.summary.loops.covered, one.summary.loops.total), (3, 3));
}
