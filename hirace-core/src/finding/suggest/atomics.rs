//! Suggestions for updates that race with themselves: the atomic operations that should replace them.

use super::candidate::{Candidate, Candidates, Change};
use super::counter::{self, Update};
use super::edits::atomics::edits_for_update;
use crate::facts::Suggestion;
use crate::facts::place::line_of;
use crate::facts::suggestion::AtomicTarget;
use crate::finding::element;
use crate::finding::group::Group;
use crate::ir::access::{Action, Target};
use crate::ir::sites::SiteId;
use crate::program::Program;
use naga::{Expression, TypeInner};
use std::collections::BTreeSet;

/// Returns the update that races with itself, if this race is one.
pub(super) fn update(program: &Program, group: &Group) -> Option<Update> {
    let (a, b) = (group.pair.earlier, group.pair.later);
    let write = if a.action == Action::Write { a.site } else { b.site };
    let update = counter::update(program, write)?;
    // Within a workgroup, such a read and write may belong to two phases, between which a barrier is missing.
    if update.guard.is_some()
        && update.atomic.is_none()
        && !(group.across_workgroups && update.has_atomics)
    {
        return None;
    }
    let of_update = |site: SiteId| site == update.read || site == update.write;
    (of_update(a.site) && of_update(b.site)).then_some(update)
}

/// Returns the suggestions to do `update` in one step. `groups` are all races of the launch.
pub(super) fn candidates(
    program: &Program,
    entry: usize,
    group: &Group,
    groups: &[Group],
    update: &Update,
) -> Candidates {
    let suggestion = suggestion(program, group, update);
    let edits = match suggestion {
        // Atomic memory has no races, so no trial would show that another race on it needs a barrier.
        Suggestion::UseAtomic { .. } if has_only_updates(program, group, groups) => {
            edits_for_update(program, entry, update.write)
        }
        _ => None,
    };
    let change = edits.map(Change::Source);
    let candidate = change.map(|change| Candidate { suggestion: suggestion.clone(), change });
    Candidates { list: candidate.into_iter().collect(), ..suggestion.into() }
}

/// Returns whether the accesses of all races on the memory of `group` belong to updates that have an atomic form.
fn has_only_updates(program: &Program, group: &Group, groups: &[Group]) -> bool {
    let memory = group.pair.later.granule.memory;
    let writes = program.sites.accesses();
    let writes = writes.filter(|(.., access)| access.action == Action::Write);
    let updates = writes.filter_map(|(site, ..)| counter::update(program, site));
    let atomic = updates.filter(|update| update.atomic.is_some());
    let sites: BTreeSet<SiteId> = atomic.flat_map(|update| [update.read, update.write]).collect();
    let own = groups.iter().filter(|of| of.pair.later.granule.memory == memory);
    own.flat_map(|of| &of.sites).all(|(a, b)| sites.contains(a) && sites.contains(b))
}

/// Returns the suggestion to do `update` in one step.
fn suggestion(program: &Program, group: &Group, update: &Update) -> Suggestion {
    let variable = element::variable_name(program, group.pair.later.granule.memory);
    match update.atomic {
        Some(function) if update.has_atomics => {
            let text =
                program.sites.get(update.write).map(|site| program.source.snippet(site.span));
            let place = match text.filter(|text| !text.contains('\n')) {
                Some(text) if program.language.shows_expressions() => text.to_owned(),
                text => place_name(program, update.write, text.unwrap_or_default())
                    .unwrap_or_else(|| variable.clone()),
            };
            let shown = strip_dereference(&place);
            let target = match indexed(shown) {
                Some(array) => AtomicTarget::Elements(array.to_owned()),
                None if shown.starts_with(&variable) || !program.language.shows_expressions() => {
                    AtomicTarget::Place(shown.to_owned())
                }
                None => AtomicTarget::Place(variable.clone()),
            };
            let line = match update.guard {
                Some(_) => line_of(program, update.read),
                None => line_of(program, update.write),
            };
            Suggestion::UseAtomic { target, function, place, line }
        }
        None if update.has_atomics => Suggestion::CompareExchange(variable),
        _ => Suggestion::Combine(variable),
    }
}

/// Returns the name of the place that a write is to, with `…` for each index: `Block.bins[…]`, or `bins[…]` if `line`, the source of the
/// write, does not name the block. Returns `None` if a part of the place has no name.
fn place_name(program: &Program, write: SiteId, line: &str) -> Option<String> {
    let Target::Pointer { pointer, .. } = program.sites.access(write)?.target else { return None };
    let id = program.sites.get(write)?.function;
    let (function, info) = (id.get(&program.module), program.info_of(id));
    let (mut at, mut path) = (pointer, Vec::new());
    let variable = loop {
        let (base, index) = match function.expressions[at] {
            Expression::AccessIndex { base, index } => (base, Some(index)),
            Expression::Access { base, .. } => (base, None),
            Expression::GlobalVariable(variable) => break variable,
            _ => return None,
        };
        let types = &program.module.types;
        let inner = match *info[base].ty.inner_with(types) {
            TypeInner::Pointer { base, .. } => &types[base].inner,
            ref inner => inner,
        };
        path.push(match (inner, index) {
            (TypeInner::Struct { members, .. }, Some(index)) => {
                format!(".{}", members.get(index as usize)?.name.as_ref()?)
            }
            _ => "[…]".to_owned(),
        });
        at = base;
    };
    let block = program.module.global_variables[variable].name.as_ref()?;
    let path: String = path.into_iter().rev().collect();
    Some(match path.strip_prefix('.') {
        Some(member) if !line.contains(&format!("{block}.")) => member.to_owned(),
        _ => format!("{block}{path}"),
    })
}

/// Returns the indexed expression: `a.b` of `a.b[i]`.
fn indexed(place: &str) -> Option<&str> {
    let inner = place.strip_suffix(']')?;
    let mut open = 1;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ']' => open += 1,
            '[' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(&inner[..at]);
        }
    }
    None
}

/// Returns a place without the dereferences that Rust writes and WGSL does not.
pub(crate) fn strip_dereference(place: &str) -> &str {
    place.trim_start_matches(['*', '(']).trim_end_matches(')')
}
