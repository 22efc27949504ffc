//! Verdicts from contracts: what a file alone is worth.

use super::source::check_launches;
use super::{Options, Session};
use crate::exec::Watch;
use crate::exec::embedded::Embedded;
use crate::facts::contract::ContractOutcome;
use crate::facts::{Certainty, Finding, Flag, Kind, LaunchFacts, Verdict, Warning};
use crate::front::wgsl;
use crate::launch::spec::{Binding, LaunchSpec};

fn checked(text: &str) -> LaunchFacts {
    checked_with(text, &Options::default())
}

fn checked_with(text: &str, options: &Options) -> LaunchFacts {
    let parsed = wgsl::parse("kernel.wgsl", text).unwrap();
    let mut session = Session::new(&Embedded).with_contracts();
    check_launches(&parsed, options, &mut session).unwrap().launches.remove(0)
}

fn conditions(launch: &LaunchFacts) -> usize {
    match &launch.contract {
        Some(ContractOutcome::Proved(conditions)) => conditions.len(),
        other => panic!("{other:?}"),
    }
}

/// Each invocation writes the element of its first id.
const ELEMENTWISE: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var at = id;
        out[at.x] = at.y;
    }";

#[test]
fn conditions_replace_findings_of_launches_that_do_not_meet_them() {
    let launch = checked(ELEMENTWISE);
    assert_eq!((launch.verdict(), conditions(&launch)), (Verdict::ProvedIf, 3));
    assert!(launch.findings.is_empty());
}

#[test]
fn a_given_launch_is_judged_without_a_contract() {
    let spec = LaunchSpec {
        workgroups: Some([1, 2, 1]),
        bindings: vec![Binding::new("out", "zeros:64").unwrap()],
        ..LaunchSpec::default()
    };
    let options = Options { launches: vec![spec], ..Options::default() };
    let launch = checked_with(ELEMENTWISE, &options);
    assert_eq!((launch.verdict(), launch.contract), (Verdict::Findings, None));
}

#[test]
fn a_contract_is_not_about_a_part_of_memory() {
    let watch = Watch { ignore: vec!["out".to_owned()], ..Watch::default() };
    let launch = checked_with(ELEMENTWISE, &Options { watch, ..Options::default() });
    assert_eq!((launch.verdict(), launch.contract), (Verdict::NoFindings, None));
}

#[test]
fn a_session_without_contracts_makes_no_proof() {
    let parsed = wgsl::parse("kernel.wgsl", ELEMENTWISE).unwrap();
    let mut session = Session::new(&Embedded);
    let checked = check_launches(&parsed, &Options::default(), &mut session).unwrap();
    assert_eq!(checked.launches[0].contract, None);
}

#[test]
fn a_proof_needs_no_launch_that_reaches_all_sites() {
    // No guessed launch has so many elements.
    let launch = checked(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (id.x + id.y + id.z == 0u && arrayLength(&out) == 123456u) { out[0] = 1u; }
         }",
    );
    assert_eq!((launch.verdict(), conditions(&launch)), (Verdict::Proved, 0));
    assert!(!launch.stats.sites_missed.is_empty());
}

#[test]
fn a_race_that_no_host_avoids_is_a_certain_finding() {
    let launch = checked(
        "var<workgroup> tile: array<u32, 64>;
         @group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {
             tile[l] = l;
             if (l == 0u) { out[0] = tile[63]; }
         }",
    );
    assert_eq!(launch.verdict(), Verdict::Findings);
    let races = launch.findings.iter().filter(|finding| finding.kind() == Kind::DataRace);
    assert_eq!(races.map(|race| race.certainty()).collect::<Vec<_>>(), [Certainty::Certain]);
}

#[test]
fn a_suppressed_fault_does_not_make_the_verdict_inconclusive() {
    let text = |comment: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> flag: u32;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32) {{
                 {comment}
                 flag = l;
             }}"
        )
    };
    assert_eq!(checked(&text("")).verdict(), Verdict::Findings);
    let launch = checked(&text("// hirace: allow(race) reason = \"any will do\""));
    assert_eq!((launch.suppressed.len(), launch.findings.len()), (1, 0));
    assert_eq!(launch.verdict(), Verdict::NoFindings);
}

#[test]
fn contents_that_only_the_host_knows_are_not_accused() {
    let launch = checked(
        "@group(0) @binding(0) var<storage, read> at: array<u32>;
         @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (id.x < arrayLength(&at)) { atomicAdd(&bins[at[id.x]], 1u); }
         }",
    );
    assert!(launch.findings.iter().all(|finding| finding.certainty() == Certainty::Possible));
    assert!(
        matches!(&launch.contract, Some(ContractOutcome::Open(open)) if open.depends_on_contents)
    );
}

