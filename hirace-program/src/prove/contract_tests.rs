//! Tests of contracts.

use super::contract::contract_within;
use super::*;
use crate::front::wgsl;
use std::collections::BTreeMap;

fn program(text: &str) -> Program {
    let parsed = wgsl::parse("test.wgsl", text).unwrap();
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

/// Returns the requirements of a kernel in words, or the word for what is open.
fn conditions(text: &str) -> Vec<String> {
    conditions_of(&program(text))
}

fn conditions_of(program: &Program) -> Vec<String> {
    match contract(program, 0, &|| false) {
        Contract::Proved(requirements) => {
            requirements.iter().map(|it| words(program, &it.sum)).collect()
        }
        Contract::Open(open) => vec![
            match open.fault {
                Fault::Race(_) => "race",
                Fault::OutOfBounds(_) => "out of bounds",
                Fault::Divergence => "divergence",
            }
            .to_owned(),
        ],
        Contract::TooComplex => vec!["too complex".to_owned()],
        Contract::Stopped => vec!["stopped".to_owned()],
    }
}

fn words(program: &Program, sum: &HostSum) -> String {
    let name = |global: Handle<GlobalVariable>| {
        program.module.global_variables[global].name.clone().unwrap_or_default()
    };
    let term = |(term, factor): &(HostTerm, i64)| {
        let value = match term {
            HostTerm::Value(HostValue::Workgroups(dimension)) => format!("grid.{dimension}"),
            HostTerm::Value(HostValue::Length(global)) => format!("length({})", name(*global)),
            HostTerm::Value(HostValue::Word { global, offset, .. }) => {
                format!("{}+{offset}", name(*global))
            }
            HostTerm::Product(factors) => {
                format!("({})({})", words(program, &factors[0]), words(program, &factors[1]))
            }
        };
        format!("{factor}·{value}")
    };
    let mut terms: Vec<String> = sum.terms.iter().map(term).collect();
    if sum.constant != 0 || terms.is_empty() {
        terms.push(sum.constant.to_string());
    }
    terms.join(" + ")
}

const HEAD: &str = "
    struct Size { width: u32, height: u32, stride: u32 }
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @group(0) @binding(1) var<storage, read> data: array<u32>;
    @group(0) @binding(2) var<uniform> size: Size;
    var<workgroup> tile: array<u32, 64>;
";

/// Returns a kernel with this body.
fn kernel(size: &str, body: &str) -> Program {
    program(&format!(
        "{HEAD} @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) l: u32,
            @builtin(local_invocation_id) lid: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>,
            @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) ws: vec3<u32>) {{ {body} }}"
    ))
}

fn of_body(size: &str, body: &str) -> Vec<String> {
    conditions_of(&kernel(size, body))
}

/// Asserts the conditions in any order.
#[track_caller]
fn assert_conditions(size: &str, body: &str, expected: &[&str]) {
    let mut found = of_body(size, body);
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{body}");
}

const ROWS: [&str; 2] = ["-1·grid.1 + 1", "-1·grid.2 + 1"];
const LAYERS: &str = "-1·grid.2 + 1";

#[test]
fn an_index_without_a_guard_needs_room_for_the_grid() {
    assert_conditions("64", "out[g.x] = 1u;", &["-64·grid.0 + 1·length(out)", ROWS[0], ROWS[1]]);
    assert_conditions(
        "64",
        "if (g.x < size.width) { out[g.x] = 1u; }",
        &["1·length(out) + -1·size+0", ROWS[0], ROWS[1]],
    );
    assert_conditions("64", "if (g.x < arrayLength(&out)) { out[g.x] = 1u; }", &ROWS);
}

#[test]
fn rows_need_room_for_all_rows() {
    let guarded =
        "if (g.x < size.width && g.y < size.height) { out[g.y * size.width + g.x] = 1u; }";
    assert_conditions("8, 8", guarded, &["1·length(out) + -1·(1·size+0)(1·size+4)", LAYERS]);
}

#[test]
fn a_kernel_for_one_workgroup_needs_one() {
    let expected = ["-1·grid.0 + 1", ROWS[0], ROWS[1], "1·length(out) + -64"];
    assert_conditions("64", "out[l] = 1u;", &expected);
}

