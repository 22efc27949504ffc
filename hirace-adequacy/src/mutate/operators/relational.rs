//! Mutations of comparisons.

use super::{Mistake, Table, by_table};
use crate::mutate::syntax::{Language, Syntax};

const TABLE: Table = &[
    ("<", &[">", "<=", ">="]),
    (">", &["<", "<=", ">="]),
    ("<=", &[">=", ">", "<"]),
    (">=", &["<=", "<", ">"]),
    ("==", &["!="]),
    ("!=", &["=="]),
];

pub(super) fn mistakes(syntax: &Syntax, _: Language) -> Vec<Mistake> {
    match syntax {
        Syntax::Binary { token, cast } => by_table(TABLE, token, *cast),
        _ => Vec::new(),
    }
}
