//! The analysis as one self-contained page, in the light or dark mode of its reader. It has no scripts.

mod bars;
mod heat;
mod lines;
mod tables;

use super::document::{Analysis, SideAnalysis};
use super::words;
use crate::results::table::Side;
use hirace_core::report::escape::escape;
use hirace_core::report::html::STYLE;
use std::fmt::Write as _;

/// The content security policy: nothing is fetched, whatever text from outside the page contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The width of drawings: that of a small phone, so that text has the same size everywhere.
const WIDTH: usize = 320;

/// Returns the page.
pub fn report(analysis: &Analysis) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>How well environments test memory models</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        include_str!("html/style.css")
    );
    let scored: Vec<&SideAnalysis> = analysis
        .sides
        .iter()
        .filter(|side| side.mutants.total > 0 && side.side != Side::Correlation)
        .collect();
    links(&mut page, analysis);
    page.push_str("<main>\n<h1>How well environments test memory models</h1>\n");
    if analysis.sides.is_empty() {
        page.push_str("<p>No results.</p>\n");
    }
    if !scored.is_empty() {
        page.push_str("<h2 id=\"scores\">Scores</h2>\n<div class=\"plots\">\n");
        bars::scores(&mut page, &scored);
        bars::by_mutator(&mut page, &scored);
        bars::death_rates(&mut page, &scored);
        lines::reproducible(&mut page, &scored);
        page.push_str("</div>\n");
        let _ = writeln!(
            page,
            "<p class=\"dim\">A mutant is killed if its condition is met in some environment. Lines across bars are \
             intervals at {} % confidence (Wilson). Death rates are the mean over mutants of the highest rate of each.</p>",
            (analysis.confidence * 1e6).round() / 1e4
        );
    }
    for side in &analysis.sides {
        of_side(&mut page, side, analysis.budget);
    }
    tables::untimed(&mut page, analysis);
    tables::miscounted_table(&mut page, analysis);
    let _ = write!(
        page,
        "</main>\n<footer class=\"dim\">hirace {}</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    page
}

fn anchor(side: &SideAnalysis) -> &'static str {
    side.side.folder().unwrap_or("results")
}

/// Writes links to the sections, for users of a keyboard or a phone.
fn links(page: &mut String, analysis: &Analysis) {
    page.push_str("<nav aria-label=\"On this page\"><ul>\n");
    for side in &analysis.sides {
        let _ = writeln!(
            page,
            "<li><a href=\"#{}\">{}</a></li>",
            anchor(side),
            capital(words::side(side.side))
        );
    }
    page.push_str("</ul></nav>\n");
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    escape(&format!("{first}{}", chars.as_str()))
}

fn of_side(page: &mut String, side: &SideAnalysis, budget: f64) {
    let _ = writeln!(page, "<h2 id=\"{}\">{}</h2>", anchor(side), capital(words::side(side.side)));
    tables::devices(page, side, budget);
    page.push_str("<div class=\"plots\">\n");
    if side.side != Side::Correlation {
        bars::devices(page, side);
    }
    if let Some(alike) = &side.similarity {
        heat::map(page, side, alike);
        lines::elbow(page, side, alike);
    }
    page.push_str("</div>\n");
    tables::correlations(page, side);
}

/// Writes a plot with its name, and the same information as text for screen readers.
fn figure(page: &mut String, id: &str, name: &str, said: &str, height: usize, drawing: &str) {
    let (name, said) = (escape(name), escape(said));
    let _ = writeln!(
        page,
        "<figure><figcaption>{name}</figcaption>\n\
         <svg role=\"img\" aria-labelledby=\"{id}-name {id}-said\" viewBox=\"0 0 {WIDTH} {height}\">\n\
         <title id=\"{id}-name\">{name}</title>\n<desc id=\"{id}-said\">{said}</desc>\n{drawing}</svg>"
    );
}

/// Returns the part of a name that fits.
fn short(name: &str, letters: usize) -> String {
    let name = words::shown(name);
    match name.chars().count() > letters {
        true => name.chars().take(letters.saturating_sub(1)).chain(['…']).collect(),
        false => name,
    }
}
