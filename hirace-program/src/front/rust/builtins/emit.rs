//! How the functions are written in WGSL.

use super::super::tree::{Scalar, Type};
use super::Builtin;

/// How a builtin is written in WGSL.
///
/// Templates have `{0}`, `{1}` … for the arguments, each once or more, and `{T}` for the type variable, `{E}`
/// for its element, `{F}`, `{I}`, `{U}` and `{B}` for `T` with `f32`, `i32`, `u32` and `bool` for its scalar.
/// What stands for an argument must be a primary expression (in parentheses if need be), and where it is used
/// several times, a name. What comes of the template is a primary expression too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// A call with all arguments in order.
    Call(&'static str),
    /// A call of a compare-exchange, which may fail although it need not: made again then.
    Retried(&'static str),
    /// An expression by a template.
    Template(&'static str),
    /// A tuple: a template for each part.
    Parts(&'static [&'static str]),
    /// A conversion to the type of the result.
    Cast,
}

/// A piece of WGSL text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// The argument of this number.
    Argument(usize),
}

impl Builtin {
    /// What is printed for a call, with this type for `T`: one list, or for a tuple one for each part.
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

    /// Whether the argument of this number is written, and evaluated, more than once.
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

/// A template with its types written out.
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

/// The type that a template's letter stands for.
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
    let scalar = scalar.stored().name();
    match components {
        1 => scalar.to_owned(),
        _ => format!("vec{components}<{scalar}>"),
    }
}
