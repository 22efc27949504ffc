//! JSON values with source locations.

use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::source_map::{SourceMap, Span};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions};

/// The source text, which also makes diagnostics.
#[derive(Clone, Copy)]
pub(super) struct Source<'a>(pub &'a SourceMap);

/// An object with known keys only, each at most once.
pub(super) struct Fields<'v, 'a> {
    source: Source<'a>,
    object: &'v Object<'a>,
}

impl<'a> Source<'a> {
    /// Parses the text.
    pub fn parse(self) -> Result<Value<'a>> {
        let options = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let text = self.0.text();
        let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options);
        match parsed {
            Ok(parsed) => {
                parsed.value.ok_or_else(|| self.wrong(Range::new(0, 0), "the file is empty"))
            }
            Err(error) => Err(self.wrong(error.range(), error.kind().to_string())),
        }
    }

    pub fn wrong(self, range: Range, message: impl Into<String>) -> Box<Diagnostic> {
        let span = Span::new(range.start as u32, range.end as u32);
        Box::new(Diagnostic::at(self.0, span, message))
    }

    pub fn object<'v>(self, value: &'v Value<'a>, keys: &[&str]) -> Result<Fields<'v, 'a>> {
        let Value::Object(object) = value else {
            return Err(self.wrong(value.range(), "expected an object"));
        };
        for (at, property) in object.properties.iter().enumerate() {
            let (key, range) = (property.name.as_str(), property.name.range());
            if !keys.contains(&key) {
                return Err(self.unknown(range, "key", key, keys));
            }
            if object.properties[..at].iter().any(|before| before.name.as_str() == key) {
                return Err(self.wrong(range, format!("duplicate key `{key}`")));
            }
        }
        Ok(Fields { source: self, object })
    }

    pub fn array<'v>(self, value: &'v Value<'a>) -> Result<&'v [Value<'a>]> {
        match value {
            Value::Array(array) => Ok(&array.elements),
            _ => Err(self.wrong(value.range(), "expected an array")),
        }
    }

    pub fn string<'v>(self, value: &'v Value<'a>) -> Result<&'v str> {
        match value {
            Value::StringLit(string) => Ok(&string.value),
            _ => Err(self.wrong(value.range(), "expected a string")),
        }
    }

    pub fn number(self, value: &Value<'a>, least: u32, greatest: u32) -> Result<u32> {
        let number = match value {
            Value::NumberLit(number) => number.value.parse().ok(),
            _ => None,
        };
        number.filter(|number| (least..=greatest).contains(number)).ok_or_else(|| {
            let wanted = format!("expected an integer from {least} to {greatest}");
            self.wrong(value.range(), wanted)
        })
    }

    pub fn boolean(self, value: &Value<'a>) -> Result<bool> {
        match value {
            Value::BooleanLit(literal) => Ok(literal.value),
            _ => Err(self.wrong(value.range(), "expected `true` or `false`")),
        }
    }

    /// Reads one of several words.
    pub fn choice<T: Clone>(self, value: &Value<'a>, what: &str, of: &[(&str, T)]) -> Result<T> {
        let word = self.string(value)?;
        of.iter().find(|(name, _)| *name == word).map(|(_, choice)| choice.clone()).ok_or_else(
            || {
                let names: Vec<&str> = of.iter().map(|(name, _)| *name).collect();
                self.unknown(value.range(), what, word, &names)
            },
        )
    }

    pub fn unknown(self, range: Range, what: &str, name: &str, known: &[&str]) -> Box<Diagnostic> {
        let wrong = self.wrong(range, format!("unknown {what} `{name}`"));
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        Box::new(match names.is_empty() {
            true => *wrong,
            false => wrong.help(format!("use one of {}", names.join(", "))),
        })
    }
}

impl<'v, 'a> Fields<'v, 'a> {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&'v Value<'a>> {
        let mut properties = self.object.properties.iter();
        properties.find(|property| property.name.as_str() == key).map(|property| &property.value)
    }

    /// Returns the value of a required key.
    pub fn need(&self, key: &str) -> Result<&'v Value<'a>> {
        let lacks = || self.source.wrong(self.open(), format!("missing key `{key}`"));
        self.get(key).ok_or_else(lacks)
    }

    /// Returns the range of the opening brace.
    pub fn open(&self) -> Range {
        Range::new(self.object.range.start, self.object.range.start + 1)
    }
}
