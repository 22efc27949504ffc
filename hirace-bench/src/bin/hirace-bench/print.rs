//! The tables as text, and the rows as CSV.

use hirace_bench::detect::table::{Row, count_unanswered, differences, unreached_lines};
use hirace_bench::detect::{CaseResult, Input};
use hirace_bench::peers::Peer;
use std::fmt::Write;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object};
use tabled::settings::{Alignment, Modify, Style};

const COLUMNS: [&str; 8] = [
    "input",
    "kernels",
    "planted",
    "with race",
    "found",
    "missed",
    "false positives",
    "wrong site",
];

fn table(rows: &[Row]) -> Table {
    let mut table = Builder::new();
    table.push_record(COLUMNS);
    for row in rows {
        let Row { launches, planted, with_race, found, missed, false_alarms, wrong_site, .. } = row;
        let numbers = [launches, planted, with_race, found, missed, false_alarms, wrong_site];
        let numbers = numbers.into_iter().map(usize::to_string);
        table.push_record(std::iter::once(row.input.clone()).chain(numbers));
    }
    let mut table = table.build();
    let numbers = Columns::first().inverse();
    table.with(Style::markdown()).with(Modify::new(numbers).with(Alignment::right()));
    table
}

/// Returns the tables with explanations.
pub fn text(
    tables: &[Vec<Row>],
    peers: &[Peer],
    inputs: &[Input],
    judged: &[CaseResult],
    schedules: u32,
) -> String {
    let mut text = String::new();
    for rows in tables {
        let name = rows.first().map_or("", |row| &row.executor);
        let _ = writeln!(text, "{name}:\n\n{}\n", table(rows));
    }
    let by_schedule = judged.iter().filter(|judged| judged.by_schedule).count();
    let orders = match schedules {
        0 => "in the default order".to_owned(),
        _ => format!("in the default order and in {schedules} seeded schedules"),
    };
    if schedules > 0 {
        let _ = writeln!(text, "Launches with a race only in a seeded schedule: {by_schedule}\n");
    }
    let unreached = unreached_lines(inputs, judged);
    if !unreached.is_empty() {
        let _ = writeln!(text, "Planted races that do not occur {orders}, and why:\n");
    }
    for ((input, reason), count) in unreached {
        let _ = writeln!(text, "- {input}, {count} kernels: {reason}");
    }
    for (at, peer) in peers.iter().enumerate() {
        let differences = differences(judged, at);
        if !differences.is_empty() {
            let _ = writeln!(text, "\nDifferences of {}:\n", peer.name());
        }
        for ((says, what), count) in differences {
            let _ = writeln!(text, "- {says}, {count} launches: {what}");
        }
        let unanswered = count_unanswered(judged, at);
        if !unanswered.is_empty() {
            let _ = writeln!(text, "\nLaunches without a result of {}:\n", peer.name());
        }
        for (reason, count) in unanswered {
            let _ = writeln!(text, "- {count} launches: {reason}");
        }
    }
    for judged in judged {
        let CaseResult { variant, missed, false_alarms, wrong_sites, warnings, .. } = judged;
        let input = &inputs[judged.input].name;
        if missed + false_alarms > 0 {
            let wrong = format!("{missed} words missed, {false_alarms} false");
            let _ = writeln!(text, "\n{variant} on {input}: {wrong}");
        }
        for wrong in wrong_sites.iter().chain(warnings) {
            let _ = writeln!(text, "\n{variant} on {input}: {wrong}");
        }
    }
    text
}

/// Returns the rows as CSV.
pub fn csv(rows: &[Row]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail.
        let _ = writer.serialize(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
