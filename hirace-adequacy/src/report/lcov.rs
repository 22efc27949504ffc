//! A coverage report as an LCOV tracefile, for genhtml and coverage services.
//!
//! Branches and loop conditions become LCOV branches, as in `llvm-cov`. The number of loop iterations and barrier
//! coverage have no record.

use super::conditions::{Row, rows};
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::{File, Function};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Returns the tracefile.
pub fn report(coverage: &Coverage) -> String {
    coverage.files.iter().map(|file| of_file(file, coverage.hits)).collect()
}

fn of_file(file: &File, hits: bool) -> String {
    let mut rows = rows(file, hits);
    let mut text = format!("SF:{}\n", field(&file.file));
    let functions = functions(file, &mut rows);
    for (name, line, _) in &functions {
        let _ = writeln!(text, "FN:{line},{name}");
    }
    for (name, _, count) in &functions {
        let _ = writeln!(text, "FNDA:{count},{name}");
    }
    let entered = functions.iter().filter(|(_, _, count)| *count > 0).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{entered}", functions.len());
    let (mut ways, mut taken) = (0, 0);
    for (line, row) in &rows {
        for (block, condition) in row.conditions.iter().enumerate() {
            for (way, &count) in condition.ways.iter().enumerate() {
                // The branch was never evaluated.
                let times =
                    if row.count == 0 && count == 0 { "-".to_owned() } else { count.to_string() };
                let _ = writeln!(text, "BRDA:{line},{block},{way},{times}");
            }
            ways += condition.ways.len() as u64;
            taken += condition.taken();
        }
    }
    let _ = writeln!(text, "BRF:{ways}\nBRH:{taken}");
    for (line, Row { count, .. }) in &rows {
        let _ = writeln!(text, "DA:{line},{count}");
    }
    let ran = rows.values().filter(|row| row.count > 0).count();
    let _ = writeln!(text, "LF:{}\nLH:{ran}\nend_of_record", rows.len());
    text
}

/// Returns the names, lines and counts of functions. LCOV identifies functions by name, so duplicates get their line as
/// suffix.
///
/// Since LCOV 2, a function must begin on an executable line. The line of its name is usually not executable, so its
/// first executable line is used. If there is none, the line of its name is added to `rows`.
fn functions(file: &File, rows: &mut BTreeMap<u32, Row<'_>>) -> Vec<(String, u32, u64)> {
    let mut names = BTreeSet::new();
    let functions = file.functions.iter().map(|function| {
        let Function { line, count, .. } = *function;
        let mut name = field(&function.name);
        if !names.insert(name.clone()) {
            name = format!("{name}:{line}");
            names.insert(name.clone());
        }
        let own = file.lines.iter().filter(|of| of.function == function.name);
        let first = own.map(|of| of.line).find(|of| *of >= line).unwrap_or(line);
        rows.entry(first).or_insert_with(|| Row { count, conditions: Vec::new() });
        (name, first, count)
    });
    functions.collect()
}

/// Replaces characters that would end a field or record: control characters and commas.
fn field(text: &str) -> String {
    text.replace(|c: char| c.is_control() || c == ',', "_")
}
