//! Templates of kernels in Rust. A line that ends in `//~ shfl,!syncBug` is included only with the tag `shfl` and
//! without the tag `syncBug`. A line that is included because of a planted bug may race, and so may, with that bug, a
//! line that ends in `//~ +syncBug`. `Data` is replaced by the type of the values.

use super::{Data, Tag, Variant};

/// The source of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPattern {
    /// The text.
    pub text: String,
    /// The lines, from 1, whose accesses may race because of the planted bugs. No other line races.
    pub racing: Vec<u32>,
}

const MARK: &str = " //~ ";

pub fn render(variant: &Variant) -> RenderedPattern {
    let mut rendered = RenderedPattern { text: String::new(), racing: Vec::new() };
    let mut number = 0;
    for line in variant.form.text.lines() {
        let (code, conditions) = line.split_once(MARK).unwrap_or((line, ""));
        let conditions = || conditions.split(',').filter(|condition| !condition.is_empty());
        if !conditions().all(|condition| holds(condition, variant)) {
            continue;
        }
        number += 1;
        let races = |tag: Tag| tag.races() && variant.tags.has(tag);
        if conditions().filter_map(|condition| tag(condition.trim_start_matches('+'))).any(races) {
            rendered.racing.push(number);
        }
        rendered.text += &with_data(code, variant.data);
        rendered.text.push('\n');
    }
    rendered
}

/// Returns whether a condition is met.
fn holds(condition: &str, variant: &Variant) -> bool {
    if condition.starts_with('+') {
        return true;
    }
    let (name, wanted) = match condition.strip_prefix('!') {
        Some(name) => (name, false),
        None => (condition, true),
    };
    let met = name == variant.data.name() || tag(name).is_some_and(|tag| variant.tags.has(tag));
    met == wanted
}

fn tag(name: &str) -> Option<Tag> {
    Tag::ALL.into_iter().find(|tag| tag.name() == name)
}

/// Replaces `Data` in `code` by the type of the values.
fn with_data(code: &str, data: Data) -> String {
    let parts = code.split_inclusive(|c: char| !c.is_alphanumeric());
    let typed = parts.map(|part| match part.strip_prefix("Data") {
        Some(rest) if rest.chars().all(|c| !c.is_alphanumeric()) => data.name().to_owned() + rest,
        _ => part.to_owned(),
    });
    typed.collect()
}

/// Returns the conditions of a template's lines, for tests.
#[cfg(test)]
pub fn conditions(text: &str) -> impl Iterator<Item = &str> {
    let marked = text.lines().filter_map(|line| Some(line.split_once(MARK)?.1));
    marked.flat_map(|conditions| conditions.split(','))
}
