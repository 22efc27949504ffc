//! GLSL that exceeds limits.

use super::{Case, Checked, Rejected, around, listed};

pub const CASES: &[Case] = &[
    (
        "blocks",
        "comp",
        || glsl("", &around("", "{", "", "}", 16_000, "")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    ("fewer_blocks", "comp", || glsl("", &around("", "{", "data[0] = 1u;", "}", 450, "")), Checked),
    (
        "conditions",
        "comp",
        || glsl("", &("uint a = ".to_owned() + &"true ? 1u : ".repeat(16_000) + "1u;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "fewer_conditions",
        "comp",
        || glsl("", &("uint a = ".to_owned() + &"true ? 1u : ".repeat(2_000) + "1u;")),
        Rejected("nest too deeply for glslang"),
    ),
    (
        "conditions_in_conditions",
        "comp",
        || glsl("", &around("uint a = ", "true ? ", "1u", " : 1u", 16_000, ";")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "conditions_with_commas",
        "comp",
        || glsl("", &around("uint a; a = ", "true ? a = 1u, ", "1u", " : 1u", 16_000, ";")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "commas",
        "comp",
        || glsl(&("uint q; uint g = (".to_owned() + &"q, ".repeat(450_000) + "q);"), ""),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "components_of_components",
        "comp",
        || glsl(&("vec4 q; vec4 g = q".to_owned() + &".xyzw".repeat(400_000) + ";"), ""),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "ifs",
        "comp",
        || glsl("", &("if (true) ".repeat(16_000) + "data[0] = 1u;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "ifs_with_blocks",
        "comp",
        || glsl("", &around("", "if (true) {", "", "}", 16_000, "")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    (
        "fewer_ifs",
        "comp",
        || glsl("", &("if (true) ".repeat(4_000) + "data[0] = 1u;")),
        Rejected("nest too deeply for glslang"),
    ),
    (
        "whiles",
        "comp",
        || glsl("", &("while (true) ".repeat(16_000) + "data[0] = 1u;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "switches",
        "comp",
        || glsl("", &around("", "switch (1) { case 0: ", "data[0] = 1u;", "}", 16_000, "")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    (
        "else_ifs",
        "comp",
        || {
            glsl(
                "",
                &("if (data[0] == 0u) {}".to_owned()
                    + &" else if (data[0] == 1u) {}".repeat(16_000)),
            )
        },
        Rejected("10,000 operators and conditions"),
    ),
    (
        "parentheses",
        "comp",
        || glsl("", &around("data[0] = ", "(", "1u", ")", 16_000, ";")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    (
        "signs",
        "comp",
        || glsl("", &("int a = ".to_owned() + &"- ".repeat(16_000) + "1;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "sums",
        "comp",
        || glsl("", &("data[0] = ".to_owned() + &"1u + ".repeat(100_000) + "1u;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "structures_in_structures",
        "comp",
        || {
            glsl(
                &("struct S0 { uint a; };\n".to_owned()
                    + &listed(25, |n| format!("struct S{} {{ S{n} a; S{n} b; }};\n", n + 1))
                    + "layout(std430, binding = 1) buffer C { S25 q; };"),
                "data[0] = 1u;",
            )
        },
        Rejected("100,000 members"),
    ),
    (
        "macros_that_double",
        "comp",
        || glsl(&(doubling() + "#define A40 1u+\n"), "uint a = A0;"),
        Rejected("macros may expand to at most 500,000 tokens"),
    ),
    (
        "macros_of_nothing",
        "comp",
        || glsl(&(doubling() + "#define A40\n"), "uint a = A0 1u;"),
        Rejected("macros may expand to at most 500,000 tokens"),
    ),
    (
        "macros_with_arguments",
        "comp",
        || {
            glsl(
                &(listed(40, |n| format!("#define A{n}(x) A{}(x x)\n", n + 1))
                    + "#define A40(x) x\n"),
                "uint a = A0(1u);",
            )
        },
        Rejected("macros may expand to at most 500,000 tokens"),
    ),
    (
        "macros_in_arguments",
        "comp",
        || glsl("#define F(x) x + x", &around("uint a = ", "F(", "1u", ")", 40, ";")),
        Rejected("macros may expand to at most 500,000 tokens"),
    ),
    (
        "includes_of_itself",
        "comp",
        || b"#include \"includes_of_itself.comp\"\nvoid main() {}\n".to_vec(),
        Rejected("at most 100 levels deep"),
    ),
    ("zero_byte", "comp", || b"#version 450\n\0void main() {}\n".to_vec(), Rejected("zero byte")),
    ("comment_without_end", "comp", || glsl("/*", ""), Rejected("End of input in comment")),
    (
        "constant_of_nothing",
        "comp",
        || {
            let extension = "#extension GL_EXT_null_initializer : enable\n";
            glsl(&format!("{extension}const uint a[1000000000] = {{}};"), "data[0] = a[1];")
        },
        Rejected("arrays of at most 4,194,304 elements"),
    ),
    (
        "calls_in_calls",
        "comp",
        || glsl("uint f(uint x) { return x; }", &around("data[0] = ", "f(", "1u", ")", 450, ";")),
        Checked,
    ),
    (
        "long_sum_of_variables",
        "comp",
        || glsl("", &("data[0] = ".to_owned() + &"data[1] + ".repeat(3_000) + "1u;")),
        Checked,
    ),
    (
        "parentheses_of_directives",
        "comp",
        || glsl(&around("#if ", "(", "1", ")", 100_000, "\n#endif"), ""),
        Rejected("200 nested parentheses"),
    ),
];

fn glsl(declared: &str, body: &str) -> Vec<u8> {
    let text = format!(
        "#version 450\nlayout(local_size_x = 8) in;\nlayout(std430, binding = 0) buffer B {{ uint data[]; }};\n\
         {declared}\nvoid main() {{\n{body}\n}}\n"
    );
    text.into_bytes()
}

/// Returns forty macros, each of which is twice as long as the next.
fn doubling() -> String {
    listed(40, |n| format!("#define A{n} A{} A{}\n", n + 1, n + 1))
}
