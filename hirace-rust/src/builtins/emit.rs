//! The WGSL that is generated for built-in functions.

use super::Builtin;
use crate::types::{Scalar, Type};

/// The way in which a builtin is written in WGSL.
///
/// A template contains `{0}`, `{1}` … for the arguments, each at least once. `{T}` is the type variable, `{E}` its
/// element type, and `{F}`, `{I}`, `{U}` and `{B}` are `T` with `f32`, `i32`, `u32` and `bool` as its scalar type.
/// Arguments are inserted as primary expressions (parenthesised if necessary), and as names if they are used several
/// times. The expanded template must be a primary expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// A call with all arguments, in order.
    Call(&'static str),
    /// A call of a weak compare-exchange that is repeated if it fails spuriously.
    Retried(&'static str),
    /// An expression, given by a template.
    Template(&'static str),
    /// A tuple, given by a template for each part.
    Parts(&'static [&'static str]),
    /// A conversion to the result type.
    Cast,
}

/// A part of an expanded template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// The argument with this index.
    Argument(usize),
}

impl Builtin {
    /// Returns the text of a call, given the type `T`: one list of pieces, or for a tuple one list per part.
    pub fn pieces(&self, variable: Option<&Type>) -> Vec<Vec<Piece>> {
        match self.emit {
            Emit::Call(function) | Emit::Retried(function) => {
                let mut pieces = vec![Piece::Text(format!("{function}("))];
                for number in 0..self.parameters.len() {
                    if number > 0 {
                        pieces.push(Piece::Text(", ".to_owned()));
                    }
                    pieces.push(Piece::Argument(number));
                }
                pieces.push(Piece::Text(")".to_owned()));
                vec![pieces]
            }
            Emit::Template(template) => vec![filled(template, variable)],
            Emit::Cast => {
                let to = self.result.of(variable);
                vec![filled(&format!("{}({{0}})", type_name("T", to.as_ref())), None)]
            }
            Emit::Parts(templates) => {
                templates.iter().map(|template| filled(template, variable)).collect()
            }
        }
    }

    /// Returns whether the argument with this index is written, and therefore evaluated, more than once.
    pub fn repeats(&self, number: usize) -> bool {
        let marker = format!("{{{number}}}");
        let uses = |template: &str| template.matches(&marker).count();
        match self.emit {
            Emit::Call(_) | Emit::Retried(_) | Emit::Cast => false,
            Emit::Template(template) => uses(template) > 1,
            Emit::Parts(templates) => templates.iter().map(|part| uses(part)).sum::<usize>() > 1,
        }
    }
}

/// Splits a template into pieces, and expands its type names.
fn filled(template: &str, variable: Option<&Type>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, marked)) = rest.split_once('{') {
        text.push_str(before);
        let (marker, after) = marked.split_once('}').unwrap_or((marked, ""));
        rest = after;
        match marker.parse() {
            Ok(number) => {
                pieces.extend((!text.is_empty()).then(|| Piece::Text(std::mem::take(&mut text))));
                pieces.push(Piece::Argument(number));
            }
            Err(_) => text.push_str(&type_name(marker, variable)),
        }
    }
    text.push_str(rest);
    pieces.extend((!text.is_empty()).then_some(Piece::Text(text)));
    pieces
}

/// Returns the type name for a template's letter.
fn type_name(letter: &str, variable: Option<&Type>) -> String {
    let (components, element) = match variable {
        Some(Type::Scalar(scalar)) => (1, *scalar),
        Some(Type::Vector(components, scalar)) => (*components, *scalar),
        Some(Type::Matrix { columns, rows }) if letter == "T" => {
            return format!("mat{columns}x{rows}<f32>");
        }
        _ => (1, Scalar::F32),
    };
    let (components, scalar) = match letter {
        "E" => (1, element),
        "F" => (components, Scalar::F32),
        "I" => (components, Scalar::I32),
        "U" => (components, Scalar::U32),
        "B" => (components, Scalar::Bool),
        _ => (components, element),
    };
    let scalar = scalar.wgsl_scalar().name();
    match components {
        1 => scalar.to_owned(),
        _ => format!("vec{components}<{scalar}>"),
    }
}
