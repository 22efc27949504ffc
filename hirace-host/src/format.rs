//! Format strings, as of Rust's `format!` and Python's `format`, and the placeholders of template engines.

use crate::expression::Expression;
use std::ops::Range;

/// The arguments of a format string.
pub struct Arguments<'a> {
    /// The arguments without a name.
    pub positional: &'a [Expression],
    /// The arguments with a name.
    pub named: &'a [(String, Expression)],
    /// Whether other names are those of variables.
    pub captures: bool,
}

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatPart<'a> {
    /// Its range. That of a literal part is only what appears in the result.
    pub range: Range<usize>,
    /// What it is.
    pub kind: PartKind<'a>,
}

/// The kind of a part of a format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind<'a> {
    /// Text.
    Literal,
    /// `{}`: the next argument.
    Next,
    /// `{0}`: the argument at this index.
    Position(usize),
    /// `{name}`: the argument with this name.
    Name(&'a str),
    /// `{:02}`, `{x!r}`: an argument in another form, whose text is not computed.
    Specified,
}

/// Returns the parts of a format string. `{{` and `}}` stand for braces.
pub fn parts(text: &str) -> Vec<FormatPart<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find(['{', '}']) {
        let at = from + offset;
        let literal = |range| FormatPart { range, kind: PartKind::Literal };
        let rest = &text[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            parts.push(literal(from..at + 1));
            from = at + 2;
            continue;
        }
        parts.push(literal(from..at));
        let Some(end) = rest.find('}').filter(|_| rest.starts_with('{')) else {
            // A brace without a partner is an error in the host language.
            parts.push(literal(at..at + 1));
            from = at + 1;
            continue;
        };
        let inside = &rest[1..end];
        let (argument, form) = inside.split_at(inside.find([':', '!']).unwrap_or(inside.len()));
        let argument = argument.trim();
        let kind = match (argument, argument.parse()) {
            _ if form.len() > 1 => PartKind::Specified,
            ("", _) => PartKind::Next,
            (_, Ok(index)) => PartKind::Position(index),
            (name, Err(_)) => PartKind::Name(name),
        };
        parts.push(FormatPart { range: at..at + end + 1, kind });
        from = at + end + 1;
    }
    parts.push(FormatPart { range: from..text.len(), kind: PartKind::Literal });
    parts.retain(|part| !part.range.is_empty());
    parts
}

/// A part of a text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// Its range.
    pub range: Range<usize>,
    /// The name in a placeholder; `None` for other text.
    pub name: Option<&'a str>,
    /// Whether the part can only be a placeholder. `{name}` may also be a block.
    pub is_certain: bool,
}

/// Returns the parts of a text that may be WGSL with placeholders: `{{NAME}}`, `${NAME}` and `{NAME}`. Those in comments are text.
pub fn placeholders(text: &str) -> Vec<Placeholder<'_>> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(offset) = text[at..].find(['/', '{', '$']) {
        at += offset;
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        let forms = [("{{", "}}", true), ("${", "}", true), ("{", "}", false)];
        let found = forms.into_iter().find_map(|(open, close, is_certain)| {
            let inside = rest.strip_prefix(open)?;
            let is_part = |c: char| c == ' ' || c.is_ascii_alphanumeric() || c == '_';
            let (name, after) = inside.split_at(inside.find(|c| !is_part(c))?);
            let length = open.len() + name.len() + close.len();
            let name = name.trim_matches(' ');
            (after.starts_with(close) && is_name(name)).then_some((name, length, is_certain))
        });
        let Some((name, length, is_certain)) = found else {
            at += 1;
            continue;
        };
        parts.push(Placeholder { range: from..at, name: None, is_certain: false });
        parts.push(Placeholder { range: at..at + length, name: Some(name), is_certain });
        at += length;
        from = at;
    }
    parts.push(Placeholder { range: from..text.len(), name: None, is_certain: false });
    parts.retain(|part| !part.range.is_empty());
    parts
}

/// Returns whether a text is a name that `--define` takes.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether text that follows this WGSL is in a comment.
pub fn ends_in_comment(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or_default();
    let is_block = || text.rfind("/*").is_some_and(|open| !text[open..].contains("*/"));
    line.contains("//") || is_block()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_strings_have_parts() {
        let text = "a{{b}}{}{0}{WG}{WG:>3} {x!r}}";
        let shown: Vec<_> =
            parts(text).into_iter().map(|part| (&text[part.range], part.kind)).collect();
        use PartKind::{Literal, Name, Next, Position, Specified};
        let expected = [
            ("a{", Literal),
            ("b}", Literal),
            ("{}", Next),
            ("{0}", Position(0)),
            ("{WG}", Name("WG")),
            ("{WG:>3}", Specified),
            (" ", Literal),
            ("{x!r}", Specified),
            ("}", Literal),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn placeholders_are_not_in_comments_or_blocks() {
        let text = "// {{A}}\n/* ${B} */ f({{ C }}, ${D}) { { x = 1; } } {E} {{ x = 1; }}";
        let names: Vec<_> = placeholders(text)
            .into_iter()
            .filter_map(|part| Some((part.name?, part.is_certain)))
            .collect();
        assert_eq!(names, [("C", true), ("D", true), ("E", false)]);
    }
}