#[test]
fn a_fault_that_only_a_trivial_launch_avoids_is_open() {
    for body in [
        // One workgroup, although the kernel uses the ids of workgroups.
        "out[g.x / 2u] = 1u;",
        // No second iteration.
        "for (var k = 0u; k < size.width; k++) { tile[l] = k; workgroupBarrier(); out[g.x] += tile[63u - l]; }",
        // The branch is never taken.
        "if (size.height == 3u) { out[0] = g.x; }",
        "tile[l / 2u] = l;",
    ] {
        assert_eq!(of_body("64", body), ["race"], "{body}");
    }
    assert_eq!(of_body("64", "if (l < size.width) { workgroupBarrier(); }"), ["divergence"]);
}

#[test]
fn indices_into_private_memory_and_values_stay_in_bounds() {
    let expected = ["-1·size+0 + 3"];
    for body in [
        "var own: array<u32, 4>; own[size.width] = l;",
        "let own = array<u32, 4>(1u, 2u, 3u, l); let one = own[size.width];",
        "let own = vec4(l); let one = own[size.width];",
    ] {
        assert_conditions("64", body, &expected);
    }
    assert_conditions("64", "var own: array<u32, 4>; own[min(l, 3u)] = l;", &[]);
    assert_eq!(of_body("64", "var own: array<u32, 4>; own[l] = l;"), ["out of bounds"]);
}

#[test]
fn products_may_exceed_64_bits() {
    // (2^32 - 1)² is 1 modulo 2^32.
    let body = "let a = max(size.width, 1u); let b = max(size.height, 0xc0000000u);
        if (size.width >= 0xfffffffeu && size.height >= 0xfffffffeu && a * b < 5u) { out[0] = g.x; }";
    assert_eq!(of_body("64", body), ["race"]);
}

#[test]
fn a_barrier_at_the_end_of_a_loop_proves_it() {
    let body = "for (var k = 0u; k < size.width; k++) {
        tile[l] = k; workgroupBarrier(); if (g.x < arrayLength(&out)) { out[g.x] += tile[63u - l]; } workgroupBarrier();
    }";
    assert_conditions("64", body, &ROWS);
}

#[test]
fn a_loop_over_the_grid_is_proved() {
    let body = "for (var i = g.x; i < arrayLength(&out); i += 64u * ws.x) { out[i] = 1u; }";
    assert_conditions("64", body, &ROWS);
}

#[test]
fn conditions_do_not_wrap() {
    // The index would wrap for a large grid; the condition must hold for exact numbers.
    assert_conditions(
        "64",
        "out[g.x * 1024u] = 1u;",
        &["-65536·grid.0 + 1·length(out) + 1023", ROWS[0], ROWS[1]],
    );
}

#[test]
fn nested_products_take_little_time() {
    let squares = "a = a * a + l; ".repeat(200);
    let body = format!("var a = size.width; {squares} out[a] = 1u;");
    assert_eq!(of_body("64", &body), ["out of bounds"]);
}

#[test]
fn barriers_that_some_invocations_skip_are_divergent() {
    for body in [
        "for (var k = 0u; k < 2u; k++) {
            if (l < 32u) { continue; }
            for (var j = 0u; j < 2u; j++) { workgroupBarrier(); }
        }",
        "for (var k = 0u; k < 64u; k++) {
            if (l == k) { break; }
            switch (k & 1u) { case 0u: { workgroupBarrier(); } default: {} }
        }",
        "let v = workgroupUniformLoad(&tile[l]); if (v == 0u) { workgroupBarrier(); }",
    ] {
        assert_eq!(of_body("64", body), ["divergence"], "{body}");
    }
}

#[test]
fn comparisons_of_large_numbers_stay_strict() {
    let body = "let y = clamp(size.width, 0x7FFF0000u, 0x7FFF0010u);
        let t = clamp(size.height, 65520u, 65536u);
        let a = (y - 0x7FFF0000u) * 131072u;
        let b = (65536u - t) * 131072u;
        if (a > b) { return; }
        if (a == b) { out[b] = g.x; }";
    assert_ne!(of_body("64", body), Vec::<String>::new());
}