#[test]
fn a_proof_for_a_guessed_override_is_not_a_verdict() {
    let text = |default: &str| {
        format!(
            "override size: u32{default};
             @group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>, 64>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32) {{ atomicAdd(&out[l % 64u], size); }}"
        )
    };
    assert_eq!(checked(&text(" = 4")).verdict(), Verdict::Proved);
    let launch = checked(&text(""));
    assert_eq!((launch.verdict(), conditions(&launch)), (Verdict::NoFindings, 0));
}

#[test]
fn a_proof_does_not_say_that_loops_terminate() {
    let text = |body: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>, 64>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32) {{
                 for (var n = 0u; n < 10u; n += 0u) {{ {body} }}
             }}"
        )
    };
    let endless = checked(&text(""));
    assert_eq!(endless.verdict(), Verdict::Findings);
    assert_eq!(endless.findings[0].kind(), Kind::NoProgress);
    // The state of this loop changes, so it is not certain that it does not terminate.
    assert_eq!(checked(&text("atomicAdd(&out[l], 1u);")).verdict(), Verdict::Inconclusive);
}

#[test]
fn a_launch_that_was_abandoned_in_a_loop_is_not_called_safe() {
    // A list that a host closes to a ring is followed forever, or until the count wraps around.
    let text = |limit: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read> next: array<u32>;
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(64)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 var at = id.x;
                 var steps = 0u;
                 loop {{
                     if (at >= arrayLength(&next){limit}) {{ break; }}
                     at = next[at];
                     steps += 1u;
                 }}
                 out[id.x] = steps;
             }}"
        )
    };
    let cut_short = checked(&text(" || steps == 4294967295u"));
    assert!(matches!(&cut_short.contract, Some(ContractOutcome::Proved(_))));
    assert!(cut_short.warnings.iter().any(Warning::is_of_loop), "{:?}", cut_short.warnings);
    assert_eq!(cut_short.verdict(), Verdict::Inconclusive);

    let endless = checked(&text(""));
    assert_eq!(endless.verdict(), Verdict::Inconclusive);
    let found: Vec<_> = endless.findings.iter().map(|f| (f.kind(), f.certainty())).collect();
    assert_eq!(found, [(Kind::NoProgress, Certainty::Possible)]);
}

#[test]
fn a_kernel_for_one_workgroup_is_not_accused() {
    for body in [
        "var table: array<u32, 64>; table[id.x] = 1u; out[id.x] = table[id.x];",
        "let i = id.y * 64u + id.x; if (i < 1024u) { out[i] = i; }",
    ] {
        let launch = checked(&format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32, 1024>;
             @compute @workgroup_size(64)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        ));
        let certain = launch.findings.iter().filter(|it| it.certainty() == Certainty::Certain);
        assert_eq!(certain.count(), 0, "{body}: {launch:?}");
    }
}

#[test]
fn a_race_under_a_guessed_override_is_not_certain() {
    let text = |default: &str| {
        format!(
            "override mode: u32{default};
             var<workgroup> tile: array<u32, 64>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32) {{
                 if (mode > 5u) {{ tile[l / 2u] = l; }}
             }}"
        )
    };
    assert_eq!(checked(&text(" = 6")).verdict(), Verdict::Findings);
    let of_contract = |launch: &LaunchFacts| {
        let replays = launch.findings.iter().filter_map(|finding| finding.replay.as_ref());
        replays.flat_map(|replay| &replay.flags).any(|flag| matches!(flag, Flag::Entry(_)))
    };
    assert!(!of_contract(&checked(&text(""))));
}

#[test]
fn a_suppressed_race_hides_no_other_one() {
    let text = |suppressed: &str| {
        format!(
            "@group(0) @binding(0) var<uniform> k: u32;
             var<workgroup> tile: array<u32, 64>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32) {{
                 tile[l] = 1u;
                 tile[(l + k) & 63u] = 2u;
                 {suppressed}
             }}"
        )
    };
    let alone = checked(&text(""));
    let with_other = checked(&text("// hirace: allow(race): intended\ntile[l ^ 1u] = 3u;"));
    assert!(!alone.verdict().is_success(), "{:?}", alone.verdict());
    assert!(!with_other.verdict().is_success(), "{:?}", with_other.verdict());
}

#[test]
fn a_directive_for_what_a_condition_excludes_is_used() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            // hirace: allow(race): the host dispatches one row
            if (id.x < arrayLength(&out)) { out[id.x] = id.y; }
        }";
    let parsed = wgsl::parse("kernel.wgsl", text).unwrap();
    let mut session = Session::new(&Embedded).with_contracts();
    let checked = check_launches(&parsed, &Options::default(), &mut session).unwrap();
    assert!(checked.warnings.is_empty(), "{:?}", checked.warnings);
    let Some(ContractOutcome::Proved(conditions)) = &checked.launches[0].contract else {
        panic!("{:?}", checked.launches[0].contract);
    };
    assert!(conditions.iter().all(|condition| condition.otherwise.shown_by.is_some()));
}

