//! Texts of the diagram of a race.

use super::context::Context;
use super::names::{count, invocations, workgroup};
use super::race::action;
use crate::facts::{OmittedParts, Picture, Touch, Word};
use crate::report::document;

/// The maximum number of ranges of invocations in JSON.
const MAX_RANGES_IN_JSON: usize = 32;

/// Returns the JSON form of a diagram, or `None` if it has more than [`MAX_RANGES_IN_JSON`] ranges.
pub(super) fn to_small_json(
    context: Context<'_>,
    picture: &Picture,
) -> Option<document::WordAccesses> {
    let Picture { words, touches, left_out, .. } = picture;
    if touches.len() > MAX_RANGES_IN_JSON {
        return None;
    }
    let word = |word: &Word| document::Word {
        element: word.memory.element.clone(),
        workgroup: word.workgroup,
        dispatch: word.dispatch,
    };
    let touch = |touch: &Touch| document::WordAccess {
        word: touch.word,
        epoch: touch.epoch,
        workgroup: touch.workgroup,
        invocations: ranges(&touch.invocations),
        more: touch.more,
        kind: action(touch.action).0.to_owned(),
        file: context.source.file(touch.place.span.start).to_owned(),
        line: touch.place.at.line,
        column: touch.place.at.column,
        races: touch.races,
    };
    let touches: Vec<document::WordAccess> = touches.iter().map(touch).collect();
    let ranges: usize = touches.iter().map(|touch| touch.invocations.len()).sum();
    (ranges <= MAX_RANGES_IN_JSON).then(|| document::WordAccesses {
        words: words.iter().map(word).collect(),
        accesses: touches,
        more_words: left_out.words,
        more_accesses: left_out.accesses,
        more_epochs: left_out.epochs,
    })
}

/// Converts ascending numbers to ranges with inclusive bounds.
fn ranges(numbers: &[u32]) -> Vec<[u32; 2]> {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}

/// The caption of the diagram.
pub const CAPTION: &str = "Accesses to the racy words between barriers. A row is a word; a column is an epoch, \
    the time between two barriers that order this memory, counted separately for each workgroup.";

/// The legend: the letters and the frame.
pub const LEGEND: &str = "R: read, W: written, A: accessed atomically, with the number of invocations; framed and with an \
    exclamation mark: races with another access to the word";

/// The label that opens the table with the same data.
pub const AS_TABLE: &str = "Show as a table";

/// The text of a cell without accesses.
pub const UNTOUCHED: &str = "not accessed";

/// Returns the text for touches that are not listed.
pub fn omitted_accesses(touches: usize) -> String {
    format!("{touches} more")
}

/// Returns whether a touch races, as text for the table.
pub fn races(touch: &Touch) -> &'static str {
    if touch.races { "yes" } else { "no" }
}

/// The column headings of the table.
pub const HEADS: [&str; 7] =
    ["word", "epoch", "workgroup", "invocations", "access", "line", "races"];

/// Returns the name of a word, with the workgroup that owns it.
pub fn word(picture: &Picture, word: &Word) -> String {
    let Word { memory, workgroup: own, dispatch } = word;
    let mut text = memory.element.clone();
    if let Some(own) = own.filter(|_| picture.grid.workgroup_count() > 1) {
        text += &format!(" of workgroup {}", workgroup(&picture.grid, own));
    }
    if picture.words.iter().any(|other| other.dispatch != picture.words[0].dispatch) {
        text += &format!(", dispatch {}", dispatch + 1);
    }
    text
}

/// Returns the name of an epoch: `epoch 1`.
pub fn epoch(epoch: u32) -> String {
    format!("epoch {epoch}")
}

/// Returns the letter of the access: `R`, `W` or `A`.
pub fn letter(touch: &Touch) -> char {
    match action(touch.action).0 {
        "read" => 'R',
        "write" => 'W',
        _ => 'A',
    }
}

/// Returns the number of invocations of a touch.
pub fn invocation_count(touch: &Touch) -> u64 {
    touch.invocations.len() as u64 + touch.more
}

/// Returns the invocations of a touch by local invocation index: `invocations 0 to 31`.
pub fn invocation_names(touch: &Touch) -> String {
    let known = invocations(&touch.invocations);
    match touch.more {
        0 => known,
        more => format!("{known} (and {more} more)"),
    }
}

/// Returns the workgroup of a touch.
pub fn workgroup_name(picture: &Picture, touch: &Touch) -> String {
    workgroup(&picture.grid, touch.workgroup)
}

/// Returns the action of a touch: `written`, `read`, `accessed atomically`.
pub fn action_name(touch: &Touch) -> &'static str {
    action(touch.action).1
}

/// Describes a touch: `read by invocations 0 to 31 of workgroup 0 at line 19, which races`.
pub fn describe_touch(picture: &Picture, touch: &Touch) -> String {
    let (action, invocations, workgroup) =
        (action_name(touch), invocation_names(touch), workgroup_name(picture, touch));
    let races = if touch.races { ", which races" } else { "" };
    format!(
        "{action} by {invocations} of workgroup {workgroup} at line {}{races}",
        touch.place.at.line
    )
}

/// Describes the parts that the diagram omits; returns `None` if it is complete.
pub fn left_out(left_out: OmittedParts) -> Option<String> {
    let OmittedParts { words, epochs, accesses } = left_out;
    let parts = [
        (words, "more word", "more words"),
        (epochs, "more epoch", "more epochs"),
        (accesses, "more access", "more accesses"),
    ];
    let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, one, several)| count(n, one, several)).collect();
    (!parts.is_empty()).then(|| format!("Not shown: {}.", parts.join(", ")))
}
