//! Tests the number of iterations of loops without and with mutated bounds.

use super::launched;
use crate::mutate::source::Source;
use hirace_core::check::Session;
use hirace_core::check::source::check_launches;
use hirace_core::exec::embedded::Embedded;

/// Returns the number of iterations of a loop in a kernel that counts them in `out`, for these values of `low`, `high`
/// and `by`.
fn iterations(source: &Source, text: &str, [low, high, by]: [i32; 3]) -> i32 {
    let options = launched([1, 1, 1], &format!("p={low},{high},{by} out=zeros"));
    let parsed = source.parse(text).unwrap();
    let checked = check_launches(&parsed, &options, &mut Session::new(&Embedded)).unwrap();
    let bytes = checked.memories[0].bytes("out").unwrap();
    i32::from_le_bytes(bytes.try_into().unwrap())
}

#[test]
fn loops_run_one_iteration_less_and_one_more() {
    let loops = [
        "for (var i = low; i < high; i += by) { TURN }",
        "for (var i = low; high >= i; i = i + by) { TURN }",
        "for (var i = high; i > low; i -= by) { TURN }",
        "var i = low; while i + 2 <= high { TURN i += by; }",
        "var i = low; loop { if i >= high { break; } TURN i += by; }",
        "var i = low; loop { if i >= high { break; } TURN continuing { i += by; } }",
    ];
    for of in loops {
        let text = format!(
            "@group(0) @binding(0) var<storage> p: array<i32, 3>;
            @group(0) @binding(1) var<storage, read_write> out: i32;
            @compute @workgroup_size(1)
            fn main() {{
                let low = p[0]; let high = p[1]; let by = p[2];
                {}
            }}",
            of.replace("TURN", "out++;")
        );
        let source = Source::new("kernel.wgsl", &text).unwrap();
        let mutants = source.mutants().unwrap();
        let with = |operator: &str| {
            let found = mutants.iter().find(|mutant| mutant.mutant.operator == operator);
            source.with(found.unwrap_or_else(|| panic!("{operator}: {of}")))
        };
        let (less, more) = (with("one-iteration-less"), with("one-iteration-more"));
        for numbers in
            [[0, 10, 1], [0, 10, 3], [-7, 9, 2], [5, 6, 4], [3, 3, 1], [9, 2, 2], [4, 7, 5]]
        {
            let as_it_is = iterations(&source, &text, numbers);
            let shown = format!("{of} {numbers:?}: {as_it_is}");
            assert_eq!(
                iterations(&source, &less, numbers),
                (as_it_is - 1).max(0),
                "{shown}\n{less}"
            );
            let made = iterations(&source, &more, numbers);
            // A loop that does not run may still not run: its bound may be more than one iteration away.
            let expected = if as_it_is > 0 { made == as_it_is + 1 } else { made <= 1 };
            assert!(expected, "{shown} {made}\n{more}");
        }
    }
}