#[test]
fn a_race_by_one_of_several_calls_is_certain() {
    let launch = checked(
        "@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
         fn at(i: u32) -> u32 { return cells[i]; }
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {
             let n = at((l + 1u) % 64u) + at((l + 63u) % 64u);
             var alive = 0u;
             if (n == 3u) { alive = 1u; } else if (n == 2u) { alive = at(l); }
             cells[l] = alive;
         }",
    );
    assert_eq!(launch.verdict(), Verdict::Findings);
    assert_eq!(launch.findings[0].certainty(), Certainty::Certain);
}

#[test]
fn a_second_iteration_needs_no_unusual_host() {
    // The counter wraps for some numbers, so its steps are not the same in all launches.
    for end in ["n", "(n + 63u) / 64u * 64u", "min(n, arrayLength(&input))"] {
        let launch = checked(&format!(
            "@group(0) @binding(0) var<uniform> n: u32;
             @group(0) @binding(1) var<storage, read> input: array<f32>;
             @group(0) @binding(2) var<storage, read_write> out: array<f32>;
             var<workgroup> tile: array<f32, 64>;
             @compute @workgroup_size(64)
             fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {{
                 var sum = 0.0;
                 for (var k = 0u; k < {end}; k += 64u) {{
                     tile[l] = input[k + l];
                     workgroupBarrier();
                     for (var i = 0u; i < 64u; i++) {{ sum += tile[i]; }}
                 }}
                 out[w.x * 64u + l] = sum;
             }}"
        ));
        assert_eq!(launch.verdict(), Verdict::Findings, "{end}");
    }
}

#[test]
fn a_race_that_needs_certain_contents_is_looked_for() {
    // With zeros in `depth`, nothing is nearer.
    let launch = checked(
        "@group(0) @binding(0) var<storage, read> points: array<vec2<u32>>;
         @group(0) @binding(1) var<storage, read_write> depth: array<atomic<u32>, 64>;
         @group(0) @binding(2) var<storage, read_write> color: array<u32, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (id.x >= arrayLength(&points)) { return; }
             let point = points[id.x];
             let at = point.x % 64u;
             if (atomicMin(&depth[at], point.y) > point.y) { color[at] = id.x; }
         }",
    );
    assert_eq!(launch.verdict(), Verdict::Inconclusive);
    let races =
        launch.findings.iter().filter(|it| it.memory().is_some_and(|of| of.variable == "color"));
    assert_eq!(races.count(), 1, "{:?}", launch.findings);
}

#[test]
fn races_before_a_step_limit_are_kept() {
    // With random cells, the race on `any` lets some invocations leave the loop, and the others never end.
    let launch = checked(
        "@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
         var<workgroup> any: u32;
         fn anyone(l: u32, mine: bool) -> bool {
             if (l == 0u) { any = 0u; }
             workgroupBarrier();
             if (mine) { any = 1u; }
             workgroupBarrier();
             return any != 0u;
         }
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) l: u32) {
             var value = cells[l];
             while (anyone(l, value > 0u)) { value >>= 1u; }
             cells[l] = value;
         }",
    );
    assert_eq!(launch.verdict(), Verdict::Inconclusive);
    let lines: Vec<Vec<u32>> = launch.findings.iter().map(|finding| finding.lines()).collect();
    assert!(lines.contains(&vec![4, 8]), "{lines:?}");
}

#[test]
fn what_a_host_or_a_device_avoids_is_not_certain() {
    let head = "@group(0) @binding(0) var<storage, read> a: array<u32>;
        @group(0) @binding(1) var<uniform> end: u32;
        @group(0) @binding(2) var texels: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(3) var<storage, read_write> out: array<u32, 64>;
        var<workgroup> tile: array<u32, 64>;
        fn first(n: u32) -> u32 {
            for (var i = 0u; i < n; i++) { if (a[i] == 7u) { return i; } }
            return 0u;
        }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32)";
    for body in [
        // The first two iterations are not all that a helper may return in.
        "tile[(l * (first(arrayLength(&a)) / 2u)) & 63u] = l;",
        "for (var i = 0u; i < a[0]; i++) { if (i == 200u && l >= 32u) { return; } } tile[l & 31u] = l;",
        // A write outside of a texture has no effect.
        "var x = l; if (l >= 32u) { x = end / 2u; } textureStore(texels, vec2(x, 0u), vec4(1.0));",
        // Some devices have subgroups that are large enough.
        "tile[l] = l; subgroupBarrier(); out[l] = tile[l ^ 16u];",
    ] {
        let launch = checked(&format!("{head} {{ {body} }}"));
        let certain = |it: &&Finding| it.certainty() == Certainty::Certain;
        assert_eq!(launch.findings.iter().find(certain), None, "{body}");
    }
}
