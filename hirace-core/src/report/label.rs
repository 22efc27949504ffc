//! Labels of source locations.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// A label: `written by invocation 16 of workgroup 0`. Labels of one location share a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    text: String,
    /// The length in bytes of the verb and the space after it, which other labels may share; 0 for a label without a verb.
    verb: usize,
}

impl Label {
    /// Creates a label from a verb and the remaining text.
    #[doc(hidden)]
    pub fn new(verb: &str, rest: &str) -> Self {
        Self { text: format!("{verb} {rest}"), verb: verb.len() + 1 }
    }

    /// Creates a label that shares no verb.
    #[doc(hidden)]
    pub fn without_verb(text: String) -> Self {
        Self { text, verb: 0 }
    }

    /// Appends another label of the same location: `written by a and by b`.
    #[doc(hidden)]
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

/// Deserializes a label; the text before `by` becomes the verb.
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
