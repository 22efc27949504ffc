//! What is said at a place in the source.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// A label: `written by invocation 16 of workgroup 0`. Those at one place share a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    text: String,
    /// Bytes of the text that are a verb which other labels may share, with the space behind it.
    verb: usize,
}

impl Label {
    /// `verb` and then the rest.
    pub fn new(verb: &str, rest: &str) -> Self {
        Self { text: format!("{verb} {rest}"), verb: verb.len() + 1 }
    }

    /// A label that shares nothing with others.
    pub fn without_verb(text: String) -> Self {
        Self { text, verb: 0 }
    }

    /// What is said at a place that has this label and `other`: `written by a and by b`.
    pub fn and(&mut self, other: &Self) {
        let same_verb = self.text[..self.verb] == other.text[..other.verb];
        let rest = if same_verb { &other.text[other.verb..] } else { &other.text };
        self.text.push_str(" and ");
        self.text.push_str(rest);
    }
}

impl Deref for Label {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// The verb of one that was written down is what stands before `by`.
impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let verb = text.find(" by ").map_or(0, |end| end + 1);
        Ok(Self { text, verb })
    }
}

#[cfg(test)]
mod tests {
    use super::Label;

    #[test]
    fn labels_of_one_place_share_their_verb() {
        let mut label = Label::new("written", "by a");
        label.and(&Label::new("written", "by b"));
        label.and(&Label::new("read", "by c"));
        assert_eq!(label.to_string(), "written by a and by b and read by c");
        let mut label = Label::new("accessed atomically", "by a");
        label.and(&Label::new("accessed atomically", "by b"));
        assert_eq!(label.to_string(), "accessed atomically by a and by b");
        let mut label = Label::without_verb("a waits here".to_owned());
        label.and(&Label::without_verb("b is here".to_owned()));
        assert_eq!(label.to_string(), "a waits here and b is here");
    }
}
