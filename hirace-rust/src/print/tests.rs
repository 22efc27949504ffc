use super::*;
use crate::lower::lower;
use crate::map::EntryKind;
use crate::source_map::{LineColumn, Span};
use crate::tree::FunctionId;

fn printed(text: &str, selection: &Selection) -> Printed {
    let item = syn::parse_str(text).expect("it is an item");
    let module = lower(&item).unwrap_or_else(|error| panic!("{error}"));
    let printed = print(&module, selection).unwrap_or_else(|error| panic!("{error}"));
    crate::front::wgsl::parse("printed.wgsl", &printed.wgsl).expect(&printed.wgsl);
    printed
}

/// Returns the functions of a module with these items.
fn functions(items: &str) -> String {
    let text = format!("#[hirace::monitor] mod m {{ use hirace::prelude::*; {items} }}");
    let wgsl = printed(&text, &Selection::All).wgsl;
    wgsl.lines().skip_while(|line| !line.starts_with("fn ")).collect::<Vec<_>>().join("\n")
}

/// Returns the body of a kernel with a buffer `out` and the index `lane`.
fn body(text: &str) -> String {
    let kernel = format!(
        "#[kernel(workgroup_size(1))]
        fn main(#[builtin(local_invocation_index)] lane: u32, out: &mut [u32]) {{ {text} }}"
    );
    let wgsl = functions(&kernel);
    let start = wgsl.find("{\n").map_or(0, |at| at + 2);
    wgsl[start..].lines().filter(|line| *line != "}").collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_evaluated_before_a_statement_is_bound_before_it() {
    assert_eq!(
        body("let mut x = lane; out[0] = x + { x = 5; x };"),
        "    var x: u32 = lane;
    let value: u32 = x;
    x = 5u;
    out[0i] = value + x;"
    );
}

#[test]
fn a_strong_exchange_is_a_loop_of_weak_ones_whose_operands_are_evaluated_once() {
    let kernel = "#[kernel(workgroup_size(1))]
        fn main(#[builtin(local_invocation_index)] lane: u32, bins: &[Atomic<u32>]) {
            let mut x = lane;
            while bins[x + 1].compare_exchange(x, { x += 1; x }).is_err() {}
        }";
    let text = functions(kernel);
    let from = text.find("        let value_1").expect("operands");
    let lines: Vec<&str> = text[from..].lines().take(10).collect();
    assert_eq!(
        lines.join("\n"),
        "        let value_1: u32 = x + 1u;
        let value_2: u32 = x;
        x += 1u;
        let value_3: u32 = x;
        var exchange: ExchangedU32;
        loop {
            let attempt = atomicCompareExchangeWeak(&bins[value_1], value_2, value_3);
            exchange = ExchangedU32(attempt.old_value, attempt.exchanged);
            continuing { break if exchange.exchanged | (exchange.old_value != value_2); }
        }"
    );
}

#[test]
fn exchange_results_can_be_passed_on() {
    for method in ["compare_exchange", "compare_exchange_weak"] {
        // The test is that naga accepts it.
        functions(&format!(
            "#[kernel(workgroup_size(1))]
            fn main(bins: &[Atomic<u32>], out: &mut [u32]) {{
                let first = bins[0].{method}(0, 1);
                let mut second = first;
                if first.is_err() {{ second = bins[1].{method}(1, 2); }}
                let (third, fourth) = (second, bins[2].{method}(3, 4));
                if let (Ok(old), Err(_)) = (third, fourth) {{ out[0] = old; }}
            }}"
        ));
    }
}

#[test]
fn a_strong_exchange_is_one_access_where_it_stands_in_rust() {
    let text = "#[hirace::monitor(workgroup_size(1))]
fn main(#[builtin(local_invocation_index)] lane: u32, bins: &[Atomic<u32>]) {
    if bins[lane].compare_exchange(0, lane).is_ok() { return; }
}";
    let file = crate::parse_file("main.rs", text).expect("it is Rust");
    let parsed = file.items[0].as_ref().expect("it is a kernel");
    let program = crate::program::Program::new(parsed, &Default::default()).expect("it is valid");
    let sites = program.sites.accesses();
    let sites: Vec<_> =
        sites.map(|(_, site, access)| (file.source.snippet(site.span), access.action)).collect();
    let action = crate::ir::access::Action::Atomic;
    assert_eq!(sites, [("bins[lane].compare_exchange(0, lane)", action)]);
}

#[test]
fn the_right_side_of_a_condition_is_evaluated_only_if_the_left_holds() {
    assert_eq!(
        body("let mut x = lane; if 0 < x && { x += 1; x < 3 } { out[x] = 1; }"),
        "    var x: u32 = lane;
    var value: bool = 0u < x;
    if (value) {
        x += 1u;
        value = x < 3u;
    }
    if (value) {
        out[x] = 1u;
    }"
    );
}

#[test]
fn values_go_straight_to_where_they_are_wanted() {
    assert_eq!(
        body("let x = if lane < 3 { lane } else { 7 }; out[0] = x;"),
        "    var x: u32;
    if (lane < 3u) {
        x = lane;
    } else {
        x = 7u;
    }
    out[0i] = x;"
    );
}

#[test]
fn a_match_of_numbers_is_a_switch_unless_an_arm_leaves_a_loop() {
    let text = "match lane { 0 => out[0] = 1, 1 | 2 => out[1] = 2, _ => {} }";
    assert!(body(text).starts_with("    switch (lane) {\n        case 0u: {\n"), "{}", body(text));
    let text = "loop { match lane { 0 => break, 1 => out[0] = 2, _ => return } }";
    assert!(body(text).contains("if (lane == 0u) {\n            break;\n"), "{}", body(text));
}

#[test]
fn a_loop_variable_never_runs_past_its_type() {
    assert_eq!(
        body("for i in 0..lane { out[i] = i; }"),
        "    for (var i: u32 = 0u; i < lane; i++) {
        out[i] = i;
    }"
    );
    assert_eq!(
        body("for i in (lane..out.len()).step_by(64) { out[i] = i; }"),
        "    for (var i: u32 = lane; i < arrayLength(&out); i += 64u) {
        out[i] = i;
    }"
    );
    assert_eq!(
        body("for i in 0..=lane { out[i] = i; }"),
        "    if (0u <= lane) {
        var i: u32 = 0u;
        loop {
            out[i] = i;
            continuing {
                let last = lane - i < 1u;
                i += 1u;
                break if last;
            }
        }
    }"
    );
}

