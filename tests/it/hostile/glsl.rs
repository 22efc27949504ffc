//! GLSL that exceeds limits.

use super::{Case, Rejected, around, listed};

pub const CASES: &[Case] = &[
    (
        "blocks",
        "comp",
        || glsl("", &around("", "{", "", "}", 16_000, "")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    (
        "fewer_blocks",
        "comp",
        || glsl("", &around("", "{", "", "}", 450, "")),
        Rejected("may nest at most 400 levels deep"),
    ),
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
        Rejected("may nest at most 400 levels deep"),
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
        Rejected("may nest at most 400 levels deep"),
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
