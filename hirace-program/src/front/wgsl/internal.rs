//! Replaces what naga's parser reports as internal errors without a span by specific messages with a span.

use super::tokens::Tokens;
use crate::diagnostic::Diagnostic;
use crate::source_map::SourceMap;
use naga::front::wgsl::ParseError;

/// naga's limit on the nesting depth of statements, expressions and types.
const DEPTH: usize = 200;

/// Creates the diagnostic for an error of naga without a span; `None` for an error with one.
pub fn recognise(
    error: &ParseError,
    tokens: &Tokens<'_>,
    source: &SourceMap,
) -> Option<Diagnostic> {
    if error.labels().len() > 0 {
        return None;
    }
    let said: Vec<&str> = error.notes().collect();
    let has = |part: &str| said.iter().any(|note| note.contains(part));
    let (at, message) = if has("recursion limit") {
        let message =
            format!("statements, expressions and types may nest at most {DEPTH} levels deep");
        (deepest(tokens), message)
    } else if has("attribute but no var") {
        (
            bound(tokens),
            "`@group` and `@binding` are attributes of a `var`; this is not a `var`".to_owned(),
        )
    } else {
        (None, format!("naga, which hirace parses WGSL with, failed: {}", said.join(", ")))
    };
    Some(match at {
        Some(at) => Diagnostic::at(source, tokens.span(at), message),
        None => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
    })
}

/// Returns the innermost bracket.
fn deepest(tokens: &Tokens<'_>) -> Option<usize> {
    let mut depth = 0_usize;
    let mut deepest = None;
    for index in tokens.all() {
        match tokens.text(index) {
            "(" | "[" | "{" | "<" => {
                depth += 1;
                if deepest.is_none_or(|(most, _)| depth > most) {
                    deepest = Some((depth, index));
                }
            }
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest.map(|(_, index)| index)
}

/// Returns the first `@group` or `@binding` of an item other than a variable.
fn bound(tokens: &Tokens<'_>) -> Option<usize> {
    let mut all = tokens.all();
    let mut first = None;
    while let Some(index) = all.next() {
        match tokens.text(index) {
            "@" => {
                if matches!(tokens.text(index + 1), "group" | "binding") {
                    first = first.or(Some(index));
                }
                let after = match tokens.text(index + 2) {
                    "(" => tokens.partner(index + 2)? + 1,
                    _ => index + 2,
                };
                all = after..tokens.all().end;
            }
            "var" => first = None,
            _ if first.is_some() => return first,
            _ => {}
        }
    }
    first
}