#[test]
fn helpers_are_made_for_the_memory_they_are_called_with() {
    assert_eq!(
        functions(
            "fn bump(x: &mut u32) { *x += 1; }
            fn twice(x: &mut u32) { bump(x); bump(x); }
            #[kernel(workgroup_size(1))]
            fn main(#[builtin(local_invocation_index)] lane: u32, a: &mut [u32], #[workgroup] b: &mut [u32; 4]) {
                let mut x = lane;
                twice(&mut x);
                twice(&mut a[x + 1]);
                twice(&mut b[2]);
            }"
        ),
        "fn bump(x: ptr<function, u32>) {
    *x += 1u;
}
fn twice(x: ptr<function, u32>) {
    bump(x);
    bump(x);
}
fn bump_1(x_index: u32) {
    a[x_index] += 1u;
}
fn twice_1(x_index: u32) {
    bump_1(x_index);
    bump_1(x_index);
}
fn bump_2() {
    b[2i] += 1u;
}
fn twice_2() {
    bump_2();
    bump_2();
}
@compute @workgroup_size(1u, 1u, 1u)
fn main(@builtin(local_invocation_index) lane: u32) {
    var x: u32 = lane;
    twice(&x);
    twice_1(x + 1u);
    twice_2();
}"
    );
}

#[test]
fn memory_that_is_touched_atomically_is_atomic_wherever_it_is() {
    let text = "#[hirace::monitor] mod m {
        use hirace::prelude::*;
        struct Cell { count: u32, sum: f32 }
        #[kernel(workgroup_size(1))]
        fn main(#[builtin(local_invocation_index)] lane: u32, cells: &mut [Cell]) {
            atomic_add(&mut cells[lane].count, 1);
            cells[lane + 1].count += 2;
            cells[0].sum = cells[lane].count as f32;
        }
    }";
    let printed = printed(text, &Selection::All);
    let (_, wgsl) = printed.wgsl.split_once("@group").expect("a buffer");
    assert_eq!(
        format!("@group{wgsl}"),
        "@group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
@compute @workgroup_size(1u, 1u, 1u)
fn main(@builtin(local_invocation_index) lane: u32) {
    atomicAdd(&cells[lane].count, 1u);
    let value: u32 = lane + 1u;
    atomicStore(&cells[value].count, atomicLoad(&cells[value].count) + 2u);
    cells[0i].sum = f32(atomicLoad(&cells[lane].count));
}
"
    );
    let plain = printed.map.entries.iter().filter(|entry| entry.kind == EntryKind::Plain);
    let plain: Vec<&str> =
        plain.map(|entry| &printed.wgsl[entry.wgsl.range(&printed.wgsl)]).collect();
    assert_eq!(
        plain,
        [
            "atomicStore(&cells[value].count, atomicLoad(&cells[value].count) + 2u)",
            "atomicLoad(&cells[value].count)",
            "atomicLoad(&cells[lane].count)",
        ]
    );
}

