//! Mutants in their sources, as one page of HTML that needs nothing else.
//!
//! The page is Stryker's own, the web component `mutation-testing-elements` (`html/NOTICE.md`), over the report in its
//! form. Above it stands what it does not know: the strict score, what kills, and kernels whose tests expect races.

use super::{stryker, words};
use crate::mutate::results::{Mutant, Results, Summary};
use crate::report::escape::escaped;
use std::fmt::Write as _;

const COMPONENT: &str = include_str!("html/mutation-test-elements.js");
const STYLE: &str = include_str!("html/style.css");

/// Whose work the page carries.
const CREDITS: &str = "mutation-testing-elements 3.9.0 of stryker-mutator.io, Apache License 2.0; with Lit and its \
    observers, copyright Google LLC, BSD-3-Clause; RxJS, Apache License 2.0; and, MIT License, Prism, copyright Lea \
    Verou, prism-svelte, Tailwind CSS, copyright Tailwind Labs, Inc., Anser, copyright Ionica Bizau, and fuzziersort, \
    copyright Stephen Kamenar";

/// Nothing is fetched, whatever a text from outside makes of the page.
const POLICY: &str =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/// The page.
///
/// `source` has the text of a file as it was mutated; nothing, if that cannot be had or is another one by now.
pub fn report(results: &Results, source: &dyn Fn(&str) -> Option<String>) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>Mutants of GPU kernels</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>Mutants of GPU kernels</h1>\n"
    );
    if results.mutants.is_empty() {
        let _ = writeln!(page, "<p>{}.</p>\n</header>", escaped(&capital(words::EMPTY)));
    } else {
        header(&mut page, results);
        component(&mut page, results, source);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn header(page: &mut String, results: &Results) {
    let (racy, others): (Vec<&Mutant>, Vec<&Mutant>) =
        results.mutants.iter().partition(|mutant| mutant.expects_races);
    if results.stopped {
        let _ = writeln!(page, "<p class=\"warning\">{}.</p>", escaped(&capital(words::STOPPED)));
    }
    if !others.is_empty() {
        scores(page, &results.summary, &others);
    }
    if let Some(summary) = &results.expecting_races {
        let _ = writeln!(page, "<p>{}</p>", escaped(&capital(words::EXPECTING_RACES)));
        scores(page, summary, &racy);
    }
    let next = escaped(words::next(&results.mutants));
    let _ = writeln!(page, "<p>Next: {next}.</p>\n<p>{}</p>\n</header>", words::BELOW);
}

fn scores(page: &mut String, summary: &Summary, mutants: &[&Mutant]) {
    page.push_str("<dl>\n");
    for (name, said) in words::scores(summary, mutants) {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(&said));
    }
    page.push_str("</dl>\n");
}

fn component(page: &mut String, results: &Results, source: &dyn Fn(&str) -> Option<String>) {
    // Without this character no text from outside ends the element that it stands in.
    let report = stryker::value(results, source, None).to_string().replace('<', "\\u003c");
    let _ = write!(
        page,
        "<noscript><p>What follows needs scripts.</p></noscript>\n\
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
