//! Mutations of `&&` and `||`, and deletion of `!`.

use super::{Mistake, Table, by_table};
use crate::mutate::syntax::{Language, Syntax};

const TABLE: Table = &[("&&", &["||"]), ("||", &["&&"])];

pub(super) fn mistakes(syntax: &Syntax, _: Language) -> Vec<Mistake> {
    match syntax {
        Syntax::Binary { token, cast } => by_table(TABLE, token, *cast),
        Syntax::Unary(token) if token.text == "!" => vec![Mistake::deleted("not-deleted", token)],
        _ => Vec::new(),
    }
}
