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
fn conditions_do_not_leave_a_single_invocation() {
    // Only `width <= 1` avoids the race.
    assert_eq!(of_body("64", "if (g.x < size.width) { out[0] = g.x; }"), ["race"]);
    assert_eq!(of_body("64", "if (l < size.width) { tile[0] = l; }"), ["race"]);
    assert_eq!(of_body("64", "if (l + 1u > size.width) { tile[0] = l; }"), ["race"]);
    // The kernel distinguishes workgroups in one dimension, so it is meant for one row of them.
    assert_conditions("64", "if (g.x == 0u) { out[0] = 1u; }", &ROWS);
    // A kernel of one invocation that reads no id of its workgroup is meant for one workgroup.
    let text = "@group(0) @binding(0) var<storage, read_write> sum: u32;
        @compute @workgroup_size(1) fn main() { sum += 1u; }";
    assert_eq!(conditions(text), ["-1·grid.0 + 1", ROWS[0], ROWS[1]]);
}

#[test]
fn large_steps_between_elements_are_multiples_of_the_grid() {
    let length = "-6400·grid.0 + 1·length(out) + 92";
    assert_conditions("64", "out[g.x * 100u + 7u] = 1u;", &[&[length], &ROWS[..]].concat());
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
            Contract::Open(open) => open.cause == Cause::Ids,
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

/// Returns the open fault of a kernel with this body.
#[track_caller]
fn open_fault(size: &str, body: &str) -> OpenFault {
    match contract(&kernel(size, body), 0, &|| false) {
        Contract::Open(open) => open,
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn the_cause_of_a_fault_is_what_decides_it() {
    let causes = [
        (Cause::Ids, "tile[l / 2u] = l;"),
        (Cause::Ids, "if (l < 32u) { tile[l / 2u] = l; }"),
        (Cause::Ids, "for (var k = 0u; k < 8u; k++) { tile[l / 2u + k] = l; }"),
        (Cause::Ids, "var own: array<u32, 4>; own[l] = l;"),
        (Cause::Ids, "if (w.x < ws.x) { tile[(l ^ w.x) / 64u] = l; }"),
        (Cause::Host, "if (size.width > 7u) { tile[l / 2u] = l; }"),
        (Cause::Host, "if (arrayLength(&out) > 7u) { tile[l / 2u] = l; }"),
        (Cause::Host, "if (data[3] > 7u) { tile[l / 2u] = l; }"),
        (Cause::Host, "for (var k = 0u; k < size.width; k++) { tile[l / 2u] = k; }"),
        (Cause::Host, "var own: array<u32, 4>; if (size.width == 5u) { own[l] = l; }"),
        (Cause::Host, "var own: array<u32, 4>; own[(l * size.width) & 63u] = l;"),
        (Cause::Contents, "if (data[l & 1u] > 7u) { tile[l / 2u] = l; }"),
        (Cause::Contents, "if (f32(size.width) > 7.0) { tile[l / 2u] = l; }"),
        (Cause::Contents, "tile[data[0] & 31u] = l; var own: array<u32, 4>; own[tile[0]] = l;"),
        (Cause::Contents, "var own: array<u32, 4>; if (tile[0] == 0u) { own[l] = l; }"),
        (Cause::Contents, "var k = 0u; if (l < size.width) { k = 1u; } tile[k] = l;"),
        (Cause::Contents, "if (l < size.width) { workgroupBarrier(); }"),
    ];
    for (cause, body) in causes {
        let open = open_fault("64", body);
        assert_eq!(open.cause, cause, "{body}: {open:?}");
    }
}

fn race(accesses: [(SiteId, [u32; 3]); 2], across: Option<usize>) -> SeenFault {
    SeenFault::Race { accesses, across }
}

/// Returns whether the open fault of a kernel with this body is unavoidable if any of these invocations were seen to have it.
fn has_unavoidable_fault(body: &str) -> bool {
    let program = kernel("64", body);
    let Contract::Open(open) = contract(&program, 0, &|| false) else { return false };
    let invocations = [0, 1, 2, 63].map(|x| [x, 0, 0]);
    let is_unavoidable = |fault| {
        are_unavoidable(&program, 0, &GivenValues::default(), &[fault], &|| false) == [true]
    };
    match open.fault {
        Fault::Race([a, b]) => invocations.iter().any(|first| {
            let mut others = invocations.iter().filter(|second| *second != first);
            others.any(|second| is_unavoidable(race([(a, *first), (b, *second)], None)))
        }),
        Fault::OutOfBounds(site) => {
            invocations.iter().any(|id| is_unavoidable(SeenFault::OutOfBounds(site, *id)))
        }
        Fault::Divergence => false,
    }
}

#[test]
fn races_that_no_launch_avoids_are_unavoidable() {
    let two_iterations = [
        // A missing barrier at the end of the body of a loop.
        "tile[l] = k; workgroupBarrier(); sum += tile[63u - l];",
        "tile[l] = k; workgroupBarrier(); for (var i = 0u; i < 64u; i++) { sum += tile[i]; }",
        "if (l == 0u) { tile[0] = k; } workgroupBarrier(); sum += tile[0];",
        "if (l < 32u) { tile[l * 2u] = k; } workgroupBarrier(); sum += tile[l / 4u];",
        "sum += tile[l]; workgroupBarrier(); tile[l ^ 1u] = k;",
    ];
    for body in two_iterations {
        for (end, step) in [("size.width", "1u"), ("arrayLength(&data)", "16u")] {
            let body = format!(
                "var sum = 0u; for (var k = 0u; k < {end}; k += {step}) {{ {body} }}
                 if (g.x < arrayLength(&out)) {{ out[g.x] = sum; }}"
            );
            assert!(has_unavoidable_fault(&body), "{body}");
        }
    }
    for body in [
        "tile[l / 2u] = l;",
        "tile[0] = l;",
        "if (l < size.width) { tile[0] = l; }",
        "var own: array<u32, 4>; own[l] = l;",
        "out[g.x / 2u] = 1u;",
        "if (size.width > 3u) { tile[l / 2u] = l; }",
        "for (var k = 0u; k < size.width; k++) { tile[l / 2u] = k; }",
        "for (var k = 0u; k < size.width; k++) { tile[data[l & 1u] & 63u] = k; workgroupBarrier(); }",
        // Both conditions have to hold for anything to be written.
        "if (size.height > 5u) { if (size.stride > 5u) { tile[l / 2u] = l; } }",
        "if (size.height > 5u) { for (var k = 0u; k < size.width; k++) { tile[l / 2u] = k; } }",
        "for (var k = 0u; k < size.width; k++) { if (size.height < 5u || size.stride < 5u) { break; } tile[l / 2u] = k; }",
        // The bits of an index.
        "tile[reverseBits(l) >> 31u] = l;",
        "tile[(l * 2654435769u) >> 30u] = l;",
        // One path of several.
        "if (data[l] == 7u) { tile[l] = 1u; } tile[l / 2u] = l;",
        "out[l] = 1u; if (out[0] == 7u) { out[63u - l] = 2u; } out[63u - l] = 3u;",
        // Numbers of iterations that are rounded up.
        "for (var k = 0u; k < (size.width + 15u) / 16u; k++) { tile[l] = k; workgroupBarrier(); out[l] = tile[63u - l]; }",
        "for (var k = 0u; k < min(size.width, 9u); k++) { tile[l] = k; workgroupBarrier(); out[l] = tile[63u - l]; }",
        "for (var k = 0u; k < size.width; k += 64u) { tile[l] = k; workgroupBarrier(); out[l] = tile[63u - l]; }",
        // A loop that is left at its end: the increment does not wrap if another iteration follows.
        "var k = 0u; loop { if (k < size.width) { tile[l] = k; } workgroupBarrier(); out[l] = tile[63u - l];
         continuing { let is_last = k >= size.width; k += 1u; break if is_last; } }",
    ] {
        assert!(has_unavoidable_fault(body), "{body}");
    }
}

#[test]
fn races_between_workgroups_may_be_unavoidable() {
    let is_unavoidable = |body: &str, workgroups: Option<[u32; 3]>| {
        let program = kernel("64", body);
        let Contract::Open(open) = contract(&program, 0, &|| false) else { return false };
        let Fault::Race([a, b]) = open.fault else { return false };
        let seen = race([(a, [0; 3]), (b, [0; 3])], Some(0));
        let given = GivenValues { workgroups, ..GivenValues::default() };
        are_unavoidable(&program, 0, &given, &[seen], &|| false) == [true]
    };
    let guarded = "if (l == 0u && w.x * 64u < size.width) { out[0] += 1u; }";
    assert!(is_unavoidable(guarded, None));
    assert!(is_unavoidable(guarded, Some([2, 1, 1])));
    assert!(!is_unavoidable(guarded, Some([1, 1, 1])), "only one workgroup runs");
    for body in [
        "if (l == 0u) { out[w.x * size.stride] += 1u; }",
        "if (l == 0u && w.x == size.width) { out[0] += 1u; }",
        // A kernel for one workgroup.
        "if (l == 0u) { out[0] += 1u; }",
    ] {
        assert!(!is_unavoidable(body, None), "{body}");
    }
}

#[test]
fn kernels_that_a_host_uses_correctly_have_no_unavoidable_fault() {
    let in_loop = |body: &str| format!("for (var k = 0u; k < size.width; k++) {{ {body} }}");
    let (write, read) = ("tile[l] = k; workgroupBarrier();", "var sum = 0u; sum += tile[63u - l];");
    let kernels = [
        // An image with a stride that is at least the width.
        "if (g.x < size.width && g.y < size.height) { out[g.y * size.stride + g.x] = 1u; }".to_owned(),
        // A length that is a multiple of the size of a workgroup.
        "var sum = 0u; for (var k = 0u; k < arrayLength(&data); k += 64u) { sum += data[k + l]; } tile[l] = sum;".to_owned(),
        "for (var k = 0u; k < size.width; k += 64u) { if (k + l >= size.width) { tile[0] = l; } }".to_owned(),
        "for (var k = 0u; k < size.width; k += 16u) { if (k + 15u >= size.width) { tile[l / 4u] = l; } workgroupBarrier(); }".to_owned(),
        // Permutations.
        in_loop("tile[(l ^ size.stride) & 63u] = k; workgroupBarrier();"),
        in_loop("tile[(l * size.stride) & 63u] = k; workgroupBarrier();"),
        in_loop("tile[(l + size.stride) % 64u] = k; workgroupBarrier();"),
        in_loop("tile[(l * 5u + k) & 63u] = k; workgroupBarrier();"),
        in_loop("tile[data[l] & 63u] = k; workgroupBarrier();"),
        in_loop("tile[(data[0] * l) & 63u] = k; workgroupBarrier();"),
        // A barrier that depends on the host.
        in_loop(&format!("{write} {read} if (size.height == 1u) {{ workgroupBarrier(); }}")),
        in_loop(&format!("{write} {read} if (size.height > 7u) {{ workgroupBarrier(); }}")),
        in_loop(&format!("if (size.height > 7u) {{ workgroupBarrier(); }} {write} {read}")),
        format!("let k = 1u; tile[l] = k; if (size.height > 0u) {{ workgroupBarrier(); }} if (size.width > 3u) {{ {read} }}"),
        // A loop that is left in its first iteration.
        format!("let k = l; if (size.width > 3u) {{ loop {{ {write} {read} if (size.height < 5u) {{ break; }} }} }}"),
        in_loop(&format!("{write} {read} if (size.height + k < 5u) {{ break; }}")),
        in_loop(&format!("if (size.height == k) {{ break; }} {write} {read}")),
        in_loop(&format!("if (size.height < 5u) {{ if (size.stride < 5u) {{ break; }} }} {write} {read}")),
        in_loop(&format!("{write} {read} if (size.height < 5u) {{ continue; }} workgroupBarrier();")),
        in_loop(&format!("switch (size.height) {{ case 1u: {{ break; }} default: {{ {write} {read} }} }}")),
        // Kernels for one workgroup, or for one row of workgroups.
        "if (l == 0u) { out[w.x / 2u] = 1u; }".to_owned(),
        "var own: array<u32, 64>; own[g.x] = 1u;".to_owned(),
        "let i = g.y * 64u + g.x; if (i < 1024u) { out[i] = i; }".to_owned(),
        // Invocations that different paths keep apart.
        "if (l < size.width && l < 1u) { tile[0] = l; }".to_owned(),
        // Invocations that return in an iteration that is not walked.
        "for (var i = 0u; i < size.width; i++) { if (i == 200u && l >= 32u) { return; } } tile[l & 31u] = l;".to_owned(),
        // Launches that use either path.
        "if (l >= size.width) { if (l < size.height) { tile[0] = l; } }".to_owned(),
        "if (l * size.stride < size.width) { tile[0] = l; }".to_owned(),
        "if (l != size.stride) { return; } if (size.width > 3u) { tile[0] = l; }".to_owned(),
        "if (l < 63u) { if (l < size.height || l > size.stride) { tile[0] = l; } }".to_owned(),
        // Few workgroups.
        "if (l == 0u) { out[(w.x * 3u) & 7u] = 1u; }".to_owned(),
        "if (l == 0u) { out[w.x % 3u] = 1u; }".to_owned(),
        "if (l == 0u) { out[w.x / ws.x] = 1u; }".to_owned(),
    ];
    for body in kernels {
        assert!(!has_unavoidable_fault(&body), "{body}");
    }
}

#[test]
fn an_index_out_of_bounds_is_harmless_where_its_value_is_not_chosen() {
    const PROVED: &str = "tile[l] = 1u; workgroupBarrier(); let x =";
    for chosen in [
        "select(0u, tile[l - 8u], l >= 8u)",
        "select(tile[l - 8u], 0u, l < 8u)",
        "select(0u, tile[l + 3u], l + 3u < 64u)",
        "select(1u, tile[l + w.x], l + w.x < 64u && w.x < 4u)",
    ] {
        let body = format!("{PROVED} {chosen}; if (g.x < arrayLength(&out)) {{ out[g.x] = x; }}");
        assert_conditions("64", &body, &ROWS);
    }
    for used in [
        "select(0u, tile[l - 8u], l >= 7u)",
        "select(0u, tile[l - 8u], l < 8u)",
        "select(tile[l - 8u], 0u, l >= 8u)",
        "select(0u, tile[l + 3u], l < 64u)",
        // The value is used once more, or decides what is chosen.
        "select(0u, tile[l - 8u], l >= 8u) + tile[l - 8u]",
        "select(0u, 1u, tile[l - 8u] > l)",
        "select(0u, tile[l - 8u] * 2u, l >= 8u)",
    ] {
        let body = format!("{PROVED} {used}; if (g.x < arrayLength(&out)) {{ out[g.x] = x; }}");
        assert_eq!(of_body("64", &body), ["out of bounds"], "{body}");
    }
    // The clamped load may still race.
    let body = "tile[l] = 1u; out[g.x] = select(0u, tile[l - 64u], l >= 64u);";
    assert_eq!(of_body("64", body), ["race"]);
}
