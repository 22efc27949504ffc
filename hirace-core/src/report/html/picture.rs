//! The diagram of the racy words of a race, as an SVG grid and as a table.

use crate::facts::{Picture, Touch};
use crate::report::escape::escape;
use crate::report::words::picture as words;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The styles of pages that contain diagrams. They use the color variables of the page, if it defines them.
pub const STYLE: &str = include_str!("picture.css");

/// The maximum number of characters of a name next to a row.
const MAX_CHARACTERS: usize = 26;

/// The maximum number of touches in the title of a cell.
const MAX_TITLES: usize = 12;

/// Sizes, in CSS pixels.
const CHARACTER: usize = 8;
const CELL: usize = 72;
const LINE: usize = 16;
const HEAD: usize = 26;

/// Returns the diagram as an HTML element; the page needs [`STYLE`].
pub fn fragment(picture: &Picture) -> String {
    let mut html = String::from("<figure class=\"race\">\n");
    let _ = writeln!(html, "<figcaption>{}</figcaption>", escape(words::CAPTION));
    svg(&mut html, picture);
    let _ = writeln!(html, "<p class=\"legend\">{}.</p>", escape(words::LEGEND));
    if let Some(left_out) = words::left_out(picture.left_out) {
        let _ = writeln!(html, "<p class=\"legend\">{}</p>", escape(&left_out));
    }
    table(&mut html, picture);
    html.push_str("</figure>\n");
    html
}

/// The kind of a line in a cell: the letter, and whether the access races.
type Kind = (char, bool);

/// Returns the lines of a cell: the number of invocations of each kind.
fn lines<'a>(touches: impl Iterator<Item = &'a Touch>) -> BTreeMap<Kind, u64> {
    let mut lines = BTreeMap::new();
    for touch in touches {
        *lines.entry((words::letter(touch), touch.races)).or_default() +=
            words::invocation_count(touch);
    }
    lines
}

fn svg(html: &mut String, picture: &Picture) {
    let names: Vec<String> = picture.words.iter().map(|word| words::word(picture, word)).collect();
    let longest = names.iter().map(|name| name.chars().count().min(MAX_CHARACTERS)).max();
    let left = longest.unwrap_or(0) * CHARACTER + 12;
    let mut rows = Vec::new();
    let mut top = HEAD;
    for word in 0..names.len() {
        let of = |epoch: &u32| lines(picture.cell(word, *epoch)).len();
        let most = picture.epochs.iter().map(of).max().unwrap_or(0).max(1);
        let height = most * LINE + 8;
        rows.push((top, height));
        top += height;
    }
    let (width, height) = (left + CELL * picture.epochs.len() + 2, top + 2);
    let _ = writeln!(
        html,
        "<div class=\"scroll\"><svg role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">",
        escape(words::CAPTION)
    );
    for (column, epoch) in picture.epochs.iter().enumerate() {
        let x = left + column * CELL;
        let middle = x + CELL / 2;
        let name = escape(&words::epoch(*epoch));
        let _ = writeln!(html, "<text class=\"head\" x=\"{middle}\" y=\"17\">{name}</text>");
        // No barrier need precede the first column.
        if column > 0 {
            let _ = writeln!(html, "<path class=\"barrier\" d=\"M{x} 4V{top}\"/>");
        }
    }
    for (word, (name, &(y, height))) in names.iter().zip(&rows).enumerate() {
        let shown = shortened(name);
        let (end, base) = (left - 8, y + height / 2 + 5);
        let _ = writeln!(
            html,
            "<g><title>{}</title><text class=\"name\" x=\"{end}\" y=\"{base}\">{}</text></g>",
            escape(name),
            escape(&shown)
        );
        for (column, &epoch) in picture.epochs.iter().enumerate() {
            cell(html, picture, (word, name), epoch, (left + column * CELL, y, height));
        }
    }
    html.push_str("</svg></div>\n");
}

fn cell(
    html: &mut String,
    picture: &Picture,
    (word, name): (usize, &str),
    epoch: u32,
    (x, y, height): (usize, usize, usize),
) {
    let touches: Vec<&Touch> = picture.cell(word, epoch).collect();
    let mut said: Vec<String> = touches
        .iter()
        .take(MAX_TITLES)
        .map(|touch| words::describe_touch(picture, touch))
        .collect();
    match touches.len() {
        0 => said.push(words::UNTOUCHED.to_owned()),
        n if n > MAX_TITLES => said.push(words::omitted_accesses(n - MAX_TITLES)),
        _ => {}
    }
    let title = format!("{name}, {}: {}", words::epoch(epoch), said.join("; "));
    let class = match touches.iter().any(|touch| touch.races) {
        true => "cell racing",
        false if touches.is_empty() => "cell",
        false => "cell touched",
    };
    let (inner, tall) = (CELL - 6, height - 4);
    let _ = write!(
        html,
        "<g class=\"{class}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{inner}\" height=\"{tall}\" rx=\"4\"/>",
        escape(&title),
        x + 3,
        y + 2
    );
    for (line, ((letter, races), number)) in lines(touches.into_iter()).into_iter().enumerate() {
        let (class, mark) = if races { (" class=\"bad\"", "!") } else { ("", "") };
        let (x, y) = (x + CELL / 2, y + (line + 1) * LINE);
        let _ = write!(html, "<text{class} x=\"{x}\" y=\"{y}\">{letter} {number}{mark}</text>");
    }
    html.push_str("</g>\n");
}

/// Shortens a name to fit next to a row. A long name keeps its end, which distinguishes it from others.
fn shortened(name: &str) -> String {
    let length = name.chars().count();
    match length > MAX_CHARACTERS {
        true => {
            let end = name.chars().skip(length - MAX_CHARACTERS + 1);
            std::iter::once('…').chain(end).collect()
        }
        false => name.to_owned(),
    }
}

/// Writes the same data as a table, for readers who cannot see the diagram.
fn table(html: &mut String, picture: &Picture) {
    let _ = writeln!(
        html,
        "<details><summary>{}</summary><div class=\"scroll\"><table class=\"touches\">\n<thead><tr>",
        escape(words::AS_TABLE)
    );
    for head in words::HEADS {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(head));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for touch in &picture.touches {
        let Some(word) = picture.words.get(touch.word) else { continue };
        let cells = [
            touch.epoch.to_string(),
            words::workgroup_name(picture, touch),
            words::invocation_names(touch),
            words::action_name(touch).to_owned(),
            touch.place.at.line.to_string(),
            words::races(touch).to_owned(),
        ];
        let class = if touch.races { " class=\"racing\"" } else { "" };
        let name = escape(&words::word(picture, word));
        let _ = write!(html, "<tr{class}><th scope=\"row\">{name}</th>");
        for cell in cells {
            let _ = write!(html, "<td>{}</td>", escape(&cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div></details>\n");
}

#[cfg(test)]
mod tests;
