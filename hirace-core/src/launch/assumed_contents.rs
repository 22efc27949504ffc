//! The contents of guessed buffers and textures that are not simply random, in the user's syntax and as a fact.

use super::spec::Contents;
use crate::facts::assumption;

/// Returns the contents in the syntax of `--buffer NAME=`, or `None` for contents that are never guessed.
pub(super) fn spec(contents: &Contents) -> Option<String> {
    Some(match contents {
        Contents::Zeros(None) => "zeros".to_owned(),
        Contents::Iota(None) => "iota".to_owned(),
        Contents::Permutation(None, None) => "permutation".to_owned(),
        Contents::Fill(None, value) => format!("fill:{value}"),
        Contents::Below(None, most, None) => format!("below:{most}"),
        _ => return None,
    })
}

/// Returns the contents as a report shows them for a launch with this seed.
pub(super) fn to_assumption(contents: &Contents, seed: u64) -> Option<assumption::Contents> {
    Some(match *contents {
        Contents::Zeros(_) => assumption::Contents::Zeros,
        Contents::Iota(_) => assumption::Contents::Iota,
        Contents::Permutation(..) => assumption::Contents::Permutation { seed },
        Contents::Fill(_, value) => assumption::Contents::Fill(value),
        Contents::Below(_, most, _) => assumption::Contents::Below { most, seed },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_written_as_they_are_read() {
        for text in ["zeros", "iota", "permutation", "fill:3", "below:16"] {
            let contents = Contents::parse(text).unwrap();
            assert_eq!(spec(&contents).as_deref(), Some(text));
            assert!(to_assumption(&contents, 0).is_some(), "{text}");
        }
        assert_eq!(spec(&Contents::parse("fill:4:3").unwrap()), None);
    }
}
