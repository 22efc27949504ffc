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

/// Increments by one that become decrements belong to the class arithmetic.
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
