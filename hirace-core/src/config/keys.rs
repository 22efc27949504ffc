//! Deserializes the configuration and reports unknown keys as errors at their location.

use super::form::Document;
use super::span;
use crate::bounded;
use crate::diagnostic::{Diagnostic, Result};
use crate::launch::spec::find_nearest;
use crate::source_map::SourceMap;
use serde_ignored::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

/// The keys of each table, by the name of the table. For a list of tables, the name is that of the list.
pub(super) const KEYS: &[(&str, &[&str])] = &[
    ("", &["check", "watch", "shadow", "file"]),
    (
        "check",
        &[
            "seed",
            "schedules",
            "subgroup-size",
            "max-steps",
            "timeout",
            "oracle",
            "baseline",
            "limits",
        ],
    ),
    ("watch", &["variables", "ignore", "relations"]),
    ("shadow", &["max-mib"]),
    ("file", &["path", "kernels", "define", "include", "target-env", "watch", "launch", "test"]),
    ("test", &["name", "launch", "expect", "tolerance", "golden"]),
    (
        "launch",
        &[
            "entry",
            "workgroups",
            "dispatches",
            "buffers",
            "overrides",
            "seed",
            "schedule",
            "subgroup-size",
            "max-steps",
            "timeout",
        ],
    ),
    ("dispatches", &["entry", "workgroups"]),
];

/// The maximum depth of nested arrays and inline tables. Configurations need five.
const MAX_NESTING: usize = 64;

/// Returns the offset of the bracket at which a text in TOML is nested too deeply. The parser is recursive: thousands of levels overflow
/// its stack.
pub fn find_deep_nesting(text: &str) -> Option<usize> {
    bounded::find_deep_nesting(text.as_bytes(), &[*b"[]", *b"{}"], MAX_NESTING)
}

/// Deserializes `source`.
pub(super) fn deserialize(source: &SourceMap) -> Result<Document> {
    if let Some(at) = find_deep_nesting(source.text()) {
        let message = format!("arrays and tables are nested more than {MAX_NESTING} levels deep");
        return Err(Box::new(Diagnostic::at(source, span(at..at + 1), message)));
    }
    let to_diagnostic = |error: toml::de::Error| {
        let at = error.span().unwrap_or(0..0);
        Box::new(Diagnostic::at(source, span(at), error.message()))
    };
    let deserializer = Deserializer::parse(source.text()).map_err(to_diagnostic)?;
    let mut unknown: Vec<Vec<Step>> = Vec::new();
    let document: Document =
        serde_ignored::deserialize(deserializer, |path| unknown.push(steps(&path)))
            .map_err(to_diagnostic)?;
    match unknown.first() {
        None => Ok(document),
        Some(path) => Err(Box::new(unknown_key(source, path))),
    }
}

/// One step of the path to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

fn steps(path: &Path<'_>) -> Vec<Step> {
    match path {
        Path::Root => Vec::new(),
        Path::Seq { parent, index } => [steps(parent), vec![Step::Index(*index)]].concat(),
        Path::Map { parent, key } => [steps(parent), vec![Step::Key(key.clone())]].concat(),
        Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => steps(parent),
    }
}

fn unknown_key(source: &SourceMap, path: &[Step]) -> Diagnostic {
    let mut names = path.iter().rev().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Index(_) => None,
    });
    let key = names.next().unwrap_or_default();
    let table = names.next().unwrap_or_default();
    let at = locate(source.text(), path).unwrap_or(0..0);
    let place = if table.is_empty() { String::new() } else { format!(" in `{table}`") };
    let error = Diagnostic::at(source, span(at), format!("unknown key `{key}`{place}"));
    let known = KEYS.iter().find(|(name, _)| *name == table).map_or(&[][..], |(_, keys)| keys);
    match find_nearest(key, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.note(format!("known keys{place}: {}", known.join(", "))),
    }
}

/// Returns the span of the last key of `path` in `text`.
fn locate(text: &str, path: &[Step]) -> Option<std::ops::Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let mut at = None;
    let mut table: Option<&DeTable<'_>> = Some(root.get_ref());
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for step in path {
        match step {
            Step::Key(key) => {
                let table = table.take().or_else(|| value.and_then(|v| v.get_ref().as_table()))?;
                let (found, inner) = table.iter().find(|(name, _)| name.get_ref() == key)?;
                at = Some(found.span());
                value = Some(inner);
            }
            Step::Index(index) => value = value?.get_ref().get(*index),
        }
    }
    at
}
