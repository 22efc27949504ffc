//! Mutations of `+ - * / %`, unary minus, and increments by one.

use super::{Mutation, Table, by_table};
use crate::mutate::syntax::{Language, Syntax};

const TABLE: Table = &[
    ("+", &["-", "*", "/"]),
    ("-", &["+", "*", "/"]),
    ("*", &["/", "+", "-"]),
    ("/", &["*", "+", "-"]),
    ("%", &["*", "+", "-", "/"]),
];

/// An increment becomes a decrement and vice versa. Other replacements of these belong to the class assignment.
const STEPS: Table = &[("++", &["--"]), ("--", &["++"]), ("+=", &["-="]), ("-=", &["+="])];

pub(super) fn mutations(syntax: &Syntax, _: Language) -> Vec<Mutation> {
    match syntax {
        Syntax::Binary { token, cast } => by_table(TABLE, token, *cast),
        Syntax::Unary(token) if token.text == "-" => {
            vec![Mutation::deleted("negate-deleted", token)]
        }
        Syntax::Step(token) | Syntax::Assign { token, by_one: true } => {
            by_table(STEPS, token, None)
        }
        _ => Vec::new(),
    }
}
