//! Tests of contracts.

use super::*;
use crate::front::wgsl;
use std::collections::BTreeMap;

fn program(text: &str) -> Program {
    let parsed = wgsl::parse("test.wgsl", text).unwrap();
    Program::new(&parsed, &BTreeMap::new()).unwrap()
}

/// Returns the requirements in words, or the word for what is open.
fn conditions(text: &str) -> Vec<String> {
    let program = program(text);
    match contract(&program, 0) {
        Contract::Proved(requirements) => {
            requirements.iter().map(|it| words(&program, &it.sum)).collect()
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

fn of_body(size: &str, body: &str) -> Vec<String> {
    conditions(&format!(
        "{HEAD} @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) l: u32,
            @builtin(local_invocation_id) lid: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>,
            @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) ws: vec3<u32>) {{ {body} }}"
    ))
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
        match contract(&program(&text), 0) {
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
