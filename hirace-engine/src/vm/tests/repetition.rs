//! Tests how loops that never end are recognized.

use super::{Kernel, options};
use crate::vm::run::Options;
use crate::vm::schedule::{Limits, Schedule};
use proptest::prelude::*;

const LIMIT: u64 = 20_000_000;

/// Runs a kernel of eight invocations with this body. Returns `None` if it ends, and otherwise whether it is proven that it
/// does not.
fn proven(globals: &str, body: &str, inputs: &[u32], schedule: Schedule) -> Option<bool> {
    proven_with(8, globals, body, inputs, schedule)
}

/// Does the same with this subgroup size.
fn proven_with(
    subgroup_size: u32,
    globals: &str,
    body: &str,
    inputs: &[u32],
    schedule: Schedule,
) -> Option<bool> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read> inputs: array<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        {globals}
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
    );
    let kernel = Kernel::new(&text).words("inputs", inputs).zeros("out", 8);
    let limits = Limits { steps: LIMIT, ..Limits::default() };
    let run = kernel.run(&Options { limits, subgroup_size, schedule, ..options() });
    assert!(!run.reached_total_limit && !run.stopped);
    run.no_progress.map(|found| found.proven)
}

#[test]
fn a_loop_that_counts_its_iterations_and_never_ends_is_recognized() {
    let bodies = [
        "var n = 0u; for (var i = 0u; i < 3u; i += inputs[0]) { n += 1u; } out[l] = n;",
        "var n = 0u; var i = 0u; while (i < 3u) { i += inputs[0]; n += l; } out[l] = n;",
        "var n = 0u; while (out[0] == 0u) { n += 1u; } out[l] = n;",
        // Only some invocations stay in the loop.
        "var n = 0u; for (var i = 0u; i < l; i += inputs[0]) { n += 1u; } out[l] = n;",
        // The count decides something after the loop.
        "var n = 0u; loop { n += 1u; if (inputs[0] > 0u) { break; } } if (n > 9u) { out[l] = n; }",
        // The inner loop never ends, whatever the outer one counts.
        "var n = 0u;
        for (var j = 0u; j < 9u; j++) {
            for (var i = j; i < 20u; i += inputs[0]) { n += j; }
            out[l] = n;
        }",
        // The outer loop never ends, and the inner one always does.
        "var n = 0u;
        for (var j = 0u; j < 9u; j += inputs[0]) { for (var i = 0u; i < 100u; i++) { n += i; } }
        out[l] = n;",
        "var n = 0u; var x = 1u; while (x != 0u) { x = (x * 5u + 3u) % 128u | 1u; n += x; } out[l] = n;",
        "var n = 0u; var a = array<u32, 4>(); var i = 0u;
        while (a[i] < 5u) { i = (i + 1u) % 4u; a[i] += inputs[i]; n += 1u; } out[l] = n;",
        "var n = 0u; var x = 0u; loop { switch (x) { case 7u: { break; } default: { x = next(x); } }
            n += 1u; if (x == 9u) { break; } } out[l] = n;",
    ];
    let globals = "fn next(x: u32) -> u32 { var y = x; for (var i = 0u; i < 3u; i++) { y += 2u; } return y % 6u; }";
    for body in bodies {
        for schedule in [Schedule::default(), Schedule::seeded(7), Schedule::favoring()] {
            assert_eq!(proven(globals, body, &[0; 4], schedule), Some(true), "{body}");
        }
    }
}

#[test]
fn a_loop_that_ends_after_many_equal_iterations_is_not_taken_for_endless() {
    let bodies = [
        "for (var j = 0u; j < 30000u; j++) { for (var i = 0u; i < 4u; i++) { out[l] = i; } }",
        "for (var j = 0u; j < 30000u; j++) { var i = 0u; while (i < 4u) { i += 1u; } }",
        "var n = 0u; loop { n = count(n); if (n > 60000u) { break; } }",
        "var a = array<u32, 4>(); while (a[l % 4u] < 30000u) { a[l % 4u] += 1u; }",
        "var n = 0u; loop { switch (n) { case 50000u: { return; } default: { n += 1u; } } }",
        "for (var j = 0u; j < 20000u; j++) { out[l] = subgroupAdd(j); }",
        // The value is kept in memory.
        "while (out[l] < 30000u) { out[l] = out[l] + 1u; }",
        "var n = 0u; let p = &n; loop { *p = *p + 1u; if (n > 30000u) { break; } }",
        "var v = vec2u(); loop { v.y += 1u; v.x = v.y / 2u; if (v.x > 15000u) { break; } }",
    ];
    let globals = "fn count(n: u32) -> u32 { for (var i = 0u; i < 2u; i++) { if (i == n) { return n + 1u; } } return n + 1u; }";
    for body in bodies {
        for schedule in [Schedule::default(), Schedule::seeded(7), Schedule::favoring()] {
            assert_eq!(proven(globals, body, &[0], schedule), None, "{body}");
        }
    }
}

