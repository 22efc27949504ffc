//! A coverage report as a self-contained HTML page, in a light and a dark theme.

mod source;

use super::escape::escape;
use super::missing;
use super::text::parts;
use super::words::{self, shown};
use hirace_core::cover::Coverage;
use hirace_core::cover::coverage::{File, Part, Summary};
use std::fmt::Write as _;

/// Returns the page.
///
/// `text` returns the source text of a file by its name, or `None` if it is unavailable or has changed since the run.
pub fn report(coverage: &Coverage, text: &dyn Fn(&str) -> Option<String>) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Coverage of GPU kernels</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <h1>Coverage of GPU kernels</h1>\n",
        include_str!("html/style.css")
    );
    if coverage.files.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", sentence(words::EMPTY));
    } else {
        write_summary(&mut page, coverage);
    }
    if !coverage.unobserved.is_empty() {
        let _ = writeln!(page, "<div class=\"warning\">{}<ul>", sentence(words::UNOBSERVED));
        for line in words::unobserved_kernels(&coverage.unobserved) {
            let _ = writeln!(page, "<li>{}</li>", escape(&line));
        }
        page.push_str("</ul></div>\n");
    }
    for (index, file) in coverage.files.iter().enumerate() {
        write_section(&mut page, index, file, text(&file.file).as_deref(), coverage.hits);
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// Returns the HTML anchor of the file with this index.
fn anchor(index: usize) -> String {
    format!("f{}", index + 1)
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    escape(&format!("{first}{}.", chars.as_str()))
}

fn write_summary(page: &mut String, coverage: &Coverage) {
    page.push_str("<div class=\"scroll\"><table class=\"summary\">\n<thead><tr><td></td>");
    for column in words::COLUMNS {
        let _ = write!(page, "<th scope=\"col\">{column}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (index, file) in coverage.files.iter().enumerate() {
        let name = format!("<a href=\"#{}\">{}</a>", anchor(index), escape(&shown(&file.file)));
        write_row(page, "file", &name, &file.summary());
        for kernel in &file.kernels {
            write_row(page, "kernel", &escape(&shown(&kernel.name)), &file.summary_of(kernel));
        }
    }
    write_row(page, "total", "total", &coverage.summary);
    page.push_str("</tbody>\n</table></div>\n");
}

fn write_row(page: &mut String, class: &str, name: &str, summary: &Summary) {
    let cells: String = parts(summary).into_iter().map(cell).collect();
    let _ = writeln!(page, "<tr class=\"{class}\"><th scope=\"row\">{name}</th>{cells}</tr>");
}

fn cell(part: Part) -> String {
    let Some(percent) = words::percent(part) else {
        return format!("<td class=\"dim\">{}</td>", words::NONE);
    };
    let class = match percent {
        0 => "none",
        100 => "all",
        _ => "some",
    };
    let Part { covered, total } = part;
    format!(
        "<td class=\"{class}\">{covered}/{total}&ensp;{percent}&nbsp;%\
         <span class=\"bar\"><i style=\"width:{percent}%\"></i></span></td>"
    )
}

fn write_section(page: &mut String, index: usize, file: &File, text: Option<&str>, hits: bool) {
    let anchor = anchor(index);
    let name = escape(&shown(&file.file));
    let _ = writeln!(page, "<section id=\"{anchor}\">\n<h2>{name}</h2>");
    let kernels = file.kernels.iter().map(|kernel| {
        let times = words::count(kernel.dispatches, "dispatch", "dispatches");
        escape(&format!("{}: {times}", shown(&kernel.name)))
    });
    let kernels: Vec<String> = kernels.collect();
    if !kernels.is_empty() {
        let _ = writeln!(page, "<p class=\"dim\">{}</p>", kernels.join(", "));
    }
    write_missing(page, &anchor, file, text.is_some(), hits);
    match text {
        Some(text) => source::table(page, &anchor, file, text, hits),
        None => page.push_str("<p class=\"dim\">The source text is not available.</p>\n"),
    }
    page.push_str("</section>\n");
}

/// Writes the list of parts that are not covered, with links to their lines if the source is shown.
fn write_missing(page: &mut String, anchor: &str, file: &File, is_shown: bool, hits: bool) {
    let link = |line: u32, name: &str| match is_shown {
        true => format!("<a href=\"#{anchor}-{line}\">{}</a>", escape(name)),
        false => escape(name),
    };
    let mut items = Vec::new();
    let lines = missing::lines(file).into_iter().map(|lines| link(lines.0, &words::range(lines)));
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        items.push(format!("lines never executed: {}", lines.join(", ")));
    }
    for gap in missing::gaps(file) {
        let (line, column) = gap.at();
        let place = link(line, &format!("{line}:{column}"));
        items.push(format!("{place} {}", escape(&words::gap(gap, hits))));
    }
    let functions = missing::functions(file).map(|of| link(of.line, &shown(&of.name)));
    let functions: Vec<String> = functions.collect();
    if !functions.is_empty() {
        items.push(format!("functions never called: {}", functions.join(", ")));
    }
    if items.is_empty() {
        return;
    }
    page.push_str("<ul>\n");
    for item in items {
        let _ = writeln!(page, "<li>{item}</li>");
    }
    page.push_str("</ul>\n");
}
