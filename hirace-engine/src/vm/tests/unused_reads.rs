//! Tests which values of reads out of bounds are used.

use super::{Kernel, options};
use crate::vm::ReadFollower;
use crate::vm::driver::run_following;
use crate::vm::lower::lower;
use crate::vm::run::Options;

/// Runs a kernel of 64 invocations that has `tile`, `source` and `out` of 64 words, and whose invocations know their index `l`.
/// Returns for each access out of bounds whether its value is used, in the order of the source.
fn uses(globals: &str, body: &str) -> Vec<bool> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32, 64>;
        @group(0) @binding(1) var<storage> source: array<u32, 64>;
        var<workgroup> tile: array<u32, 64>;
        {globals}
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
            tile[l] = source[l];
            workgroupBarrier();
            {body}
        }}"
    );
    let mut first: Option<Vec<bool>> = None;
    for (subgroup_size, workgroups) in [(32, 1), (64, 2), (4, 1), (1, 1)] {
        let numbers: Vec<u32> = (0..64).collect();
        let kernel = Kernel::new(&text).zeros("out", 64).words("source", &numbers);
        let code = lower(&kernel.program, 0).unwrap();
        let options = Options { subgroup_size, workgroups: [workgroups, 1, 1], ..options() };
        let follower = ReadFollower::new(&code);
        let run = run_following(&code, &kernel.resources, &options, &follower).unwrap();
        // The run is a run like any other.
        let plain = Kernel::new(&text).zeros("out", 64).words("source", &numbers);
        let expected = plain.run(&options);
        assert_eq!(run.out_of_bounds, expected.out_of_bounds, "{body}");
        assert_eq!(run.steps, expected.steps, "{body}");
        assert_eq!(kernel.result("out"), plain.result("out"), "{body}");
        let mut found: Vec<_> = run.out_of_bounds.iter().collect();
        found.sort_by_key(|found| found.span);
        let uses: Vec<bool> = found.iter().map(|found| !follower.is_unused(found)).collect();
        assert_eq!(first.get_or_insert_with(|| uses.clone()), &uses, "{body}");
    }
    first.unwrap_or_default()
}

#[test]
fn a_value_that_is_not_chosen_is_not_used() {
    for body in [
        "out[l] = select(0u, tile[l - 8u], l >= 8u);",
        "out[l] = select(tile[l + 8u], 0u, l >= 56u);",
        // Computed from the value before the choice.
        "out[l] = select(0u, tile[l + 1u] * 2u + 1u, l < 63u);",
        "let x = tile[l + 1u]; let y = x + 1u; if (l < 63u) { out[l] = y; }",
        "var x = tile[l + 1u]; if (l >= 63u) { x = 7u; } out[l] = x;",
        "let x = tile[l + 1u]; switch (l) { case 63u: { out[l] = 1u; } default: { out[l] = x; } }",
        // In a loop, with a distance that doubles.
        "for (var d = 1u; d < 64u; d *= 2u) {
            let left = select(0u, tile[l - d], l >= d);
            workgroupBarrier();
            tile[l] += left;
            workgroupBarrier();
        }
        out[l] = tile[l];",
        // By component, and as a part of a vector.
        "let v = select(vec2(0u), vec2(tile[l + 1u], 5u), vec2(l < 63u, true)); out[l] = v.x + v.y;",
        // In the memory of a function.
        "var own = array(1u, 2u, 3u, 4u); out[l] = select(0u, own[l], l < 4u);",
        // In a helper.
        "out[l] = chosen(tile[l + 1u], l < 63u);",
        "out[l] = read(l + 1u, l < 63u);",
        // Nothing comes of it.
        "let x = tile[l + 1u]; _ = x;",
        // Storage memory.
        "out[l] = select(0u, source[l + 3u], l + 3u < 64u);",
        // The value of an invocation that has returned.
        "let x = tile[l + 1u]; if (l == 63u) { return; } out[l] = x;",
    ] {
        let globals = "
            fn chosen(x: u32, is_in: bool) -> u32 { return select(0u, x, is_in); }
            fn read(i: u32, is_in: bool) -> u32 { let x = tile[i]; if (!is_in) { return 0u; } return x; }";
        assert_eq!(uses(globals, body), [false], "{body}");
    }
}

#[test]
fn a_value_that_can_reach_anything_is_used() {
    for body in [
        "out[l] = tile[l + 1u];",
        // The condition is off by one.
        "out[l] = select(0u, tile[l + 1u], l < 64u);",
        "out[l] = select(0u, tile[l - 8u], l >= 7u);",
        // The wrong arm.
        "out[l] = select(tile[l + 1u], 0u, l < 63u);",
        // A product uses both factors.
        "out[l] = tile[l + 1u] * u32(l < 63u);",
        "out[l] = tile[l + 1u] & select(0u, 0xffffffffu, l < 63u);",
        // It decides a branch or a loop.
        "if (tile[l + 1u] > 3u) { out[l] = 1u; }",
        "if (tile[l + 1u] > 3u && l < 63u) { out[l] = 1u; }",
        "var n = select(2u, tile[l + 1u] % 4u, l < 64u); while (n > 0u) { n -= 1u; }",
        "switch (tile[l + 1u]) { case 3u: { out[l] = 1u; } default: {} }",
        // It is an index.
        "out[l] = select(0u, source[tile[l + 1u]], l < 63u);",
        "out[tile[l + 1u]] = 1u;",
        // It decides what is chosen.
        "out[l] = select(1u, 2u, tile[l + 1u] > 3u);",
        // It is passed to others.
        "atomicAdd(&sum, tile[l + 1u]);",
        "tile[l] = tile[l + 1u];",
        "let x = tile[l + 1u]; let y = select(x, 0u, l == 5u); out[l] = y;",
        // A write.
        "out[l + 1u] = 3u;",
        "atomicAdd(&sums[l + 1u], 1u);",
        // Kept in a variable until it is used.
        "var kept = 0u; for (var i = 0u; i < 3u; i++) { out[l] = kept; kept = select(0u, tile[l + i], l + i < 66u); }",
        "own[l % 4u] = tile[l + 1u]; out[l] = own[l % 4u];",
        "out[l] = passed(tile[l + 1u]);",
    ] {
        let globals = "
            var<workgroup> sum: atomic<u32>;
            var<workgroup> sums: array<atomic<u32>, 64>;
            var<private> own: array<u32, 4>;
            fn passed(x: u32) -> u32 { return x + 1u; }";
        let uses = uses(globals, body);
        assert!(!uses.is_empty() && uses.iter().all(|used| *used), "{body}: {uses:?}");
    }
}

#[test]
fn the_values_of_two_reads_are_followed_by_themselves() {
    let body = "
        let left = tile[l - 1u];
        let right = tile[l + 1u];
        out[l] = select(0u, left, l >= 1u) + right;";
    assert_eq!(uses("", body), [false, true]);
}

#[test]
fn the_lanes_of_a_subgroup_that_was_split_have_values_of_their_own() {
    // The second half waits in a loop for the first.
    let body = "
        var x = 0u;
        if (l < 32u) {
            x = tile[l];
            atomicStore(&flag, 1u);
        } else {
            x = tile[l + 1u];
            while (atomicLoad(&flag) == 0u) {}
        }
        out[l] = select(0u, x, l < 63u);";
    assert_eq!(uses("var<workgroup> flag: atomic<u32>;", body), [false]);
    let body = body.replace("l < 63u", "l < 64u");
    assert_eq!(uses("var<workgroup> flag: atomic<u32>;", &body), [true]);
}
