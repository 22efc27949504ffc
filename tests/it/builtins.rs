//! Tests of the table of functions of kernels in Rust (`front::rust::builtins`): rustc knows each row from the prelude, from
//! glam or from std with the types of the table, and a function with a Rust name computes in WGSL what it computes in Rust.

mod compare;
mod compute;
mod generate;
mod grouped;
mod rows;
mod samples;

use crate::support::root;
use crate::tint;
use compare::Compare;
use generate::Rows;
use hirace::raw::front::rust::builtins::{self, RowKind};
use hirace_testing::check_up_to_date;
use hirace_testing::harness::{Need, Trial};
use libtest_mimic::Failed;
use std::collections::BTreeSet;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("builtins::rustc knows every row", rustc_knows_every_row),
        Trial::test(
            "builtins::every function of the prelude is in the table",
            every_function_of_the_prelude_is_in_the_table,
        ),
        Trial::test(
            "builtins::what has a Rust name computes what Rust computes",
            computes_what_rust_computes,
        ),
        Trial::test("builtins::constants are what Rust has", constants_are_what_rust_has),
        Trial::test("builtins::tint takes every row", tint_takes_every_row)
            .needs(Need::program("tint", None)),
    ]
}

/// `rows.in` presents each row with its types to rustc, so it compiles only if they are right; this test compares it with the
/// table.
fn rustc_knows_every_row() -> Result<(), Failed> {
    let path = root().join("tests/it/builtins/rows.in");
    let made = Rows::of_the_table();
    let wanted = made.text();
    check_up_to_date(&path, &wanted)?;
    let known = (rows::FUNCTIONS, rows::METHODS);
    if known != (made.functions.len(), made.methods.len()) {
        return Err(format!("rustc checked only {known:?} rows: build the tests again").into());
    }
    Ok(())
}

fn every_function_of_the_prelude_is_in_the_table() -> Result<(), Failed> {
    // Only the macro writes the first three; the last is a cast that depends on its context.
    let not_rows = ["index", "mask", "mask_of", "bitcast"];
    let in_table: BTreeSet<&str> = builtins::rows(RowKind::Function).map(|row| row.name).collect();
    let mut count = 0;
    for file in std::fs::read_dir(root().join("src/prelude"))? {
        let text = std::fs::read_to_string(file?.path())?;
        let declared = text.lines().filter_map(|line| line.strip_prefix("pub fn "));
        for line in declared {
            let name = line.split(['<', '(']).next().unwrap_or(line);
            count += 1;
            if !in_table.contains(name) && !not_rows.contains(&name) {
                return Err(format!("`{name}` is in the prelude, but not in the table").into());
            }
        }
    }
    if count < 100 { Err(format!("only {count} functions were found").into()) } else { Ok(()) }
}

fn computes_what_rust_computes() -> Result<(), Failed> {
    let mut compare = Compare::default();
    rows::compare(&mut compare);
    compare.finish(Rows::of_the_table().compared.len())
}

fn constants_are_what_rust_has() -> Result<(), Failed> {
    let mut compare = Compare::default();
    rows::constants(&mut compare);
    compare.finish(Rows::of_the_table().constants.len())
}

fn tint_takes_every_row() -> Result<(), Failed> {
    let mut compare = Compare::default();
    compare.only_text = true;
    rows::compare(&mut compare);
    rows::constants(&mut compare);
    tint::takes(&format!("enable f16;\n{}", compare.functions))
}
