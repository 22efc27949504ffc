//! Substitution of `{{NAME}}` and `${NAME}`, as in template engines, by the value that the name is defined as.

use crate::diagnostic::{Diagnostic, Result};
use crate::front::wgsl::template::between_braces;
use crate::source_map::{SourceMap, Span};
use std::collections::BTreeSet;

/// Defined names with their values, and the names that were substituted.
pub(super) struct Values<'a> {
    defines: &'a [(String, String)],
    used: BTreeSet<&'a str>,
}

impl<'a> Values<'a> {
    pub fn new(defines: &'a [(String, String)]) -> Self {
        Self { defines, used: BTreeSet::new() }
    }

    /// Returns whether a name was substituted.
    pub fn has_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Returns the value of a name.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        let mut defines = self.defines.iter();
        defines.find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// Returns `text` with each `{{NAME}}` substituted.
    ///
    /// # Errors
    /// Returns an error if a name is not defined.
    pub fn substitute(&mut self, name: &str, text: &str) -> Result<String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, word, after)) = between_braces(rest) {
            filled.push_str(before);
            let Some((known, value)) = self.defines.iter().find(|(known, _)| known == word) else {
                let source = SourceMap::new(name, text);
                let start = (text.len() - rest.len() + before.len()) as u32;
                let span = Span::new(start, (text.len() - after.len()) as u32);
                let error = Diagnostic::at(&source, span, format!("`{word}` has no value"));
                return Err(Box::new(error.help(format!("define it: --define {word}=VALUE"))));
            };
            filled.push_str(value);
            self.used.insert(known);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}
