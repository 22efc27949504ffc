//! Rust that exceeds limits.

use super::{Case, Rejected, around};

pub const CASES: &[Case] = &[
    (
        "parentheses",
        "rs",
        || rust(&around("let a = ", "(", "1u32", ")", 20_000, ";")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    (
        "blocks",
        "rs",
        || rust(&around("", "{", "", "}", 20_000, "")),
        Rejected("brackets may nest at most 500 levels deep"),
    ),
    (
        "signs",
        "rs",
        || rust(&("let a = ".to_owned() + &"-".repeat(200_000) + "1i32;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "sums",
        "rs",
        || rust(&("let a = 1u32".to_owned() + &" + 1u32".repeat(200_000) + ";")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "methods",
        "rs",
        || rust(&("let a = 1u32".to_owned() + &".max(1u32)".repeat(100_000) + ";")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "fewer_methods",
        "rs",
        || rust(&("let a = 1u32".to_owned() + &".max(1u32)".repeat(3_000) + ";")),
        Rejected(""),
    ),
    (
        "indices",
        "rs",
        || rust(&("let a = data".to_owned() + &"[0]".repeat(100_000) + ";")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "casts",
        "rs",
        || rust(&("let a = 1u32".to_owned() + &" as u32".repeat(100_000) + ";")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "else_ifs",
        "rs",
        || rust(&("if true {}".to_owned() + &" else if true {}".repeat(50_000))),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "references",
        "rs",
        || rust(&("let a: ".to_owned() + &"&".repeat(200_000) + "u32 = 1;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "generics",
        "rs",
        || {
            rust(
                &("let a: ".to_owned()
                    + &"V<u8,".repeat(100_000)
                    + "u8"
                    + &">".repeat(100_000)
                    + " = 1;"),
            )
        },
        Rejected("10,000 operators and conditions"),
    ),
    (
        "closures",
        "rs",
        || rust(&("let a = ".to_owned() + &"|x| ".repeat(100_000) + "1;")),
        Rejected("10,000 operators and conditions"),
    ),
    (
        "matches",
        "rs",
        || rust(&around("", "match ", "1", " {}", 50_000, "")),
        Rejected("10,000 operators and conditions"),
    ),
];

fn rust(body: &str) -> Vec<u8> {
    let text = format!(
        "#[hirace::monitor(workgroup_size(8))]\nfn main(data: &mut [u32]) {{\n{body}\n}}\n"
    );
    text.into_bytes()
}
