//! Mutations of `&&` and `||`, and deletion of `!`.

use super::{Mutation, Table, by_table};
use crate::mutate::syntax::{Language, Syntax};

const TABLE: Table = &[("&&", &["||"]), ("||", &["&&"])];

pub(super) fn mutations(syntax: &Syntax, _: Language) -> Vec<Mutation> {
    match syntax {
        Syntax::Binary { token, cast } => by_table(TABLE, token, *cast),
        Syntax::Unary(token) if token.text == "!" => vec![Mutation::deleted("not-deleted", token)],
        _ => Vec::new(),
    }
}
