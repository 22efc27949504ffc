//! The names of locations and variables, and their numbers.

use std::collections::BTreeMap;

/// The names of the first locations that have only a number.
const LOCATIONS: [&str; 3] = ["x", "y", "z"];

/// Returns the name of a location.
pub(super) fn location(number: u8) -> String {
    let name = LOCATIONS.get(usize::from(number)).map(|name| (*name).to_owned());
    name.unwrap_or_else(|| format!("z{number:03}"))
}

/// Returns the name of a variable.
pub(super) fn variable(number: u8) -> String {
    format!("r{number}")
}

/// Numbers names in alphabetical order, with trailing digits compared as numbers.
pub(super) fn number_names<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, u8> {
    let mut names: Vec<&str> = names.collect();
    let key = |name: &&str| {
        let word = name.trim_end_matches(|of: char| of.is_ascii_digit()).to_owned();
        let digits = name[word.len()..].trim_start_matches('0');
        (word, digits.len(), digits.to_owned(), (*name).to_owned())
    };
    names.sort_by_cached_key(key);
    names.dedup();
    names.into_iter().zip(0..=u8::MAX).collect()
}
