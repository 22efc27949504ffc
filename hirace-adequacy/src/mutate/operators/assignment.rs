//! Mutations of assignment operators.

use super::{Mutation, Table, by_table};
use crate::mutate::syntax::{Language, Syntax};

const TABLE: Table = &[
    ("+=", &["-=", "*=", "/="]),
    ("-=", &["+=", "*=", "/="]),
    ("*=", &["+=", "-=", "/="]),
    ("/=", &["+=", "-=", "*="]),
    ("%=", &["*=", "+=", "-=", "/="]),
    ("<<=", &[">>="]),
    (">>=", &["<<="]),
    ("&=", &["|="]),
    ("|=", &["&="]),
    ("^=", &["&="]),
];

/// The replacements of an increment or decrement by one. Its inverse is missing, because it belongs to the class arithmetic.
const BY_ONE: Table = &[("+=", &["*=", "/="]), ("-=", &["*=", "/="])];

pub(super) fn mutations(syntax: &Syntax, _: Language) -> Vec<Mutation> {
    match syntax {
        Syntax::Assign { token, by_one: true } if matches!(&token.text[..], "+=" | "-=") => {
            by_table(BY_ONE, token, None)
        }
        Syntax::Assign { token, .. } => by_table(TABLE, token, None),
        _ => Vec::new(),
    }
}
