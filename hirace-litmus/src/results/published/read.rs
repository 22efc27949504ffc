//! Reading of published results; errors have a source location.
//!
//! Keys that are neither a number nor one of the three known names are refused, as are unknown keys of a run or of
//! `params`: such a key is a misspelled name, and the data below it would silently be missing from all scores. The
//! names of tests are free.

use super::{Entry, MAX_ENTRIES, MAX_INSTANCES, MAX_TESTS, PublishedResults, Run};
use crate::environment::Parameters;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::source_map::{LineColumn, SourceMap, Span};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

impl PublishedResults {
    /// Reads a file. `name` is its name in diagnostics.
    ///
    /// # Errors
    ///
    /// The text does not have the form of published results. The diagnostic has the line and column.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let parsed = serde_json::from_str(text);
        Ok(parsed.map_err(|error| misread(name, text, &error))?)
    }
}

/// Converts an error of the parser into a diagnostic at its location.
fn misread(name: &str, text: &str, error: &serde_json::Error) -> Diagnostic {
    let source = SourceMap::new(name, text);
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
    let before = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let bytes = before.char_indices().take_while(|(at, _)| *at < error.column().saturating_sub(1));
    let column = u32::try_from(bytes.count()).unwrap_or(u32::MAX).saturating_add(1);
    let at = source.offset(LineColumn { line, column });
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = said.strip_suffix(&place).unwrap_or(&said);
    Diagnostic::at(&source, Span::new(at, at), format!("invalid published results: {said}"))
}

pub(super) fn instances<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<u64, D::Error> {
    match u64::deserialize(from)? {
        count if count > MAX_INSTANCES => {
            Err(D::Error::custom(format!("more than {MAX_INSTANCES} instances")))
        }
        count => Ok(count),
    }
}

pub(super) fn seconds<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<f64, D::Error> {
    match f64::deserialize(from)? {
        seconds if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        seconds => Err(D::Error::custom(format!("{seconds} seconds"))),
    }
}

impl<'de> Deserialize<'de> for PublishedResults {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = PublishedResults;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with an entry for each environment")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> std::result::Result<PublishedResults, A::Error> {
        let mut read = PublishedResults::default();
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            match &key[..] {
                "platformInfo" => read.platform = Some(map.next_value()?),
                "randomSeed" => read.random_seed = Some(map.next_value()?),
                "userInfo" => read.user = Some(map.next_value()?),
                _ => {
                    let number = key.parse::<u32>().ok().filter(|n| n.to_string() == key);
                    let Some(number) = number else {
                        return Err(A::Error::custom(format!(
                            "`{key}` is neither the number of an environment nor `platformInfo`, \
                             `randomSeed` or `userInfo`"
                        )));
                    };
                    if read.entries.len() >= MAX_ENTRIES {
                        return Err(A::Error::custom(format!("more than {MAX_ENTRIES} entries")));
                    }
                    let EntryBody { parameters, runs } = map.next_value()?;
                    read.entries.push(Entry { number, parameters, runs });
                }
            }
        }
        Ok(read)
    }
}

/// An entry without its number.
struct EntryBody {
    parameters: Option<Parameters>,
    runs: Vec<(String, Run)>,
}

impl<'de> Deserialize<'de> for EntryBody {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = EntryBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entry: `params`, and tests by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<EntryBody, A::Error> {
        let mut read = EntryBody { parameters: None, runs: Vec::new() };
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("duplicate key `{key}`")));
            }
            if key == "params" {
                read.parameters = Some(map.next_value()?);
                continue;
            }
            if read.runs.len() >= MAX_TESTS {
                return Err(A::Error::custom(format!("more than {MAX_TESTS} tests")));
            }
            read.runs.push((key, map.next_value()?));
        }
        Ok(read)
    }
}
