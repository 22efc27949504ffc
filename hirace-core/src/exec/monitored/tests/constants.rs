//! Constants in instrumented modules, which naga re-evaluates because the modules have overrides.

use super::racy;

#[test]
fn converted_64_bit_constants_have_the_right_value() {
    // naga does not convert such a constant in place, and keeps the conversion of a named one.
    let indices = [
        ("32lu", "u32(wide) - 32u"),
        ("-5li", "u32(i32(wide) + 5)"),
        ("1099511627776lu", "u32(f32(wide) / 4294967296.0) - 256u"),
        ("7li", "select(1u, 0u, bool(wide))"),
        ("4294967297lu", "u32(wide) - 1u"),
        ("2.5lf", "u32(f32(wide) - 2.5f)"),
    ];
    for (wide, index) in indices {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(4) fn main() {{ let wide = {wide}; out[{index}] = 1u; }}"
        );
        assert_eq!(racy(&text, 1, 0), ["out[0]"], "{wide}: {index}");
    }
}
