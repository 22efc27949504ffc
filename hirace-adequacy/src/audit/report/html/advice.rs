//! The advice in order, with the proposed tests in all forms.

use super::files::Files;
use super::notes::anchor;
use super::{PageContext, capital, rich, sentence};
use crate::audit::proposal::Proposal;
use crate::audit::report::text::TestLanguage;
use crate::audit::report::words;
use crate::audit::results::{Advice, AdviceKind, Audit, Gain};
use crate::report::escape::escape;
use crate::report::words::shown;
use std::fmt::Write as _;

/// Writes the section with all advice.
pub(super) fn section(
    page: &mut String,
    audit: &Audit,
    files: &Files<'_>,
    context: &PageContext<'_>,
) {
    page.push_str("<section id=\"next\" aria-labelledby=\"next-name\">\n<h2 id=\"next-name\">What to do next</h2>\n");
    if audit.advice.is_empty() {
        let _ = writeln!(page, "<p>{}</p>\n</section>", sentence(words::NOTHING));
        return;
    }
    page.push_str("<ol class=\"next\">\n");
    for (nth, advice) in (1..).zip(&audit.advice) {
        let _ = writeln!(page, "<li id=\"{}\">", anchor(nth));
        one(page, nth, advice, files, context);
        page.push_str("</li>\n");
    }
    page.push_str("</ol>\n</section>\n");
}

fn one(
    page: &mut String,
    nth: usize,
    advice: &Advice,
    files: &Files<'_>,
    context: &PageContext<'_>,
) {
    let Advice { file, line, .. } = advice;
    let place = match line {
        0 => file.clone(),
        line => format!("{file}:{line}"),
    };
    let _ = writeln!(page, "<h3>{}</h3>", capital(&words::title(advice)));
    let _ = writeln!(page, "<p class=\"place\">{}</p>", files.link(file, *line, &place));
    match &advice.action {
        AdviceKind::AddTest { test, gains } => {
            self::gains(page, file, gains, files);
            for name in &test.unsteady {
                let said =
                    format!("`{}` depends on the schedule, so it is not compared", shown(name));
                let _ = writeln!(page, "<p>{}</p>", sentence(&said));
            }
            proposed(page, nth, test, context.tests);
        }
        AdviceKind::Fix { .. } | AdviceKind::Order { .. } => {
            for (number, command) in words::details(advice).into_iter().enumerate() {
                code(page, &format!("c{nth}-{number}"), "the command", &command);
            }
        }
        AdviceKind::Barrier { .. } | AdviceKind::Look { .. } | AdviceKind::Reach { .. } => {
            page.push_str("<ul>\n");
            for line in words::details(advice) {
                let _ = writeln!(page, "<li>{}</li>", rich(&line));
            }
            page.push_str("</ul>\n");
        }
    }
    if let (AdviceKind::Fix { found }, Some(pictures)) = (&advice.action, context.pictures) {
        page.push_str(pictures.of.get(found).map(String::as_str).unwrap_or_default());
    }
}

/// The number of gains of a test that are shown expanded.
const MAX_EXPANDED_GAINS: usize = 8;

/// Writes what a test reaches and detects, each with a link to its line.
fn gains(page: &mut String, file: &str, gains: &[Gain], files: &Files<'_>) {
    let item = |gain: &Gain| {
        let (line, said) = match gain {
            Gain::Reaches { point, condition } => {
                (point.line, words::point(point, condition.as_deref()))
            }
            Gain::Notices { line, change } => {
                (*line, format!("detects: {}", words::change(change)))
            }
        };
        let link = files.link(file, line, &format!("line {line}"));
        format!("<li>{link}: {}</li>\n", rich(&said))
    };
    let list = |gains: &[Gain]| gains.iter().map(item).collect::<String>();
    let (open, folded) = gains.split_at(gains.len().min(MAX_EXPANDED_GAINS));
    let _ = writeln!(page, "<ul>\n{}</ul>", list(open));
    if !folded.is_empty() {
        let _ = writeln!(
            page,
            "<details><summary>And {} more</summary>\n<ul>\n{}</ul></details>",
            folded.len(),
            list(folded)
        );
    }
}

/// Writes a proposed test in all its forms; the preferred form is expanded.
fn proposed(page: &mut String, nth: usize, test: &Proposal, tests: TestLanguage) {
    let forms = [
        (
            tests == TestLanguage::Toml,
            "toml",
            "the test for hirace.toml",
            test.toml.clone().unwrap_or_default(),
        ),
        (
            tests == TestLanguage::Rust,
            "rust",
            "the test in Rust, next to the kernel",
            test.rust.clone(),
        ),
        (false, "command", "its launch as a command", test.command_line()),
    ];
    for (is_open, form, name, text) in forms.into_iter().filter(|(.., text)| !text.is_empty()) {
        let open = if is_open { " open" } else { "" };
        let _ = writeln!(page, "<details{open}><summary>{}</summary>", capital(name));
        code(page, &format!("t{nth}-{form}"), name, &text);
        page.push_str("</details>\n");
    }
}

/// Writes a text to copy, with a button that is shown only if scripts run.
fn code(page: &mut String, id: &str, name: &str, text: &str) {
    // The text is escaped so that a copy has its exact lines and tabs.
    let lines: Vec<String> = text.trim_end().lines().map(|line| escape(&shown(line))).collect();
    let _ = writeln!(
        page,
        "<div class=\"code\"><button type=\"button\" class=\"copy\" data-of=\"{id}\" aria-label=\"copy {name}\" hidden>copy</button>\
         <pre id=\"{id}\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\"><code>{}</code></pre></div>",
        lines.join("\n")
    );
}
