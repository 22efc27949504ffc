//! WGSL that exceeds limits.

use super::{Case, Checked, Rejected, around, listed};

pub const CASES: &[Case] = &[
    (
        "binding_without_a_variable",
        "wgsl",
        || wgsl("@group(0)@binding(1);", ""),
        Rejected("`@group` and `@binding` are attributes of a `var`"),
    ),
    (
        "binding_of_a_function",
        "wgsl",
        || wgsl("@group(0)@binding(1) fn f() {}", ""),
        Rejected("`@group` and `@binding`"),
    ),
    (
        "thousand_parentheses",
        "wgsl",
        || wgsl("", &around("let a = ", "(", "1u", ")", 1_000, ";")),
        Rejected("levels deep"),
    ),
    (
        "two_hundred_parentheses",
        "wgsl",
        || wgsl("", &around("let a = ", "(", "1u", ")", 250, ";")),
        Rejected("may nest at most 200 levels deep"),
    ),
    (
        "dereferences_on_the_left",
        "wgsl",
        || wgsl("", &("*&".repeat(150) + "data[0] = 1u;")),
        Rejected("may nest at most 200 levels deep"),
    ),
    (
        "chained_calls",
        "wgsl",
        || wgsl(&calls(100_000), "data[0] = f99999(1u);"),
        Rejected("20,000 functions"),
    ),
    (
        "fewer_chained_calls",
        "wgsl",
        || wgsl(&calls(10_000), "data[0] = f9999(1u);"),
        Rejected("calls may nest at most 200 levels deep"),
    ),
    (
        "calls_in_a_row",
        "wgsl",
        || {
            wgsl(
                "fn f(x: u32) -> u32 { return x; }",
                &("var x = 0u;".to_owned() + &"x = f(x);".repeat(100_000)),
            )
        },
        Rejected("a function may have at most 100,000 tokens"),
    ),
    (
        "many_statements",
        "wgsl",
        || wgsl("", &"data[id.x] = 1u;".repeat(100_000)),
        Rejected("a function may have at most 100,000 tokens"),
    ),
    ("some_statements", "wgsl", || wgsl("", &"data[id.x] = 1u;".repeat(10_000)), Checked),
    (
        "many_cases",
        "wgsl",
        || {
            wgsl(
                "",
                &format!(
                    "switch id.x {{ {} default: {{}} }}",
                    listed(100_000, |n| format!("case {n}u: {{ data[1] = 1u; }} "))
                ),
            )
        },
        Rejected("a function may have at most 100,000 tokens"),
    ),
    (
        "many_entry_points",
        "wgsl",
        || {
            wgsl(
                &listed(5_000, |n| {
                    format!("@compute @workgroup_size(1) fn m{n}() {{ data[0] = 1u; }}\n")
                }),
                "",
            )
        },
        Rejected("1,000 entry points"),
    ),
    (
        "constants_that_double",
        "wgsl",
        || {
            wgsl(
                &("const c0 = array<u32, 2>(1u, 2u);\n".to_owned()
                    + &listed(30, |n| format!("const c{} = array(c{n}, c{n});\n", n + 1))),
                &format!("data[0] = c30[0]{};", "[0]".repeat(30)),
            )
        },
        Rejected("1,000,000 parts"),
    ),
    (
        "constants_that_double_backwards",
        "wgsl",
        || {
            wgsl(
                &((0..30)
                    .rev()
                    .map(|n| format!("const c{} = array(c{n}, c{n});\n", n + 1))
                    .collect::<String>()
                    + "const c0 = array<u32, 2>(1u, 2u);"),
                &format!("data[0] = c30[0]{};", "[0]".repeat(30)),
            )
        },
        Rejected("1,000,000 parts"),
    ),
    (
        "numbers_that_double",
        "wgsl",
        || {
            wgsl(
                &("const c0 = 1u;\n".to_owned()
                    + &listed(1_000, |n| format!("const c{} = c{n} ^ c{n};\n", n + 1))),
                "data[0] = c1000;",
            )
        },
        Checked,
    ),
    (
        "structures_that_double",
        "wgsl",
        || {
            wgsl(
                &(structures(27) + "@group(0) @binding(1) var<storage> q: S27;"),
                &format!("data[0] = q{};", ".a".repeat(28)),
            )
        },
        Rejected("1,000,000 members"),
    ),
    (
        "else_ifs",
        "wgsl",
        || {
            wgsl(
                "",
                &("if id.x == 0u {}".to_owned()
                    + &listed(2_000, |n| format!(" else if id.x == {n}u {{}}"))),
            )
        },
        Rejected("may nest at most 400 levels deep"),
    ),
    ("comments", "wgsl", || wgsl("", &"/*".repeat(100_000)), Rejected("")),
];

fn wgsl(declared: &str, body: &str) -> Vec<u8> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n{declared}\n\
         @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n{body}\n}}\n"
    );
    text.into_bytes()
}

fn calls(functions: usize) -> String {
    let first = "fn f0(x: u32) -> u32 { return x; }\n".to_owned();
    first
        + &listed(functions - 1, |n| {
            format!("fn f{}(x: u32) -> u32 {{ return f{n}(x); }}\n", n + 1)
        })
}

fn structures(depth: usize) -> String {
    let first = "struct S0 { a: u32 }\n".to_owned();
    first + &listed(depth, |n| format!("struct S{} {{ a: S{n}, b: S{n} }}\n", n + 1))
}
