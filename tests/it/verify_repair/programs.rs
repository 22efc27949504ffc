//! Tests of the programs of `kernels/src/verify/` whose marks say `repaired`, and of `docs/evaluation/verify-repair.md`, which
//! shows the proposed repair of each. `--bless` writes that part of the page.

use super::{applies, changed, repaired};
use crate::support::root;
use crate::verify::programs::{Row, rows};
use hirace_testing::check_part_up_to_date;
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The repairs in the paper on GPUMC. The columns are: program | invocations | removed races | changed lines.
const PAPER: &str = include_str!("paper.txt");

pub fn repairs_are_as_the_page_has_them(folder: &Path) -> Result<(), Failed> {
    let page = root().join("docs/evaluation/verify-repair.md");
    let (mut table, mut diffs) = (String::new(), String::new());
    for row in rows()?.iter().filter(|row| row.is_repaired) {
        let repair = repair(folder, row)?;
        table += &line(row, &repair);
        diffs += &section(row, &repair);
    }
    assert!(table.lines().count() > 15, "{table}");
    let head = "| program | grid | found | tried | lines | GPUMC: invocations, races, lines |\n\
                | --- | --- | --- | --- | --- | --- |\n";
    Ok(check_part_up_to_date(&page, &format!("\n{head}{table}{diffs}"))?)
}

/// Returns the proposed repair of a program, after checking that the repaired program verifies and that the patch applies.
fn repair(folder: &Path, row: &Row) -> Result<Value, Failed> {
    let text = fs::read_to_string(&row.file)?;
    let size = format!("SIZE={}", row.grid[1]);
    let [entry, workgroups, model] = [&row.kernel, &row.grid[0], &row.model].map(String::as_str);
    let flags =
        ["--entry", entry, "--workgroups", workgroups, "--override", &size, "--model", model];
    let file = row.file.file_name().and_then(|name| name.to_str()).ok_or("a name")?;
    let repair = repaired(folder, file, &text, &flags)?;
    assert_eq!(repair["verified"].as_bool(), Some(true), "{}: {repair}", row.name);
    applies(folder, file, &text, &repair, &flags)?;
    Ok(repair)
}

fn line(row: &Row, repair: &Value) -> String {
    let diff = repair["diff"].as_str().unwrap_or_default();
    let lines = changed(diff).iter().filter(|line| line.starts_with('+')).count();
    let cells = PAPER.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let theirs = cells.filter(|cells| cells[0] == row.name).map(|cells| cells[1..].join(", "));
    format!(
        "| {} | {} | {} | {} | {lines} | {} |\n",
        row.name,
        row.grid.join(","),
        row.expected,
        repair["candidates"],
        theirs.collect::<String>(),
    )
}

fn section(row: &Row, repair: &Value) -> String {
    let diff = repair["diff"].as_str().unwrap_or_default();
    let file = row.file.file_name().unwrap_or_default().display();
    let lines: Vec<&str> = diff.lines().skip(2).collect();
    format!(
        "\n## {}\n\n`{}` of {file}.\n\n```diff\n{}\n```\n",
        row.name,
        row.kernel,
        lines.join("\n")
    )
}
