//! Templates: Rust in which a line that ends in `//~ shfl,!syncBug` is there with the tag `shfl` and
//! without the tag `syncBug` alone. A line that is there because a bug is planted is one that may race, and
//! so is, with that bug, one that ends in `//~ +syncBug`. `Data` stands for the type of the values.

use super::{Data, Tag, Variant};

/// A variant's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The lines, from 1, whose accesses may race by the bugs that were planted. No other does.
    pub racing: Vec<u32>,
}

const MARK: &str = " //~ ";

pub fn render(variant: &Variant) -> Rendered {
    let mut rendered = Rendered { text: String::new(), racing: Vec::new() };
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

/// Whether a condition is met.
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

/// `code` with the type of the values where it says `Data`.
fn with_data(code: &str, data: Data) -> String {
    let parts = code.split_inclusive(|c: char| !c.is_alphanumeric());
    let typed = parts.map(|part| match part.strip_prefix("Data") {
        Some(rest) if rest.chars().all(|c| !c.is_alphanumeric()) => data.name().to_owned() + rest,
        _ => part.to_owned(),
    });
    typed.collect()
}

/// The conditions that a template's lines have, for tests.
#[cfg(test)]
pub fn conditions(text: &str) -> impl Iterator<Item = &str> {
    let marked = text.lines().filter_map(|line| Some(line.split_once(MARK)?.1));
    marked.flat_map(|conditions| conditions.split(','))
}
