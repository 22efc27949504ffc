//! The summary: overall figures and a row for each kernel.

use super::files::Files;
use super::{scrolling, sentence};
use crate::audit::report::words::{self, detected_part};
use crate::audit::results::{Audit, Kernel};
use crate::report::escape::escape;
use crate::report::text::parts;
use crate::report::words::{self as said, NONE, count, shown};
use hirace_core::cover::coverage::{Part, Summary as Covered};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The kinds of coverage shown.
pub(super) const KINDS: [&str; 4] = ["lines", "branches", "loops", "barriers"];

/// Returns the parts of a coverage summary in the order of `KINDS`.
pub(super) fn kinds(summary: &Covered) -> [Part; 4] {
    let [lines, _, branches, loops, barriers] = parts(summary);
    [lines, branches, loops, barriers]
}

/// Writes the summary section.
pub(super) fn section(page: &mut String, audit: &Audit, files: &Files<'_>) {
    page.push_str("<section id=\"summary\" aria-labelledby=\"summary-name\">\n<h2 id=\"summary-name\">Summary</h2>\n");
    figures(page, audit);
    let [found, orders] = words::verdicts(audit);
    let _ = writeln!(
        page,
        "<dl class=\"verdicts\">\n<dt>Findings</dt><dd>{}</dd>\n<dt>Schedules</dt><dd>{}</dd>\n</dl>",
        sentence(&found),
        sentence(&orders)
    );
    scrolling(page, "figures of each kernel", &table(audit, files));
    page.push_str("</section>\n");
}

fn figures(page: &mut String, audit: &Audit) {
    let tests: BTreeSet<&String> = audit.kernels.iter().flat_map(|of| &of.tests).collect();
    let part = detected_part(&audit.mutants.summary);
    let mistakes =
        words::percent(part).map_or_else(|| NONE.to_owned(), |percent| format!("{percent} %"));
    let name = |n: usize, one: &str, several: &str| {
        (n.to_string(), if n == 1 { one } else { several }.to_owned())
    };
    let figures = [
        name(audit.kernels.len(), "kernel", "kernels"),
        name(tests.len(), "test", "tests"),
        (mistakes, format!("mutants detected: {} of {}", part.covered, part.total)),
        name(audit.advice.len(), "thing to do", "things to do"),
    ];
    page.push_str("<ul class=\"figures\">\n");
    for (figure, name) in figures {
        let _ = writeln!(page, "<li><b>{figure}</b> {name}</li>");
    }
    page.push_str("</ul>\n");
}

fn table(audit: &Audit, files: &Files<'_>) -> String {
    let mut html =
        String::from("<table class=\"summary\">\n<thead><tr><th scope=\"col\">kernel</th>");
    for column in ["tests"].into_iter().chain(KINDS).chain(["mutants detected"]) {
        let _ = write!(html, "<th scope=\"col\">{column}</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    let mut file = "";
    for kernel in &audit.kernels {
        if kernel.file != file {
            file = &kernel.file;
            let link = files.link(file, 0, file);
            let _ = writeln!(
                html,
                "<tr class=\"file\"><th scope=\"rowgroup\" colspan=\"7\">{link}</th></tr>"
            );
        }
        row(&mut html, kernel, files);
    }
    let cells: String = kinds(&audit.coverage.summary)
        .into_iter()
        .map(|part| cell(part, said::percent(part)))
        .collect();
    let mistakes = of_mistakes(detected_part(&audit.mutants.summary));
    let kernels = count(audit.kernels.len() as u64, "kernel", "kernels");
    let _ = writeln!(
        html,
        "</tbody>\n<tfoot><tr class=\"total\"><th scope=\"row\">{kernels}</th><td></td>{cells}{mistakes}</tr></tfoot>\n</table>"
    );
    html
}

fn row(html: &mut String, kernel: &Kernel, files: &Files<'_>) {
    let cells: String =
        kinds(&kernel.coverage).into_iter().map(|part| cell(part, said::percent(part))).collect();
    let link = files.link_to_kernel(&kernel.file, &kernel.name);
    let tests: Vec<String> = kernel.tests.iter().map(|name| escape(&shown(name))).collect();
    let _ = writeln!(
        html,
        "<tr class=\"kernel\"><th scope=\"row\">{link}</th><td title=\"{}\">{}</td>{cells}{}</tr>",
        tests.join(", "),
        tests.len(),
        of_mistakes(detected_part(&kernel.mutants))
    );
}

fn of_mistakes(part: Part) -> String {
    cell(part, words::percent(part))
}

fn cell(part: Part, percent: Option<u64>) -> String {
    let Some(percent) = percent else {
        return format!("<td class=\"dim\">{NONE}</td>");
    };
    let class = match percent {
        0 => "none",
        100 => "all",
        _ => "some",
    };
    let Part { covered, total } = part;
    format!(
        "<td class=\"{class}\"><span class=\"of\">{covered}/{total}</span> {percent}&nbsp;%</td>"
    )
}
