//! The report as a self-contained HTML page, in light or dark mode depending on the reader's setting.
//!
//! For each finding, the page shows the source with both sites marked, the launch with its assumptions, and for a race
//! a [diagram](picture) of the racy words. Other pages use the same function to draw the diagram.

pub mod picture;
mod source;

use super::document::{Error, Finding, LaunchReport, Place, Report, SuppressedFinding};
use super::escape::escape;
use super::text;
use crate::facts::{Certainty, Severity, SuppressedBy, Verdict};
use std::fmt::Write as _;

/// The content security policy: the page loads nothing, even if an untrusted text adds elements to it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The styles that all pages share: light and dark colors, tables of facts, warnings.
pub const STYLE: &str = include_str!("html/style.css");

/// Returns the HTML page.
pub fn report(report: &Report) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>Races in GPU kernels</title>\n<style>\n{}{}</style>\n</head>\n<body>\n\
         <h1>Races in GPU kernels</h1>\n",
        STYLE,
        picture::STYLE
    );
    let _ = writeln!(page, "<p>{}</p>", escape(text::total(report).trim_end()));
    if report.stopped {
        page.push_str("<p class=\"warning\">The check was stopped before it finished.</p>\n");
    }
    report.errors.iter().for_each(|error| self::error(&mut page, error));
    for skipped in report.not_checked.iter().filter(|input| input.stopped) {
        let input = skipped.input.as_deref().unwrap_or_default();
        let text = escape(&format!("{input}: {}", skipped.reason));
        let _ = writeln!(page, "<p class=\"warning\">not checked: {text}</p>");
    }
    report.launches.iter().for_each(|of| launch(&mut page, of));
    let _ = writeln!(
        page,
        "<footer class=\"dim\">{} {}</footer>\n</body>\n</html>",
        escape(&report.tool.name),
        escape(&report.tool.version)
    );
    page
}

fn error(page: &mut String, error: &Error) {
    let places = error.places.iter();
    let at: Vec<String> =
        places.map(|place| format!("{}:{}:{}", place.file, place.line, place.column)).collect();
    let at = if at.is_empty() { error.input.clone().unwrap_or_default() } else { at.join(", ") };
    let _ = writeln!(
        page,
        "<div class=\"warning\"><p><b>error</b> {}</p><p>{}</p></div>",
        escape(&at),
        escape(&error.lines().join("\n"))
    );
}

fn launch(page: &mut String, launch: &LaunchReport) {
    let class = match launch.verdict {
        Verdict::Findings => "never",
        Verdict::Inconclusive => "some",
        _ => "all",
    };
    let _ = writeln!(
        page,
        "<section>\n<h2><span class=\"badge {class}\">{}</span> {}</h2>",
        launch.verdict.name(),
        escape(&text::title(launch))
    );
    page.push_str("<dl>\n");
    let mut row = |name: &str, said: &str| {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{said}</dd>");
    };
    if let Some(host) = &launch.host {
        row("host", &escape(&host.message));
    }
    for (name, said) in launch.contract.iter().flat_map(text::contract_lines) {
        row(name, &escape(&said));
    }
    row("found", &escape(&text::finding_counts(launch)));
    row("checked", &escape(&text::checked_counts(launch)));
    row("sites", &escape(&text::sites(launch)));
    row(
        "launch",
        if launch.guessed { "guessed; the assumptions are listed below" } else { "given" },
    );
    for inferred in &launch.inferred {
        row("inferred", &format!("{INFERRED_BADGE} {}", escape(inferred)));
    }
    for shadow in &launch.device.shadow {
        row("shadow", &escape(shadow));
    }
    for unwatched in &launch.unwatched {
        row("not watched", &escape(&format!("{} {}", unwatched.variable, unwatched.reason)));
    }
    for warning in &launch.warnings {
        row("warning", &escape(warning));
    }
    for note in &launch.notes {
        row("note", &escape(&note.message));
    }
    for beyond in &launch.beyond_webgpu {
        row("limit", &escape(&beyond.message));
    }
    for reason in &launch.inconclusive {
        row("inconclusive", &escape(reason));
    }
    page.push_str("</dl>\n");
    launch.findings.iter().for_each(|of| finding(page, of, launch, None));
    launch.allowed.iter().for_each(|of| finding(page, &of.finding, launch, Some(of)));
    page.push_str("</section>\n");
}

/// The badge before a value that was guessed.
const INFERRED_BADGE: &str = "<span class=\"badge some\">guessed</span>";

fn finding(
    page: &mut String,
    of: &Finding,
    launch: &LaunchReport,
    suppressed: Option<&SuppressedFinding>,
) {
    let (class, certainty) = match (of.severity, of.certainty) {
        (Severity::Warning, _) => ("some", "warning"),
        (Severity::Error, Certainty::Certain) => ("never", "certain"),
        (Severity::Error, Certainty::Possible) => ("some", "possible"),
    };
    let _ = writeln!(
        page,
        "<article>\n<h3><span class=\"badge {class}\">{} {certainty}</span> {}</h3>",
        escape(&of.rule),
        escape(&of.message)
    );
    if let Some(SuppressedFinding { by, reason, .. }) = suppressed {
        let by = match by {
            SuppressedBy::Comment => "suppressed by a comment",
            SuppressedBy::Baseline => "suppressed by the baseline",
        };
        let reason = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", escape(&format!("{by}{reason}")));
    }
    page.push_str("<ol class=\"places\">\n");
    of.accesses.iter().for_each(|at| place(page, at));
    page.push_str("</ol>\n");
    source::excerpt(page, of, &launch.source_map);
    facts(page, of);
    if let Some(picture) = &of.picture {
        page.push_str(&picture::fragment(picture));
    }
    page.push_str("</article>\n");
}

fn place(page: &mut String, at: &Place) {
    let Place { file, line, column, label, .. } = at;
    let said = escape(&format!("{label} at {file}:{line}:{column}"));
    let _ = writeln!(page, "<li>{said}</li>");
}

/// Writes the facts of a finding, apart from its source.
fn facts(page: &mut String, of: &Finding) {
    page.push_str("<dl>\n");
    let mut row = |name: &str, said: &str| {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{said}</dd>");
    };
    if let Some(memory) = &of.memory {
        row("memory", &escape(&format!("{}, {}", memory.element, memory.space)));
    }
    row("why", &escape(&of.reason));
    for consequence in of.consequences() {
        row("leads to", &escape(consequence));
    }
    for caused in &of.causes {
        row("causes", &escape(&caused.message));
    }
    if of.caused_by.is_some() {
        row("cause", "another finding of this launch, whose row `causes` shows this one");
    }
    for note in of.notes.iter().filter(|note| !of.guesses.contains(note)) {
        row("note", &escape(note));
    }
    for guess in &of.guesses {
        row("depends on", &format!("{INFERRED_BADGE} {}", escape(guess)));
    }
    if let Some(help) = &of.help {
        row("help", &escape(help));
    }
    if let Some(replay) = &of.replay {
        row("replay", &format!("<code>{}</code>", escape(replay)));
    }
    page.push_str("</dl>\n");
}

#[cfg(test)]
pub(super) mod tests;
