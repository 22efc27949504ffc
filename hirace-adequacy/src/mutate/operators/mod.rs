//! The operators: what mistakes are made in a source.
//!
//! One class a file, registered in [`CLASSES`]. The first classes are CLTestCheck's (`+` to `-`, `*` and `/`, and so on;
//! a barrier deleted; a coordinate off by one; a loop that runs a turn less or more); `gpu` is what later work adds.

mod arithmetic;
mod assignment;
mod barrier;
mod bitwise;
mod gpu;
mod image_access;
mod logical;
mod loop_boundary;
mod relational;

use super::results::Class;
use super::syntax::{Language, Syntax, Token};
use hirace_core::edit::Edit;
use hirace_core::source_map::Span;

/// A mistake at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// The name of the operator: `less-to-less-equal`.
    pub operator: String,
    /// What is shown to be replaced.
    pub at: Span,
    /// What is shown to stand there instead.
    pub replacement: String,
    /// How that is written into the text: the first of these that compiles.
    pub ways: Vec<Vec<Edit>>,
}

/// The mistakes of a class at a piece of syntax.
type Operators = fn(&Syntax, Language) -> Vec<Mistake>;

/// Every class, with its operators.
pub const CLASSES: [(Class, Operators); 9] = [
    (Class::Arithmetic, arithmetic::mistakes),
    (Class::Relational, relational::mistakes),
    (Class::Logical, logical::mistakes),
    (Class::Bitwise, bitwise::mistakes),
    (Class::Assignment, assignment::mistakes),
    (Class::Barrier, barrier::mistakes),
    (Class::ImageAccess, image_access::mistakes),
    (Class::LoopBoundary, loop_boundary::mistakes),
    (Class::Gpu, gpu::mistakes),
];

impl Mistake {
    /// `at` becomes `replacement`.
    fn new(operator: impl Into<String>, at: Span, replacement: impl Into<String>) -> Self {
        let replacement = replacement.into();
        let ways = vec![vec![Edit::new(at, replacement.clone())]];
        Self { operator: operator.into(), at, replacement, ways }
    }

    /// This operator becomes another one.
    fn other(token: &Token, replacement: &str) -> Self {
        let operator = format!("{}-to-{}", name(&token.text), name(replacement));
        Self::new(operator, token.at, replacement)
    }

    /// This operator is left out.
    fn deleted(operator: &str, token: &Token) -> Self {
        Self::new(operator, token.at, "")
    }
}

/// A table of operators: what each becomes.
type Table = &'static [(&'static str, &'static [&'static str])];

/// The mistakes that a table has for an operator, behind this operand if that ends in a type.
fn by_table(table: Table, token: &Token, cast: Option<Span>) -> Vec<Mistake> {
    let found = table.iter().find(|(from, _)| *from == token.text);
    let others = found.map_or(&[][..], |(_, others)| others);
    let made = others.iter().map(|other| {
        let mut mistake = Mistake::other(token, other);
        if let (Some(cast), true) = (cast, other.starts_with('<')) {
            let at = |at: u32| Span::new(at, at);
            let around = [Edit::new(at(cast.start), "("), Edit::new(at(cast.end), ")")];
            mistake.ways[0].extend(around);
        }
        mistake
    });
    made.collect()
}

/// What an operator is called.
fn name(operator: &str) -> &'static str {
    match operator {
        "+" => "plus",
        "-" => "minus",
        "*" => "times",
        "/" => "divide",
        "%" => "remainder",
        "<" => "less",
        ">" => "greater",
        "<=" => "less-equal",
        ">=" => "greater-equal",
        "==" => "equal",
        "!=" => "not-equal",
        "&&" => "and",
        "||" => "or",
        "&" => "bit-and",
        "|" => "bit-or",
        "^" => "bit-xor",
        "<<" => "shift-left",
        ">>" => "shift-right",
        "+=" => "plus-assign",
        "-=" => "minus-assign",
        "*=" => "times-assign",
        "/=" => "divide-assign",
        "%=" => "remainder-assign",
        "&=" => "bit-and-assign",
        "|=" => "bit-or-assign",
        "^=" => "bit-xor-assign",
        "<<=" => "shift-left-assign",
        ">>=" => "shift-right-assign",
        "++" => "increment",
        "--" => "decrement",
        _ => "other",
    }
}
