//! Replaces errors of naga's parser that have no span by specific messages, with a span where it can be determined.

use super::tokens::{TokenKind, Tokens};
use crate::diagnostic::Diagnostic;
use crate::source_map::SourceMap;
use naga::front::wgsl::ParseError;

/// naga's limit on the nesting depth of statements, expressions and types.
const MAX_DEPTH: usize = 200;

/// Creates the diagnostic for an error of naga without a span. Returns `None` if the error has a span.
pub fn recognize(
    error: &ParseError,
    tokens: &Tokens<'_>,
    source: &SourceMap,
) -> Option<Diagnostic> {
    if error.labels().len() > 0 {
        return None;
    }
    let notes: Vec<&str> = error.notes().collect();
    let has = |part: &str| notes.iter().any(|note| note.contains(part));
    let (at, message) = if has("recursion limit") {
        let message =
            format!("statements, expressions and types may nest at most {MAX_DEPTH} levels deep");
        (deepest(tokens), message)
    } else if has("attribute but no var") {
        (
            find_misplaced_binding(tokens),
            "`@group` and `@binding` are attributes of a `var`; this is not a `var`".to_owned(),
        )
    } else if let Some(found) = incompatible_operands(error.message(), tokens) {
        found
    } else {
        let reasons: Vec<&str> =
            [error.message()].into_iter().chain(notes).filter(|text| !text.is_empty()).collect();
        (None, format!("naga, hirace's WGSL parser, failed: {}", reasons.join(", ")))
    };
    Some(match at {
        Some(at) => Diagnostic::at(source, tokens.span(at), message),
        None => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
    })
}

/// Returns the most deeply nested opening bracket.
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

/// naga's names of the operators that some types do not support.
const OPERATORS: [(&str, &str); 18] = [
    ("Add", "+"),
    ("Subtract", "-"),
    ("Multiply", "*"),
    ("Divide", "/"),
    ("Modulo", "%"),
    ("Equal", "=="),
    ("NotEqual", "!="),
    ("Less", "<"),
    ("LessEqual", "<="),
    ("Greater", ">"),
    ("GreaterEqual", ">="),
    ("And", "&"),
    ("ExclusiveOr", "^"),
    ("InclusiveOr", "|"),
    ("LogicalAnd", "&&"),
    ("LogicalOr", "||"),
    ("ShiftLeft", "<<"),
    ("ShiftRight", ">>"),
];

/// Describes naga's error for an operator that the types of its operands do not support:
/// `Incompatible operands: Greater(Struct { … }, _)`. Returns the operator, if the text has only one such operator.
fn incompatible_operands(message: &str, tokens: &Tokens<'_>) -> Option<(Option<usize>, String)> {
    let (operator, operands) = message.strip_prefix("Incompatible operands: ")?.split_once('(')?;
    let (_, operator) = OPERATORS.iter().find(|(name, _)| *name == operator)?;
    let ty = operands.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let ty = match ty {
        "Struct" => struct_of(operands, tokens)
            .map_or_else(|| "a structure".to_owned(), |name| format!("the structure `{name}`")),
        "Array" => "an array".to_owned(),
        _ => "these types".to_owned(),
    };
    let mut found = operators(tokens).into_iter().filter(|at| tokens.text(*at) == *operator);
    let only = found.next().filter(|_| found.next().is_none());
    Some((only, format!("operator `{operator}` cannot be applied to {ty}")))
}

/// Returns the name of the structure whose members naga lists.
fn struct_of<'a>(members: &str, tokens: &Tokens<'a>) -> Option<&'a str> {
    let names: Vec<&str> =
        members.split("name: Some(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let declared = tokens.all().filter(|at| tokens.text(*at) == "struct");
    let mut declared = declared.filter(|at| {
        let end = tokens.partner(at + 2).unwrap_or(at + 2);
        let members = (at + 3..end).filter(|at| tokens.text(at + 1) == ":");
        members.map(|at| tokens.text(at)).eq(names.iter().copied())
    });
    declared.next().map(|at| tokens.text(at + 1))
}

/// Returns the operators of a text, without the angle brackets of template parameters.
fn operators(tokens: &Tokens<'_>) -> Vec<usize> {
    let is_template = |word: &str| {
        let generic =
            ["array", "atomic", "ptr", "var", "vec", "mat", "texture", "binding_array", "bitcast"];
        generic.iter().any(|start| word.starts_with(start))
    };
    let (mut all, mut open) = (Vec::new(), 0_usize);
    for at in tokens.all().filter(|at| tokens.kind(*at) == TokenKind::Punctuation) {
        match tokens.text(at) {
            "<" if at > 0 && is_template(tokens.text(at - 1)) => open += 1,
            ">" if open > 0 => open -= 1,
            ">>" if open > 1 => open -= 2,
            _ => all.push(at),
        }
    }
    all
}

/// Returns the first `@group` or `@binding` of an item other than a variable.
fn find_misplaced_binding(tokens: &Tokens<'_>) -> Option<usize> {
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
