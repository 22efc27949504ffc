use super::*;
use crate::check::source::contract;
use crate::facts::Verdict;
use crate::front::wgsl;
use std::collections::BTreeMap;
use std::sync::Arc;

fn report(text: &str) -> EntryReport {
    let parsed = wgsl::parse("kernel.wgsl", text).unwrap();
    let program = Arc::new(Program::new(&parsed, &BTreeMap::new()).unwrap());
    EntryReport::new(&contract(&program, 0, &[], None, None).unwrap().contract, &[])
}

/// Returns the command that runs a launch with these flags.
fn command(flags: &str) -> String {
    format!("hirace check kernel.wgsl --entry main {flags}")
}

/// Returns each condition with the command that shows that it is needed.
fn conditions(report: &EntryReport) -> Vec<(&str, Option<String>)> {
    let all = report.contract.conditions.iter();
    all.map(|one| (one.condition.as_str(), one.otherwise.shown_by.clone())).collect()
}

#[test]
fn conditions_are_shown_by_launches_that_break_them() {
    let report = report(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.y; }",
    );
    assert_eq!(report.verdict, Verdict::ProvedIf);
    assert_eq!(
        conditions(&report),
        [
            (
                "arrayLength(&out) >= 64 * dispatch.x",
                Some(command("--workgroups 1 --buffer out=random:63"))
            ),
            ("dispatch.y == 1", Some(command("--workgroups 1,2 --buffer out=random:64"))),
            ("dispatch.z == 1", Some(command("--workgroups 1,1,2 --buffer out=random:64"))),
        ]
    );
    let rules: Vec<&str> =
        report.contract.conditions.iter().map(|it| it.otherwise.rule.as_str()).collect();
    assert_eq!(rules, ["HR003", "HR001", "HR001"]);
}

#[test]
fn a_missing_barrier_at_the_end_of_a_loop_is_found_by_two_iterations() {
    let report = report(
        "@group(0) @binding(0) var<uniform> n: u32;
         @group(0) @binding(1) var<storage, read_write> sums: array<u32, 64>;
         var<workgroup> tile: array<u32, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {
             var sum = 0u;
             for (var k = 0u; k < n; k++) {
                 tile[l] = k;
                 workgroupBarrier();
                 for (var i = 0u; i < 64u; i++) { sum += tile[i]; }
             }
             if (l == 0u) { sums[0] = sum; }
         }",
    );
    // Only `n <= 1` avoids it, and then the loop has at most one iteration.
    assert_eq!(report.verdict, Verdict::Findings);
    let open = report.contract.open.unwrap();
    let lines: Vec<u32> = open.places.iter().map(|place| place.line).collect();
    assert_eq!((open.rule.as_str(), &lines[..]), ("HR001", &[8, 10][..]));
    assert!(open.shown_by.unwrap().contains("--buffer n=2"));
}

#[test]
fn fields_of_uniforms_are_named() {
    let report = report(
        "struct Params { size: vec2<u32>, radius: u32 }
         @group(0) @binding(0) var<uniform> params: Params;
         @group(0) @binding(1) var<storage, read_write> image: array<u32>;
         @compute @workgroup_size(8, 8)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (any(id.xy >= params.size)) { return; }
             image[id.y * params.size.x + id.x] = 1u;
         }",
    );
    let conditions: Vec<&str> = conditions(&report).into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        conditions,
        ["arrayLength(&image) >= params.size.x * params.size.y", "dispatch.z == 1"]
    );
}

#[test]
fn what_is_safe_for_every_launch_has_no_conditions() {
    let report = report(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
         @compute @workgroup_size(64) fn main() { atomicAdd(&count, 1u); }",
    );
    assert_eq!((report.verdict, report.contract.conditions.len()), (Verdict::Proved, 0));
}

#[test]
fn a_race_that_ids_alone_decide_is_a_finding() {
    let report = report(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         var<workgroup> tile: array<u32, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3<u32>) {
             tile[l] = l;
             let other = tile[63u - l];
             if (id.x < arrayLength(&out)) { out[id.x] = other; }
         }",
    );
    assert_eq!(report.verdict, Verdict::Findings);
    assert_eq!(report.contract.open.unwrap().shown_by, Some(command("--workgroups 1")));
}

#[test]
fn a_fault_that_the_host_may_avoid_is_not_a_finding() {
    // A host that gives a multiple of 16 avoids it, but no inequality says so.
    let report = report(
        "@group(0) @binding(0) var<storage, read> input: array<u32>;
         @group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>, 16>;
         @compute @workgroup_size(16)
         fn main(@builtin(local_invocation_index) l: u32) {
             for (var k = 0u; k < arrayLength(&input); k += 16u) { atomicAdd(&sums[l], input[k + l]); }
         }",
    );
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert_eq!(report.contract.open.unwrap().rule, "HR003");
}
