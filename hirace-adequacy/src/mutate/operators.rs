//! The mutation operators.
//!
//! There is a module per class, registered in [`CLASSES`]. All classes except `gpu` come from CLTestCheck (for example
//! `+` to `-`, `*` and `/`; a deleted barrier; a coordinate off by one; a loop with one iteration less or more); `gpu`
//! is based on later work.
//!
//! Operators work on the tokens of the source and not on naga's module, in which constants are folded and `x += 1` is
//! an assignment. **Architecture invariant:** a mutant is an edit of the source, and every way to run it has the
//! behavior of the edited text.

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

/// A mutation at a location in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// The name of the operator: `less-to-less-equal`.
    pub operator: String,
    /// The span that is shown as replaced.
    pub at: Span,
    /// The text that is shown as replacement.
    pub replacement: String,
    /// Alternative edits of the text; the first that compiles is used.
    pub ways: Vec<Vec<Edit>>,
}

/// Returns the mutations of a class at a piece of syntax.
type Operators = fn(&Syntax, Language) -> Vec<Mutation>;

/// All classes with their operators.
pub const CLASSES: [(Class, Operators); 9] = [
    (Class::Arithmetic, arithmetic::mutations),
    (Class::Relational, relational::mutations),
    (Class::Logical, logical::mutations),
    (Class::Bitwise, bitwise::mutations),
    (Class::Assignment, assignment::mutations),
    (Class::Barrier, barrier::mutations),
    (Class::ImageAccess, image_access::mutations),
    (Class::LoopBoundary, loop_boundary::mutations),
    (Class::Gpu, gpu::mutations),
];

impl Mutation {
    /// Creates a mutation that replaces `at` by `replacement`.
    fn new(operator: impl Into<String>, at: Span, replacement: impl Into<String>) -> Self {
        let replacement = replacement.into();
        let ways = vec![vec![Edit::new(at, replacement.clone())]];
        Self { operator: operator.into(), at, replacement, ways }
    }

    /// Creates a mutation that replaces an operator by another one.
    fn other(token: &Token, replacement: &str) -> Self {
        let operator = format!("{}-to-{}", name(&token.text), name(replacement));
        Self::new(operator, token.at, replacement)
    }

    /// Creates a mutation that deletes an operator.
    fn deleted(operator: &str, token: &Token) -> Self {
        Self::new(operator, token.at, "")
    }
}

/// A table of operators with their replacements.
type Table = &'static [(&'static str, &'static [&'static str])];

/// Returns the mutations of an operator by a table. `cast` is its left operand if that ends in a type.
fn by_table(table: Table, token: &Token, cast: Option<Span>) -> Vec<Mutation> {
    let found = table.iter().find(|(from, _)| *from == token.text);
    let others = found.map_or(&[][..], |(_, others)| others);
    let made = others.iter().map(|other| {
        let mut mistake = Mutation::other(token, other);
        if let (Some(cast), true) = (cast, other.starts_with('<')) {
            let at = |at: u32| Span::new(at, at);
            let around = [Edit::new(at(cast.start), "("), Edit::new(at(cast.end), ")")];
            mistake.ways[0].extend(around);
        }
        mistake
    });
    made.collect()
}

/// Returns the name of an operator.
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
