//! Graphs from files, in the formats that they are shared in.
//!
//! | name ends in | format |
//! | --- | --- |
//! | `.mtx` | Matrix Market, coordinates: an edge for each entry, both ways where it says symmetric |
//! | `.gr` | DIMACS, shortest paths: `p sp VERTICES EDGES`, then `a FROM TO WEIGHT`, from 1 |
//! | `.egr` | binary: both sizes, then index, neighbours and perhaps weights, as 32-bit numbers |
//! | anything else | a list of edges: `FROM TO`, from 0, and perhaps a weight; `#` and `%` start a comment |
//!
//! Weights are passed over. An edge from a vertex to itself is kept; one that is there twice counts once.

mod binary;
mod dimacs;
mod edge_list;
mod matrix_market;

use super::Graph;
use std::num::IntErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;

/// Why a file is no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Unreadable {
    /// The line, from 1; 0 in a file that has none.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

type Result<T> = std::result::Result<T, Unreadable>;

fn unreadable(line: usize, reason: impl Into<String>) -> Unreadable {
    Unreadable { line, reason: reason.into() }
}

/// Reads the graph in the file of this name, whose contents are `bytes`.
///
/// # Errors
/// What of it is not as its format wants it, and where.
pub fn read(name: &Path, bytes: &[u8]) -> Result<Graph> {
    let ending = name.extension().unwrap_or_default().to_ascii_lowercase();
    if ending == "egr" {
        return binary::read(bytes);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        unreadable(line, "this is no text")
    })?;
    // Some editors begin a file with a mark of the byte order.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if ending == "mtx" {
        matrix_market::read(text)
    } else if ending == "gr" {
        dimacs::read(text)
    } else {
        edge_list::read(text)
    }
}

/// A line's number and words.
struct Line<'a> {
    number: usize,
    words: Vec<&'a str>,
}

/// The lines that say something, without those that start with one of `comments`.
fn lines<'a>(text: &'a str, comments: &'static [char]) -> impl Iterator<Item = Line<'a>> {
    let numbered = text.lines().map(str::trim_start).enumerate();
    numbered.filter(move |(_, line)| !line.starts_with(comments)).filter_map(|(at, line)| {
        let words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        (!words.is_empty()).then_some(Line { number: at + 1, words })
    })
}

impl Line<'_> {
    /// The number that the word at `at` is; `what` it stands for.
    fn number(&self, at: usize, what: &str) -> Result<u32> {
        let word = self.words.get(at).ok_or_else(|| self.wrong(format!("{what} is missing")))?;
        word.parse().map_err(|error: std::num::ParseIntError| {
            self.wrong(match error.kind() {
                IntErrorKind::PosOverflow => format!("{what} {word} is more than can be counted"),
                _ => format!("`{word}` is no {what}"),
            })
        })
    }

    /// The vertex that the word at `at` names, of so many that are counted from 1.
    fn vertex(&self, at: usize, vertices: u32) -> Result<u32> {
        let number = self.number(at, "vertex")?;
        match number.checked_sub(1) {
            Some(vertex) if vertex < vertices => Ok(vertex),
            _ => {
                Err(self
                    .wrong(format!("there is no vertex {number}: there are {vertices}, from 1")))
            }
        }
    }

    /// Checks what is passed over: from the word at `at` on there are so many numbers, and nothing else.
    fn weights(&self, at: usize, wanted: RangeInclusive<usize>) -> Result<()> {
        let weights = self.words.get(at..).unwrap_or_default();
        if let Some(word) = weights.iter().find(|word| word.parse::<f64>().is_err()) {
            return Err(self.wrong(format!("`{word}` is no number")));
        }
        if weights.len() < *wanted.start() {
            return Err(self.wrong("a value is missing"));
        }
        match weights.get(*wanted.end()) {
            Some(word) => Err(self.wrong(format!("`{word}` is one value too many"))),
            None => Ok(()),
        }
    }

    fn wrong(&self, reason: impl Into<String>) -> Unreadable {
        unreadable(self.number, reason)
    }
}

/// The file ends before it says what it must.
fn ended(text: &str, missing: &str) -> Unreadable {
    unreadable(text.lines().count().max(1), format!("the file ends without {missing}"))
}

/// The graph of what was read; `sizes` is the line that says how large it is.
fn graph(sizes: usize, vertices: u32, edges: Vec<(u32, u32)>) -> Result<Graph> {
    // One number that is wrong would ask for more memory than there is.
    if u64::from(vertices) > (edges.len() as u64 * 1000).max(1 << 20) {
        let count = edges.len();
        return Err(unreadable(
            sizes,
            format!("{vertices} vertices for {count} edges: is this meant?"),
        ));
    }
    Graph::new(vertices, edges).map_err(|impossible| unreadable(sizes, impossible.to_string()))
}

/// Checks that so many edges were read as there should be by the line `sizes`.
fn all_there(sizes: usize, said: u32, read: usize) -> Result<()> {
    if read == said as usize {
        return Ok(());
    }
    Err(unreadable(sizes, format!("there should be {said} edges, and there are {read}")))
}

#[cfg(test)]
mod tests;
