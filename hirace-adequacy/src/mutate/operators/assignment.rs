//! Operators that assign.

use super::{Mistake, Table, by_table};
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

/// Steps by one that become steps the other way are arithmetic.
const BY_ONE: Table = &[("+=", &["*=", "/="]), ("-=", &["*=", "/="])];

pub(super) fn mistakes(syntax: &Syntax, _: Language) -> Vec<Mistake> {
    match syntax {
        Syntax::Assign { token, by_one: true } if matches!(&token.text[..], "+=" | "-=") => {
            by_table(BY_ONE, token, None)
        }
        Syntax::Assign { token, .. } => by_table(TABLE, token, None),
        _ => Vec::new(),
    }
}
