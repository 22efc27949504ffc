//! Mutants in their sources, as a self-contained HTML page.
//!
//! The page is Stryker's web component `mutation-testing-elements` (`html/NOTICE.md`), with the report in its format. A
//! header shows what the component does not support: the strict score, the causes of kills, and kernels whose tests
//! expect races.

use super::{stryker, words};
use crate::mutate::results::Results;
use crate::report::escape::escape;
use std::fmt::Write as _;

const COMPONENT: &str = include_str!("html/mutation-test-elements.js");
const STYLE: &str = include_str!("html/style.css");

/// The credits of the embedded code.
const CREDITS: &str = "mutation-testing-elements 3.9.0 of stryker-mutator.io, Apache License 2.0; with Lit and its \
    observers, copyright Google LLC, BSD-3-Clause; RxJS, Apache License 2.0; and, MIT License, Prism, copyright Lea \
    Verou, prism-svelte, Tailwind CSS, copyright Tailwind Labs, Inc., Anser, copyright Ionica Bizau, and fuzziersort, \
    copyright Stephen Kamenar";

/// The content security policy: nothing is fetched, whatever external text the page contains.
const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/// Returns the page.
///
/// `source` returns the text of a file as it was mutated, or `None` if it is unavailable or has changed since.
pub fn report(results: &Results, source: &dyn Fn(&str) -> Option<String>) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>Mutants of GPU kernels</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Mutants of GPU kernels</h1>\n"
    );
    if results.mutants.is_empty() {
        let _ = writeln!(page, "<p>{}.</p>\n</header>", escape(&capital(words::EMPTY)));
    } else {
        header(&mut page, results);
        component(&mut page, results, source);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn header(page: &mut String, results: &Results) {
    if results.stopped {
        let _ = writeln!(page, "<p class=\"warning\">{}.</p>", escape(&capital(words::STOPPED)));
    }
    scores(page, results);
    if !results.known_findings.is_empty() {
        let _ = writeln!(page, "<p>{}:</p>\n<ul>", escape(&capital(words::KNOWN)));
        for known in &results.known_findings {
            let _ = writeln!(page, "<li>{}</li>", escape(&words::known(known)));
        }
        page.push_str("</ul>\n");
    }
    let next = escape(words::next_step(&results.mutants));
    let _ = writeln!(page, "<p>Next: {next}.</p>\n<p>{}</p>\n</header>", words::BELOW);
}

fn scores(page: &mut String, results: &Results) {
    page.push_str("<dl>\n");
    for (name, said) in words::scores(results) {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(&said));
    }
    page.push_str("</dl>\n");
}

fn component(page: &mut String, results: &Results, source: &dyn Fn(&str) -> Option<String>) {
    // Without `<`, no external text can end the enclosing element.
    let report = stryker::value(results, source, None).to_string().replace('<', "\\u003c");
    let _ = write!(
        page,
        "<noscript><p>The report below requires JavaScript.</p></noscript>\n\
         <mutation-test-report-app title-postfix=\"hirace\"></mutation-test-report-app>\n\
         <script type=\"application/json\" id=\"report\">{report}</script>\n\
         <!-- {CREDITS} -->\n\
         <script>\n{COMPONENT}</script>\n\
         <script>\n{}</script>\n",
        include_str!("html/page.js")
    );
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}
