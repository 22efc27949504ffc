//! Schedule amplification results for the terminal: findings with their source locations, then a table of what was
//! tried.

use super::groups::{Group, groups};
use super::words;
use crate::report::words::{NONE, shown};
use crate::table::{align_columns, lines};
use hirace_core::amplify::results::{Judgement, Place, Results, StrategyRuns};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::{self, Style};
use hirace_core::source_map::{LineColumn, SourceMap, Span};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tabled::builder::Builder;

/// Returns all findings with the sources that `source` returns, a table of what was tried, and a summary line.
pub fn report(results: &Results, source: &dyn Fn(&str) -> Option<String>, style: Style) -> String {
    let mut report = String::new();
    let mut sources = BTreeMap::new();
    for group in groups(results) {
        let Group { launched, dispatched, finding, .. } = group;
        let name = |place: &Place| place.file.clone();
        let labels = words::labels(finding, dispatched);
        let file = labels.first().map_or(launched.file.clone(), |(place, _)| name(place));
        let map = sources
            .entry(file.clone())
            .or_insert_with(|| SourceMap::new(file.clone(), source(&file).unwrap_or_default()));
        let said = diagnostic(&group, map);
        let is_error = finding.counts() && launched.guessed.is_empty();
        report += &match is_error {
            true => text::diagnostic(&said, style),
            false => text::warning(&said, style),
        };
        report.push('\n');
    }
    if results.tests.iter().all(|test| test.launches.is_empty()) {
        let _ = writeln!(report, "{}", words::EMPTY);
        return report;
    }
    report += &table(results);
    report.push('\n');
    if results.stopped {
        let _ = writeln!(report, "{}", words::STOPPED);
    }
    let _ = writeln!(report, "{}", words::total(results));
    report
}

fn diagnostic(group: &Group<'_>, map: &SourceMap) -> Diagnostic {
    let Group { test, launched, dispatched, finding, more } = *group;
    let test = &test.name;
    let mut said = Diagnostic::new(words::message(finding, launched));
    let mut elsewhere = Vec::new();
    for (place, label) in words::labels(finding, dispatched) {
        let is_there = place.file == map.name() && !map.text().is_empty();
        match is_there {
            true => {
                let at = |line, column| map.offset(LineColumn { line, column });
                let (start, end) =
                    (at(place.line, place.column), at(place.end_line, place.end_column));
                said.labels.push((Span::new(start, end.max(start)), label));
            }
            false => elsewhere.push(format!(
                "{}:{}:{}: {label}",
                shown(&place.file),
                place.line,
                place.column
            )),
        }
    }
    if !said.labels.is_empty() {
        said.source_map = Some(map.clone());
    }
    said.notes.extend(elsewhere);
    let file = if said.labels.is_empty() {
        format!(" of {}", shown(&launched.file))
    } else {
        String::new()
    };
    said.notes.push(format!("in `{}`{file}, launched by {}", launched.kernel, shown(test)));
    said.notes.extend(words::notes(finding, launched, dispatched));
    said.notes.extend(words::same_cause_elsewhere(more));
    if !launched.guessed.is_empty() {
        said.notes.push(format!("guessed: {}", launched.guessed.join("; ")));
    }
    said.notes.push(format!("replay: {}", words::replay(finding, launched, test)));
    match (finding.test, words::help(finding)) {
        (Judgement::Passes, _) | (_, None) => said,
        (_, Some(help)) => said.help(help),
    }
}

/// Returns a table with a row per strategy, over all dispatches.
fn table(results: &Results) -> String {
    let mut rows: Vec<(String, Sum)> = Vec::new();
    let launches = results.tests.iter().flat_map(|test| &test.launches);
    for tried in launches.flat_map(|of| &of.dispatches).flat_map(|of| &of.strategies) {
        let place = rows.iter().position(|(name, _)| *name == tried.strategy);
        let place = place.unwrap_or_else(|| {
            rows.push((tried.strategy.clone(), Sum::default()));
            rows.len() - 1
        });
        rows[place].1.add(tried);
    }
    let mut builder = Builder::new();
    let has_absent = rows.iter().any(|(_, sum)| sum.absent > 0);
    let absent = |cell: String| has_absent.then_some(cell);
    let heads = ["strategy", "dispatches", "runs", "found in", "cut off"].map(str::to_owned);
    let heads = heads.into_iter().chain(absent("wait failed in".to_owned()));
    builder.push_record(heads.chain(["remarks".to_owned()]));
    for (name, sum) in &rows {
        let remarks = sum.remarks.iter().map(|(remark, count)| match count {
            1 => remark.clone(),
            count => format!("{remark} ({count} dispatches)"),
        });
        let remarks: Vec<String> = remarks.collect();
        let some = |n: u64| if n == 0 { NONE.to_owned() } else { n.to_string() };
        let counts =
            [some(sum.dispatches), some(sum.runs), sum.found.to_string(), some(sum.cut_off)];
        let cells = std::iter::once(name.clone()).chain(counts).chain(absent(some(sum.absent)));
        builder.push_record(cells.chain([remarks.join("; ")]));
    }
    let numbers = if has_absent { 6 } else { 5 };
    lines(&align_columns(builder, 1..numbers))
}

/// The totals of a strategy.
#[derive(Default)]
struct Sum {
    dispatches: u64,
    runs: u64,
    found: u64,
    cut_off: u64,
    absent: u64,
    remarks: BTreeMap<String, u64>,
}

impl Sum {
    fn add(&mut self, tried: &StrategyRuns) {
        self.runs += tried.runs;
        self.found += tried.found;
        self.cut_off += tried.cut_off;
        self.absent += tried.absent;
        match &tried.skipped {
            None => self.dispatches += 1,
            Some(why) => *self.remarks.entry(words::left_out(why)).or_default() += 1,
        }
        if let Some(bound) = &tried.bound {
            *self.remarks.entry(words::bound(bound, tried.all)).or_default() += 1;
        }
    }
}
