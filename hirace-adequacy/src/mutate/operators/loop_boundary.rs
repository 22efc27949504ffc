//! Mutations of loops: no iterations, one less, or one more.

use super::Mutation;
use crate::mutate::syntax::{Language, Syntax};
use hirace_core::edit::Edit;

pub(super) fn mutations(syntax: &Syntax, _: Language) -> Vec<Mutation> {
    let Syntax::Loop(of) = syntax else { return Vec::new() };
    let one = |operator: &str, edit: &Edit| Mutation::new(operator, edit.at, edit.text.clone());
    let mut mutations = vec![one("loop-skipped", &of.none)];
    mutations.extend(of.less.as_ref().map(|edit| one("one-iteration-less", edit)));
    mutations.extend(of.more.as_ref().map(|edit| one("one-iteration-more", edit)));
    mutations
}
