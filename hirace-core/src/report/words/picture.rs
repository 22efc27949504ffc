//! Who touched the words of a race, in words.

use super::context::Context;
use super::race::action;
use super::who::{count, invocations, workgroup};
use crate::facts::{LeftOut, Picture, Touch, Word};
use crate::report::document;

/// How many runs of invocations are little enough for JSON.
const MOST_IN_JSON: usize = 32;

/// A picture as the document's JSON has it, if it is small.
pub(super) fn small(context: Context<'_>, picture: &Picture) -> Option<document::Words> {
    let Picture { words, touches, left_out, .. } = picture;
    if touches.len() > MOST_IN_JSON {
        return None;
    }
    let word = |word: &Word| document::Word {
        element: word.memory.element.clone(),
        workgroup: word.workgroup,
        dispatch: word.dispatch,
    };
    let touch = |touch: &Touch| document::Touch {
        word: touch.word,
        epoch: touch.epoch,
        workgroup: touch.workgroup,
        invocations: runs(&touch.invocations),
        more: touch.more,
        kind: action(touch.action).0.to_owned(),
        file: context.source.file(touch.place.span.start).to_owned(),
        line: touch.place.at.line,
        column: touch.place.at.column,
        races: touch.races,
    };
    let touches: Vec<document::Touch> = touches.iter().map(touch).collect();
    let runs: usize = touches.iter().map(|touch| touch.invocations.len()).sum();
    (runs <= MOST_IN_JSON).then(|| document::Words {
        words: words.iter().map(word).collect(),
        touches,
        more_words: left_out.words,
        more_accesses: left_out.accesses,
        more_epochs: left_out.epochs,
    })
}

/// Ascending numbers as runs, each with its first and its last.
fn runs(numbers: &[u32]) -> Vec<[u32; 2]> {
    let mut runs: Vec<[u32; 2]> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => runs.push([number, number]),
        }
    }
    runs
}

/// What the picture is of, in a sentence or two.
pub const CAPTION: &str = "Who touched the racy words, and between which barriers. A row is a word; a column is an epoch, \
    the time between two barriers that order this memory, counted for each workgroup by itself.";

/// What the letters mean, and the frame.
pub const LEGEND: &str = "R read, W written, A accessed atomically, with the number of invocations; in a frame and with an \
    exclamation mark: races with another access to the word";

/// The table that says the same.
pub const AS_TABLE: &str = "The same as a table";

/// What is said of a word in an epoch in which nobody touched it.
pub const UNTOUCHED: &str = "not touched";

/// That there are more touches than are listed.
pub fn more(touches: usize) -> String {
    format!("{touches} more")
}

/// Whether a touch races, as a cell of the table has it.
pub fn races(touch: &Touch) -> &'static str {
    if touch.races { "yes" } else { "no" }
}

/// Its heads.
pub const HEADS: [&str; 7] =
    ["word", "epoch", "workgroup", "invocations", "access", "line", "races"];

/// What the word is called, with whose it is.
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

/// `epoch 1`.
pub fn epoch(epoch: u32) -> String {
    format!("epoch {epoch}")
}

/// `R`, `W` or `A`.
pub fn letter(touch: &Touch) -> char {
    match action(touch.action).0 {
        "read" => 'R',
        "write" => 'W',
        _ => 'A',
    }
}

/// How many invocations touched it so.
pub fn number(touch: &Touch) -> u64 {
    touch.invocations.len() as u64 + touch.more
}

/// `invocations 0 to 31`, by local invocation index.
pub fn who(touch: &Touch) -> String {
    let known = invocations(&touch.invocations);
    match touch.more {
        0 => known,
        more => format!("{known} (and {more} above)"),
    }
}

/// The workgroup of a touch.
pub fn whose(picture: &Picture, touch: &Touch) -> String {
    workgroup(&picture.grid, touch.workgroup)
}

/// What they did: `written`, `read`, `accessed atomically`.
pub fn what(touch: &Touch) -> &'static str {
    action(touch.action).1
}

/// `read by invocations 0 to 31 of workgroup 0 at line 19, which races`.
pub fn touched(picture: &Picture, touch: &Touch) -> String {
    let (what, who, whose) = (what(touch), who(touch), whose(picture, touch));
    let races = if touch.races { ", which races" } else { "" };
    format!("{what} by {who} of workgroup {whose} at line {}{races}", touch.place.at.line)
}

/// What is not in the picture, if anything.
pub fn left_out(left_out: LeftOut) -> Option<String> {
    let LeftOut { words, epochs, accesses } = left_out;
    let parts = [
        (words, "more word", "more words"),
        (epochs, "more epoch", "more epochs"),
        (accesses, "more access", "more accesses"),
    ];
    let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, one, several)| count(n, one, several)).collect();
    (!parts.is_empty()).then(|| format!("Not shown: {}.", parts.join(", ")))
}
