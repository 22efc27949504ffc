//! Writes HTML tables. Each is in a box that scrolls if the table is wider than the screen.

use crate::analysis::document::{Analysis, SideAnalysis};
use crate::analysis::text::MUTATORS;
use crate::analysis::words::{self, NONE, shown};
use hirace_core::report::escape::escape;
use std::fmt::Write as _;

/// The maximum number of miscounted runs that are listed.
const MAX_LISTED: usize = 20;

fn table(page: &mut String, name: &str, head: &[String], rows: &[Vec<String>]) {
    let _ = writeln!(
        page,
        "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>",
        escape(name),
        head.iter()
            .map(|cell| format!("<th scope=\"col\">{}</th>", escape(cell)))
            .collect::<String>()
    );
    for row in rows {
        page.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            page.push_str(&match at {
                0 => format!("<th scope=\"row\">{cell}</th>"),
                _ => format!("<td>{cell}</td>"),
            });
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

/// Writes the table of devices and the mutants that they killed.
pub(super) fn devices(page: &mut String, side: &SideAnalysis, budget: f64) {
    let about = ["device", "vendor", "operating system", "browser"];
    let scores = ["time", "killed", "score", "deaths/s"];
    let head = about.into_iter().chain(scores).map(str::to_owned);
    let mutators = MUTATORS.map(|mutator| words::mutator(mutator).to_owned());
    let last =
        [format!("all killed again within {} each", words::budget(budget)), "failed".to_owned()];
    let head: Vec<String> = head.chain(mutators).chain(last).collect();
    let rows: Vec<Vec<String>> = side
        .devices
        .iter()
        .map(|device| {
            let of = &device.mutants;
            let mut row = vec![
                shown(&device.device),
                device.vendor.as_deref().map_or_else(|| NONE.to_owned(), shown),
                words::software(device.operating_system.as_ref()),
                words::software(device.browser.as_ref()),
                words::time(device.seconds),
                format!("{}/{}", of.killed, of.total),
                of.score.map_or_else(|| NONE.to_owned(), words::between),
                words::optional_text(of.death_rate, words::rate),
            ];
            row.extend(MUTATORS.map(|mutator| {
                let of = of.mutators.iter().find(|of| of.mutator == mutator);
                of.map_or_else(|| NONE.to_owned(), |of| format!("{}/{}", of.killed, of.total))
            }));
            row.push(words::optional_text(device.total_reproducibility, words::percent));
            let failed: Vec<String> = device.failed.iter().map(|name| shown(name)).collect();
            row.push(match failed.is_empty() {
                true => NONE.to_owned(),
                false => format!("{} ({})", failed.join(", "), shown(&device.specification)),
            });
            row
        })
        .collect();
    table(page, "Devices", &head, &rows);
}

/// Writes the correlations of bugs with mutants.
pub(super) fn correlations(page: &mut String, side: &SideAnalysis) {
    let rows: Vec<Vec<String>> = side
        .devices
        .iter()
        .flat_map(|device| {
            device.correlations.iter().map(|pair| {
                vec![
                    shown(&device.device),
                    shown(&pair.test),
                    shown(&pair.mutant),
                    words::coefficient(pair.counts),
                    words::chance(pair.counts),
                    words::coefficient(pair.rates),
                    words::chance(pair.rates),
                ]
            })
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.push_str("<p>Correlation between killing a mutant and finding the bug, over environments (Pearson):</p>\n");
    let head = ["device", "bug", "mutant", "r of counts", "p", "r of rates", "p"];
    table(page, "Correlations", &head.map(str::to_owned), &rows);
}

/// Writes the files without times.
pub(super) fn untimed(page: &mut String, analysis: &Analysis) {
    if !analysis.untimed.is_empty() {
        let files = analysis.untimed.iter().map(|file| escape(&shown(file)).to_string());
        let files = files.collect::<Vec<_>>().join(", ");
        let _ = writeln!(page, "<p>These files have no times, so rates are unknown: {files}</p>");
    }
}

/// Writes the runs in which not every instance was counted.
pub(super) fn miscounted_table(page: &mut String, analysis: &Analysis) {
    if analysis.miscounted.is_empty() {
        return;
    }
    let total = analysis.miscounted.len();
    let _ = writeln!(
        page,
        "<h2>Miscounted runs</h2>\n<p>Runs in which not every instance was counted: {total}</p>"
    );
    let head = ["file", "environment", "test", "counted", "instances"].map(str::to_owned);
    let runs = analysis.miscounted.iter().take(MAX_LISTED);
    let rows: Vec<Vec<String>> = runs
        .map(|run| {
            let (counted, ran) = (run.counted.to_string(), run.ran.to_string());
            let environment = run.environment.to_string();
            vec![shown(&run.file), environment, shown(&run.test), counted, ran]
        })
        .collect();
    table(page, "Miscounted runs", &head, &rows);
}