/// Loops of several shapes that walk from `x` to a value, by the function `inputs`.
const SHAPES: [&str; 4] = [
    "while (x != GOAL) { x = inputs[x]; n += x; }",
    "loop { for (var i = 0u; i < 5u; i++) { if (x != GOAL) { x = step(x); } n += i; } if (x == GOAL) { break; } }",
    "loop { if (x == GOAL) { break; } let y = x; x = step(y); if (x == y) { n += 1u; continue; } n += 2u; }",
    "var a = array<u32, 2>(x, 0u); var k = 0u; while (a[k] != GOAL) { a[1u - k] = step(a[k]); k = 1u - k; n += k; }",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_walks_are_endless_exactly_if_they_do_not_reach_their_goal(
        next in (2..200u32).prop_flat_map(|values| prop::collection::vec(0..values, values as usize)),
        goal: prop::sample::Index,
        stride in 1..200u32,
        shape in prop::sample::select(&SHAPES[..]),
        schedule in prop::sample::select(vec![Schedule::default(), Schedule::favoring(), Schedule::seeded(3)]),
    ) {
        let (values, goal) = (next.len() as u32, goal.index(next.len()) as u32);
        let ends = |lane: u32| {
            let start = lane * stride % values;
            let mut walk = std::iter::successors(Some(start), |x| Some(next[*x as usize]));
            walk.by_ref().take(values as usize + 1).any(|x| x == goal)
        };
        let expected = if (0..8).all(ends) { None } else { Some(true) };
        let shape = shape.replace("GOAL", &format!("{goal}u"));
        let body = format!("var x = l * {stride}u % {values}u; var n = 0u; {shape} out[l] = n;");
        let globals = "fn step(x: u32) -> u32 { return inputs[x]; }";
        prop_assert_eq!(proven(globals, &body, &next, schedule), expected, "{}", body);
    }
}

#[test]
fn a_loop_with_barriers_that_never_ends_is_recognized() {
    let bodies = [
        "for (var s = 8u; s > 0u; s >>= inputs[0]) {
            if (l < s) { tile[l] += 0u * tile[l + s]; }
            workgroupBarrier();
        }",
        "var n = 0u; loop { n += l; workgroupBarrier(); if (inputs[0] > 0u) { break; } storageBarrier(); } out[l] = n;",
        "for (var i = l % 2u; i < 9u; i += inputs[0] * 2u) { workgroupBarrier(); }",
    ];
    for body in bodies {
        for size in [1, 2, 4, 8] {
            let globals = "var<workgroup> tile: array<u32, 16>;";
            let schedule = Schedule::default();
            assert_eq!(proven_with(size, globals, body, &[0], schedule), Some(true), "{body}");
        }
    }
}

/// One subgroup polls, and the other one counts; both pass the same barriers.
#[test]
fn an_invocation_that_polls_between_barriers_does_not_keep_others_from_passing_them() {
    for count in ["5000u", "5000u + l * 0u", "40000u"] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            var<workgroup> flag: atomic<u32>;
            @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {{
                var i = 0u;
                loop {{
                    workgroupBarrier();
                    if (l >= 8u) {{
                        i += 1u;
                        if (i == {count}) {{ atomicStore(&flag, 1u); }}
                    }}
                    workgroupBarrier();
                    if (atomicLoad(&flag) == 1u) {{ break; }}
                }}
                out[l] = i;
            }}"
        );
        for schedule in [Schedule::default(), Schedule::seeded(7), Schedule::favoring()] {
            let kernel = Kernel::new(&text).zeros("out", 16);
            let limits = Limits { steps: LIMIT, ..Limits::default() };
            let run = kernel.run(&Options { limits, subgroup_size: 8, schedule, ..options() });
            assert_eq!(run.no_progress, None, "{count}");
        }
    }
}
