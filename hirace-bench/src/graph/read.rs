//! Reading of graphs from files in common formats.
//!
//! | extension | format |
//! | --- | --- |
//! | `.mtx` | Matrix Market, coordinates: an edge for each entry, in both directions for symmetric matrices |
//! | `.gr` | DIMACS, shortest paths: `p sp VERTICES EDGES`, then `a FROM TO WEIGHT`, from 1 |
//! | `.egr` | binary: both sizes, then index, neighbors and optionally weights, as 32-bit numbers |
//! | any other | a list of edges: `FROM TO`, from 0, and optionally a weight; `#` and `%` start a comment |
//!
//! Weights are ignored. An edge from a vertex to itself is kept. Duplicate edges count once.

mod binary;
mod dimacs;
mod edge_list;
mod matrix_market;

use super::Graph;
use std::num::IntErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReadError {
    /// The line, from 1; 0 in a binary file.
    pub line: usize,
    /// The description of the error.
    pub reason: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

type Result<T> = std::result::Result<T, ReadError>;

fn unreadable(line: usize, reason: impl Into<String>) -> ReadError {
    ReadError { line, reason: reason.into() }
}

/// Reads a graph. `name` is the name of the file, and `bytes` its content.
///
/// # Errors
/// The content does not conform to the format.
pub fn read(name: &Path, bytes: &[u8]) -> Result<Graph> {
    let ending = name.extension().unwrap_or_default().to_ascii_lowercase();
    if ending == "egr" {
        return binary::read(bytes);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        unreadable(line, "not valid UTF-8")
    })?;
    // Some editors write a byte order mark at the start of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if ending == "mtx" {
        matrix_market::read(text)
    } else if ending == "gr" {
        dimacs::read(text)
    } else {
        edge_list::read(text)
    }
}

/// The number and the words of a line.
struct Line<'a> {
    number: usize,
    words: Vec<&'a str>,
}

/// Returns the lines that are neither empty nor start with one of `comments`.
fn lines<'a>(text: &'a str, comments: &'static [char]) -> impl Iterator<Item = Line<'a>> {
    let numbered = text.lines().map(str::trim_start).enumerate();
    numbered.filter(move |(_, line)| !line.starts_with(comments)).filter_map(|(at, line)| {
        let words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        (!words.is_empty()).then_some(Line { number: at + 1, words })
    })
}

impl Line<'_> {
    /// Parses the word at `at` as a number; `what` is its meaning.
    fn number(&self, at: usize, what: &str) -> Result<u32> {
        let word = self.words.get(at).ok_or_else(|| self.wrong(format!("{what} is missing")))?;
        word.parse().map_err(|error: std::num::ParseIntError| {
            self.wrong(match error.kind() {
                IntErrorKind::PosOverflow => format!("{what} {word} is too large"),
                _ => format!("`{word}` is not a {what}"),
            })
        })
    }

    /// Parses the word at `at` as a vertex, numbered from 1.
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

    /// Checks ignored words: the number of words from `at` on is within `wanted`, and all are numbers.
    fn weights(&self, at: usize, wanted: RangeInclusive<usize>) -> Result<()> {
        let weights = self.words.get(at..).unwrap_or_default();
        if let Some(word) = weights.iter().find(|word| word.parse::<f64>().is_err()) {
            return Err(self.wrong(format!("`{word}` is not a number")));
        }
        if weights.len() < *wanted.start() {
            return Err(self.wrong("a value is missing"));
        }
        match weights.get(*wanted.end()) {
            Some(word) => Err(self.wrong(format!("`{word}` is one value too many"))),
            None => Ok(()),
        }
    }

    fn wrong(&self, reason: impl Into<String>) -> ReadError {
        unreadable(self.number, reason)
    }
}

/// Returns the error for a file that ends too early.
fn ended(text: &str, missing: &str) -> ReadError {
    unreadable(text.lines().count().max(1), format!("the file ends without {missing}"))
}

/// Creates the graph; `sizes` is the line that states its sizes.
fn graph(sizes: usize, vertices: u32, edges: Vec<(u32, u32)>) -> Result<Graph> {
    // A single wrong number could require more memory than there is.
    if u64::from(vertices) > (edges.len() as u64 * 1000).max(1 << 20) {
        let count = edges.len();
        return Err(unreadable(
            sizes,
            format!("{vertices} vertices for {count} edges are too many"),
        ));
    }
    Graph::new(vertices, edges).map_err(|impossible| unreadable(sizes, impossible.to_string()))
}

/// Checks the number of edges against that in the line `sizes`.
fn check_edge_count(sizes: usize, said: u32, read: usize) -> Result<()> {
    if read == said as usize {
        return Ok(());
    }
    Err(unreadable(sizes, format!("expected {said} edges, but found {read}")))
}

#[cfg(test)]
mod tests;
