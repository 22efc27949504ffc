//! Mutations that matter only with many invocations: non-atomic operations, wrong built-in ids, unshared memory, and
//! other workgroup sizes.

use super::Mutation;
use crate::mutate::syntax::{Atomic, Language, Rmw, Syntax, Token, operand};
use hirace_core::edit::Edit;

/// Ids that may be confused with each other: short name, name in WGSL and Rust, and name in GLSL.
const IDS: [(&str, &str, &str); 3] = [
    ("global", "global_invocation_id", "gl_GlobalInvocationID"),
    ("local", "local_invocation_id", "gl_LocalInvocationID"),
    ("workgroup", "workgroup_id", "gl_WorkGroupID"),
];

pub(super) fn mutations(syntax: &Syntax, language: Language) -> Vec<Mutation> {
    match syntax {
        Syntax::Atomic(atomic) => vec![plain(atomic)],
        Syntax::Builtin { name, declared } => others(name, declared),
        Syntax::IdName { name, builtin, others } => by_name(name, builtin, others),
        Syntax::Id { axis, at, of } => {
            let mut mutations = Vec::new();
            if let Some(axis) = axis {
                mutations.extend(match &axis.text[..] {
                    "x" => Some(Mutation::new("id-x-to-y", axis.at, "y")),
                    "y" => Some(Mutation::new("id-y-to-x", axis.at, "x")),
                    _ => None,
                });
            }
            let shown = match axis {
                Some(axis) => format!("{}.{}", of.text, axis.text),
                None => of.text.clone(),
            };
            let one = if language == Language::Glsl { "1u" } else { "1" };
            for (operator, sign) in [("id-plus-one", '+'), ("id-minus-one", '-')] {
                mutations.push(Mutation::new(operator, *at, format!("({shown} {sign} {one})")));
            }
            mutations
        }
        Syntax::Workgroup(token) => {
            // A GLSL variable without a qualifier is private to the invocation.
            let private = if language == Language::Glsl { "" } else { "private" };
            vec![Mutation::new("workgroup-to-private", token.at, private)]
        }
        Syntax::WorkgroupSize(sizes) => size(sizes),
        _ => Vec::new(),
    }
}

/// Replaces an atomic operation by a load and a store, so that writes in between are lost.
fn plain(atomic: &Atomic) -> Mutation {
    let Atomic { before, old, kept, operation, operand, load, store, .. } = atomic;
    let value = match (kept, old) {
        (Some(_), _) => "old_value",
        (None, Some(old)) => old,
        (None, None) => load,
    };
    let of = |operator: char| format!("{value} {operator} ({operand})");
    let made = match operation {
        Rmw::Add => of('+'),
        Rmw::Sub => of('-'),
        Rmw::And => of('&'),
        Rmw::Or => of('|'),
        Rmw::Xor => of('^'),
        Rmw::Min => format!("min({value}, {operand})"),
        Rmw::Max => format!("max({value}, {operand})"),
        Rmw::Exchange => operand.clone(),
    };
    let stored = format!("{}{made}{}", store[0], store[1]);
    let text = match (kept, old) {
        (Some(kept), _) => format!("{kept}{load}; {stored}; {before}{value}"),
        (None, Some(_)) => format!("{before}{load}; {stored}"),
        (None, None) => stored,
    };
    Mutation::new("atomic-to-load-and-store", atomic.statement, text)
}

/// Returns the number of an id in [`IDS`].
fn id(name: &str) -> Option<usize> {
    IDS.iter().position(|(_, wgsl, glsl)| *wgsl == name || *glsl == name)
}

/// Replaces the built-in id of a declaration by those that are not declared next to it.
fn others(name: &Token, declared: &[String]) -> Vec<Mutation> {
    let Some(own) = id(&name.text) else { return Vec::new() };
    let others = IDS.iter().enumerate().filter(|(other, _)| *other != own);
    let texts = others.map(|(_, &(short, wgsl, glsl))| {
        (short, if name.text.starts_with("gl_") { glsl } else { wgsl })
    });
    let free = texts.filter(|(_, text)| !declared.iter().any(|one| one == text));
    free.map(|(short, text)| {
        Mutation::new(format!("{}-id-to-{short}-id", IDS[own].0), name.at, text)
    })
    .collect()
}

/// Replaces the name of an id where it is read by the names of the ids that are declared next to it.
fn by_name(name: &Token, builtin: &str, others: &[(String, String)]) -> Vec<Mutation> {
    let Some(own) = id(builtin) else { return Vec::new() };
    let others = others.iter().filter_map(|(other, name)| Some((id(other)?, name)));
    let others = others.filter(|(other, _)| *other != own);
    others
        .map(|(other, text)| {
            let operator = format!("{}-id-to-{}-id", IDS[own].0, IDS[other].0);
            Mutation::new(operator, name.at, &text[..])
        })
        .collect()
}

/// Increments and decrements each given dimension, and swaps dimensions.
fn size(sizes: &[Token]) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    for size in sizes {
        let digits = size.text.trim_end_matches(['u', 'i']);
        for (operator, by) in [("workgroup-size-plus-one", 1), ("workgroup-size-minus-one", -1)] {
            let text = match digits.parse::<i64>() {
                Ok(number) => (number + by).to_string(),
                Err(_) => format!("{} {} 1", operand(&size.text), if by > 0 { '+' } else { '-' }),
            };
            mutations.push(Mutation::new(operator, size.at, text));
        }
    }
    if let [x, y, ..] = sizes
        && x.text != y.text
    {
        let edits = vec![Edit::new(x.at, &y.text[..]), Edit::new(y.at, &x.text[..])];
        mutations.push(Mutation {
            operator: "workgroup-size-x-and-y-exchanged".to_owned(),
            at: x.at,
            replacement: y.text.clone(),
            ways: vec![edits],
        });
    }
    mutations
}