#[test]
fn only_branches_on_ids_leave_a_fault_to_ids() {
    let is_of_ids = |body: &str| {
        let text = format!(
            "{HEAD} @group(0) @binding(3) var<uniform> scale: f32;
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ {body} }}"
        );
        match contract(&program(&text), 0, &|| false) {
            Contract::Open(open) => open.is_of_ids,
            other => panic!("{other:?}"),
        }
    };
    assert!(is_of_ids("tile[l / 2u] = l;"));
    assert!(is_of_ids("if (l < 32u) { tile[l / 2u] = l; }"));
    assert!(!is_of_ids("if (scale > 0.5) { tile[l / 2u] = l; }"));
    assert!(!is_of_ids("if (size.width == 3u) { return; } tile[l / 2u] = l;"));
    assert!(!is_of_ids(
        "switch (size.width) { case 1u: { return; } default: {} } tile[l / 2u] = l;"
    ));
}

const MANY_STEPS: &str = "for (var k = 0u; k < size.width; k++) {
        tile[l] = k; workgroupBarrier();
        if (g.x < arrayLength(&out)) { out[g.x] += tile[63u - l]; }
        workgroupBarrier();
    }";

#[test]
fn a_search_that_is_stopped_has_no_result() {
    let program = kernel("64", MANY_STEPS);
    let calls = std::cell::Cell::new(0_u32);
    let stops_after = |limit: u32| {
        calls.set(0);
        let is_stopped = || {
            calls.set(calls.get() + 1);
            calls.get() > limit
        };
        contract(&program, 0, &is_stopped)
    };
    let whole = stops_after(u32::MAX);
    assert!(matches!(whole, Contract::Proved(_)), "{whole:?}");
    let all_calls = calls.get();
    assert!(all_calls > 20, "{all_calls}");
    for limit in 0..all_calls {
        assert_eq!(stops_after(limit), Contract::Stopped, "{limit} of {all_calls}");
        assert!(calls.get() <= limit + 4, "{} calls after {limit}", calls.get());
    }
}

#[test]
fn an_exhausted_limit_is_no_open_fault() {
    let program = kernel("64", MANY_STEPS);
    let within = |steps| contract_within(&program, 0, (Rules::default(), &|| false), steps);
    for steps in [0, 100, 1_000, 3_000, 10_000, 30_000] {
        assert_eq!(within(steps), Contract::TooComplex, "{steps}");
    }
    // Once the conditions are found, those that the others make redundant are dropped as far as the limit allows.
    assert!((0..40).map(|number| within(number * 20_000)).all(|found| match found {
        Contract::TooComplex => true,
        Contract::Proved(requirements) => requirements.len() >= ROWS.len(),
        _ => false,
    }));
}

#[test]
fn too_many_pairs_of_accesses_are_too_complex() {
    let loads =
        |count| format!("var sum = 0u; {} tile[l] = sum;", "sum ^= data[0]; ".repeat(count));
    assert_eq!(of_body("64", &loads(300)), Vec::<String>::new());
    assert_eq!(of_body("64", &loads(400)), ["too complex"]);
}

#[test]
fn large_values_take_little_time() {
    let nested = "array<array<array<array<u32, 64>, 64>, 64>, 64>";
    let body = format!("var a: {nested}; var b = {nested}(); a[l & 1u] = b[2]; tile[l] = l;");
    assert_conditions("64", &body, &[]);
}

#[test]
fn sums_that_wrap_take_little_time() {
    let sums =
        "a = a + b + c + d; b = b + c + d + a; c = c + d + a + b; d = d + a + b + c; ".repeat(12);
    let body = format!(
        "var a = size.width; var b = size.height; var c = size.stride; var d = l; {sums} tile[l] = a;"
    );
    assert_conditions("64", &body, &[]);
}

#[test]
fn returns_of_iterations_that_were_not_unrolled_do_not_count() {
    let text = format!(
        "{HEAD} fn wait() {{
             var k = 0u;
             loop {{
                 workgroupBarrier();
                 if (size.width == k) {{ return; }}
                 workgroupBarrier();
                 if (size.height == k) {{ return; }}
                 k += 1u;
             }}
         }}
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ wait(); tile[l] = l; }}"
    );
    assert_eq!(conditions(&text), Vec::<String>::new());
}