#[test]
fn instances_differ_in_their_values_alone() {
    let text = "#[hirace::monitor(workgroup_size(N))]
        fn main<const N: u32>(#[workgroup] t: &mut [u32; 4]) { t[0] = N; }";
    let instance = |n| printed(text, &Selection::Instance(FunctionId(0), vec![n])).wgsl;
    assert_eq!(instance(64).replace("0x00000040u", "0x00000008u"), instance(8));
    assert!(instance(64).contains("const N: u32 = 0x00000040u;"), "{}", instance(64));
}

#[test]
fn names_that_wgsl_has_itself_are_reported_with_those_of_rust() {
    let text = "#[hirace::monitor] mod m {
        struct Params { r#ref: u32 }
        #[kernel(workgroup_size(1))]
        fn filter(min: &mut [u32], params: &Params) { min[0] = params.r#ref; }
    }";
    let names = printed(text, &Selection::All).names;
    let names: Vec<(&str, &str)> = names.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(names, [("min_", "min"), ("filter_", "filter"), ("Params.ref_", "ref")]);
}

#[test]
fn every_expression_knows_where_it_stands_in_rust() {
    let text = "#[hirace::monitor(workgroup_size(1))]
fn main(out: &mut [u32]) {
    out[0] = out[1]
        + out[2];
}";
    let printed = printed(text, &Selection::All);
    let of = |wgsl: &str| {
        let start = printed.wgsl.find(wgsl).expect(wgsl) as u32;
        let entry = printed.map.find(Span::new(start, start + wgsl.len() as u32)).expect(wgsl);
        let LineColumn { line, column } = entry.start;
        (line, column, entry.end.line, entry.end.column)
    };
    assert_eq!(of("out[1i]"), (3, 14, 3, 20));
    assert_eq!(of("out[1i] + out[2i]"), (3, 14, 4, 17));
    assert_eq!(of("out[0i]"), (3, 5, 3, 11));
}

#[test]
fn what_is_atomic_in_part_is_read_and_written_part_by_part() {
    let text = "#[hirace::monitor] mod m {
        use hirace::prelude::*;
        #[derive(Clone, Copy)]
        struct Cell { count: u32, sum: f32, of: [u32; 3] }
        #[kernel(workgroup_size(1))]
        fn main(#[builtin(local_invocation_index)] lane: u32, cells: &mut [Cell]) {
            atomic_add(&mut cells[lane].count, 1);
            atomic_max(&mut cells[lane].of[1], 1);
            cells[0] = cells[lane + 1];
        }
    }";
    let printed = printed(text, &Selection::All);
    let (_, wgsl) = printed.wgsl.split_once("    atomicMax").expect("a kernel");
    assert_eq!(
        wgsl.split_once('\n').map_or("", |(_, rest)| rest),
        "    {
        let index: u32 = lane + 1u;
        var copy: Cell;
        copy.count = atomicLoad(&cells[index].count);
        copy.sum = cells[index].sum;
        for (var index_1: u32 = 0u; index_1 < 3u; index_1++) {
            copy.of_[index_1] = atomicLoad(&cells[index].of_[index_1]);
        }
        var copy_1: Cell = copy;
        atomicStore(&cells[0i].count, copy_1.count);
        cells[0i].sum = copy_1.sum;
        for (var index_2: u32 = 0u; index_2 < 3u; index_2++) {
            atomicStore(&cells[0i].of_[index_2], copy_1.of_[index_2]);
        }
    }
}
"
    );
    // The copies are plain accesses, as in Rust.
    let plain = printed.map.entries.iter().filter(|entry| entry.kind == EntryKind::Plain);
    assert_eq!(plain.count(), 4);
}

#[test]
fn helpers_are_made_for_their_const_parameters() {
    assert_eq!(
        functions(
            "const COUNT: usize = 4;
            fn sum<const N: usize>(of: &[f32; N]) -> f32 {
                let mut sum = 0.0;
                for i in 0..N as u32 { sum += of[i]; }
                sum
            }
            fn zeros<const N: usize, const SIGN: i32>() -> [i32; N] { [SIGN; N] }
            fn both<const N: usize>(tile: &[f32; N]) -> f32 { sum(tile) + sum::<N>(tile) }
            #[kernel(workgroup_size(1))]
            fn main(out: &mut [f32], #[workgroup] a: &mut [f32; COUNT], #[workgroup] b: &mut [f32; 9]) {
                let few: [i32; 2] = zeros::<_, -1>();
                out[0] = sum(a) + both(b) + few[1] as f32 + sum(&[1.0, 2.0]);
            }"
        ),
        "fn zeros() -> array<i32, 2> {
    let value: i32 = -1i;
    return array<i32, 2>(value, value);
}
fn sum() -> f32 {
    var sum_3: f32 = 0.0f;
    for (var i: u32 = 0u; i < 4u; i++) {
        sum_3 += a[i];
    }
    return sum_3;
}
fn sum_1() -> f32 {
    var sum_3: f32 = 0.0f;
    for (var i: u32 = 0u; i < 9u; i++) {
        sum_3 += b[i];
    }
    return sum_3;
}
fn both() -> f32 {
    return sum_1() + sum_1();
}
fn sum_2(of_: array<f32, 2>) -> f32 {
    var sum_3: f32 = 0.0f;
    for (var i: u32 = 0u; i < 2u; i++) {
        sum_3 += of_[i];
    }
    return sum_3;
}
@compute @workgroup_size(1u, 1u, 1u)
fn main() {
    let few: array<i32, 2> = zeros();
    out[0i] = sum() + both() + f32(few[1i]) + sum_2(array<f32, 2>(1.0f, 2.0f));
}"
    );
}
