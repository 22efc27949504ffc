//! Tests of kernels that verify, after one barrier is deleted or changed to another class: one edit repairs them.

use super::{applies, json, repaired, verified};
use crate::support::root;
use hirace_adequacy::mutate::source::Source;
use hirace_core::random::Random;
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;

/// WGSL kernels that verify with one workgroup, and have barriers.
pub const RULES: [&str; 10] = [
    "barrier_after_early_return",
    "barrier_in_a_reduction_loop",
    "helper_functions",
    "missing_barrier",
    "pointers",
    "scan_in_place",
    "storage_barrier_does_not_order_workgroup_memory",
    "transpose",
    "two_barriers_order_both",
    "workgroup_barrier_does_not_order_storage",
];

/// Rust kernels of the same kind, with the entry point.
pub const RUST: [(&str, &str); 4] =
    [("arg_max", "clean"), ("box_blur", "clean"), ("transpose", "clean"), ("tree_sum", "tree_sum")];

/// Deletes each barrier, and changes each to the other class: if that introduces a fault, one edit repairs it.
pub fn damaged(folder: &Path, file: &str, entry: Option<&str>) -> Result<(), Failed> {
    let original = fs::read_to_string(root().join(file))?;
    let name = if entry.is_some() { "it.rs" } else { "it.wgsl" };
    let flags = entry.map_or_else(Vec::new, |entry| vec!["--entry", entry]);
    fs::write(folder.join(name), &original)?;
    let whole = json(&verified(folder, name, &flags))?;
    assert_eq!(whole["verdict"].as_str(), Some("verified"), "{whole}");
    let source = Source::new(name, &original).ok_or("a source")?;
    let meant = source.selected_mutants(|mutant| {
        matches!(
            mutant.operator.as_str(),
            "barrier-deleted"
                | "workgroup-barrier-to-storage-barrier"
                | "storage-barrier-to-workgroup-barrier"
        ) && (entry.is_none() || mutant.function.as_deref() == entry)
    });
    let mut wrong = 0;
    for damage in meant.map_err(|error| error.message.clone())? {
        let text = source.with(&damage);
        let repair = repaired(folder, name, &text, &flags)?;
        if repair.is_null() {
            continue;
        }
        wrong += 1;
        let operator = &damage.mutant.operator;
        let edits = repair["edits"].as_array().map(Vec::len);
        assert_eq!(
            (repair["verified"].as_bool(), edits),
            (Some(true), Some(1)),
            "{operator} {}:{}: {repair}",
            damage.mutant.line,
            damage.mutant.column
        );
        applies(folder, name, &text, &repair, &flags)?;
    }
    assert!(wrong > 0, "with none of these mistakes is anything wrong");
    Ok(())
}

/// Returns a random kernel in which each invocation writes its own element and reads its neighbor's, with a barrier wherever
/// one may be needed.
/// may be needed.
fn kernel(random: &mut Random) -> String {
    let head = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 8>;
var<workgroup> one: array<u32, 2>;
var<workgroup> two: array<u32, 2>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) l: u32) {
    var x = l;
";
    let mut body = String::new();
    let mut open = 0;
    for _ in 0..3 + random.below(4u32) {
        let indent = "    ".repeat(1 + open);
        let memory = ["one", "two"][random.below(2usize)];
        let statement = match random.below(6u32) {
            0 | 1 => format!("{memory}[l] = x + {}u;", random.below(5u32)),
            2 | 3 => format!("x += {memory}[1u - l];"),
            4 if open == 0 => {
                open += 1;
                "for (var i = 0u; i < 2u; i++) {".to_owned()
            }
            4 => {
                open -= 1;
                body += &format!("{}}}\n", "    ".repeat(1 + open));
                continue;
            }
            _ => format!("out[l] = x + {}u;", random.below(5u32)),
        };
        body += &format!("{indent}{statement}\n");
        if !statement.ends_with('{') && !statement.starts_with("out") {
            body += &format!("{indent}workgroupBarrier();\n");
        }
    }
    if open > 0 {
        body += "    }\n";
    }
    format!("{head}{body}}}\n")
}

pub fn random(folder: &Path) -> Result<(), Failed> {
    let mut random = Random::new(11);
    let mut wrong = 0;
    for _ in 0..200 {
        let text = kernel(&mut random);
        let path = folder.join("whole.wgsl");
        fs::write(&path, &text)?;
        let barriers = text.matches("workgroupBarrier();").count();
        if barriers == 0 {
            continue;
        }
        let gone = random.below(barriers);
        let at = text.match_indices("    workgroupBarrier();\n").nth(gone).map_or(0, |(at, _)| at);
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = at + text[at..].find('\n').unwrap_or(0) + 1;
        let damaged = format!("{}{}", &text[..line], &text[end..]);
        let repair = repaired(folder, "it.wgsl", &damaged, &[])?;
        if repair.is_null() {
            continue;
        }
        wrong += 1;
        let edits = repair["edits"].as_array().map(Vec::len);
        assert_eq!(
            (repair["verified"].as_bool(), edits),
            (Some(true), Some(1)),
            "{damaged}{repair}"
        );
        applies(folder, "it.wgsl", &damaged, &repair, &[])?;
    }
    assert!(wrong > 10, "{wrong}");
    Ok(())
}
