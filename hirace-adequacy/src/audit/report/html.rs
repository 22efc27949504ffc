//! An audit as a self-contained HTML page: advice, and the sources with notes on their lines. Has a light and a dark
//! theme, and is complete without scripts.

mod advice;
mod bars;
mod files;
mod notes;
mod source;
mod summary;

use super::text::TestLanguage;
use super::words;
use crate::audit::results::Audit;
use crate::report::escape::escape;
use crate::report::words as said;
use files::Files;
use hirace_core::report::finding_summary::FindingSummary;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The content security policy: nothing is fetched, whatever external text the page contains.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

/// The inputs of a page in addition to the audit.
pub struct PageContext<'a> {
    /// The form of a proposed test that is expanded.
    pub tests: TestLanguage,
    /// Returns the text of a file as it was audited, or `None` if it is unavailable or has changed since.
    pub source: &'a dyn Fn(&str) -> Option<String>,
    /// Diagrams of findings, if any.
    pub pictures: Option<&'a Diagrams>,
}

/// Diagrams of findings as HTML, inserted into the page verbatim.
#[derive(Default)]
pub struct Diagrams {
    /// The CSS of the diagrams.
    pub style: String,
    /// The diagram of each finding that has one, as an HTML element.
    pub of: BTreeMap<FindingSummary, String>,
}

/// Returns the page.
pub fn report(audit: &Audit, context: &PageContext<'_>) -> String {
    let pictures = context.pictures.filter(|pictures| !pictures.of.is_empty());
    let pictures = pictures.map(|pictures| &pictures.style[..]).unwrap_or_default();
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>Audit of GPU kernel tests</title>\n<style>\n{}{pictures}</style>\n</head>\n<body>\n",
        include_str!("html/style.css")
    );
    let files = Files::new(audit, context.source);
    if !audit.kernels.is_empty() {
        links(&mut page, &files);
    }
    page.push_str("<main>\n<h1>Audit of GPU kernel tests</h1>\n");
    warnings(&mut page, audit);
    if audit.kernels.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", sentence(words::EMPTY));
    } else {
        summary::section(&mut page, audit, &files);
        bars::section(&mut page, audit);
    }
    if !audit.kernels.is_empty() || !audit.advice.is_empty() {
        advice::section(&mut page, audit, &files, context);
    }
    files.all().for_each(|file| source::section(&mut page, file));
    let _ = write!(
        page,
        "</main>\n<footer class=\"dim\">hirace {}</footer>\n\
         <p id=\"said\" role=\"status\" class=\"unseen\"></p>\n<script>\n{}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        include_str!("html/page.js")
    );
    page
}

/// Writes a list of links to the sections, for keyboards and phones.
fn links(page: &mut String, files: &Files<'_>) {
    page.push_str(
        "<nav aria-label=\"On this page\"><ul>\n<li><a href=\"#summary\">Summary</a></li>\n\
         <li><a href=\"#next\">What to do next</a></li>\n",
    );
    for file in files.all() {
        let name = file.name.rsplit('/').next().unwrap_or(file.name);
        let name = escape(&said::shown(name));
        let _ = writeln!(page, "<li><a href=\"#{}\">{name}</a></li>", file.anchor());
    }
    page.push_str("</ul></nav>\n");
}

/// Writes warnings about incomplete results.
fn warnings(page: &mut String, audit: &Audit) {
    if audit.stopped || audit.mutants.stopped || audit.schedules.stopped {
        let _ = writeln!(page, "<p class=\"warning\">{}</p>", sentence(words::STOPPED));
    }
    if audit.coverage.unobserved.is_empty() {
        return;
    }
    let _ = writeln!(page, "<div class=\"warning\">{}<ul>", sentence(said::UNOBSERVED));
    for line in said::unobserved_kernels(&audit.coverage.unobserved) {
        let _ = writeln!(page, "<li>{}</li>", escape(&line));
    }
    page.push_str("</ul></div>\n");
}

/// Returns the text with a capital letter and a full stop.
fn sentence(words: &str) -> String {
    format!("{}.", capital(words))
}

/// Returns the text with a capital letter, and backquoted parts as code.
fn capital(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    rich(&format!("{first}{}", chars.as_str()))
}

/// Escapes a text and turns backquoted parts into code elements.
fn rich(words: &str) -> String {
    let words = escape(words);
    let mut parts: Vec<&str> = words.split('`').collect();
    // An unpaired backquote belongs to a name.
    let odd = if parts.len().is_multiple_of(2) { parts.pop() } else { None };
    let mut html = String::new();
    for (index, part) in parts.into_iter().enumerate() {
        let _ = match index % 2 {
            0 => write!(html, "{part}"),
            _ => write!(html, "<code>{part}</code>"),
        };
    }
    html + &odd.map(|odd| format!("`{odd}")).unwrap_or_default()
}

/// Writes a box that scrolls wide content, also by keyboard.
fn scrolling(page: &mut String, name: &str, inside: &str) {
    let _ = writeln!(
        page,
        "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{inside}</div>",
        escape(&said::shown(name))
    );
}
