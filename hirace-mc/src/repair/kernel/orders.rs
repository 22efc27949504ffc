//! Repairs that strengthen memory orders and widen scopes in Rust models, which state both.
//!
//! If several calls on the same memory have the same order or scope, there is also one change for all of them. The
//! search leaves out the parts that are not needed.

use super::ChangeInfo;
use super::call::{Call, Stronger};
use crate::repair::Change;
use crate::report::results::ChangeKind;
use hirace_core::front::wgsl::tokens::Tokens;
use hirace_core::ir::order::Scope;
use hirace_core::ir::sites::{SiteId, SiteKind};
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::{Language, Program};
use hirace_core::source_map::Span;
use naga::{AddressSpace, GlobalVariable, Handle};
use std::collections::{BTreeMap, BTreeSet};

/// A change of one call: its span, and the stronger form.
type One = (Span, Stronger);

/// The key of equal changes of several calls: the memory, the old text and the new text.
type EqualChangeKey<'a> = (Option<Handle<GlobalVariable>>, &'a str, String);

/// Returns all such changes in the given functions of `program`.
pub fn changes(program: &Program, functions: &[FunctionId]) -> Vec<(ChangeInfo, Change)> {
    if program.language != Language::Rust {
        return Vec::new();
    }
    let text = program.source.text();
    let tokens = Tokens::new(text);
    let mut alike: BTreeMap<EqualChangeKey<'_>, Vec<One>> = BTreeMap::new();
    let mut scopes = BTreeSet::new();
    for (span, variable) in ordered(program, functions) {
        let Some(call) = Call::at(text, &tokens, span) else { continue };
        let space = variable.map(|variable| program.module.global_variables[variable].space);
        let shared = match space {
            Some(AddressSpace::WorkGroup) => Scope::Workgroup,
            _ => Scope::Device,
        };
        let wider = call.scopes(shared);
        scopes.extend(wider.iter().map(|wider| wider.edit.at));
        for stronger in wider.into_iter().chain(call.orders()) {
            let key =
                (variable, program.source.snippet(stronger.edit.at), stronger.edit.text.clone());
            alike.entry(key).or_default().push((span, stronger));
        }
    }
    let mut changes = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |all: &[One]| {
        let Some((_, first)) = all.first() else { return };
        let edits: Vec<_> = all.iter().map(|(_, stronger)| stronger.edit.clone()).collect();
        // One call may be several sites, for example in a helper that is called with several variables.
        if !known.insert(edits.clone()) {
            return;
        }
        let change = Change { kind: ChangeKind::Strengthen, size: 1, steps: first.steps, edits };
        let is_scope = scopes.contains(&first.edit.at);
        let spans = all.iter().map(|(span, _)| *span).collect();
        changes.push((ChangeInfo::Strengthen { spans, steps: first.steps, is_scope }, change));
    };
    for all in alike.values() {
        all.iter().for_each(|one| add(std::slice::from_ref(one)));
        if all.len() > 1 {
            add(all);
        }
    }
    changes
}

/// Returns the atomics and fences that may state an order, with the variable of an atomic.
fn ordered(
    program: &Program,
    functions: &[FunctionId],
) -> BTreeSet<(Span, Option<Handle<GlobalVariable>>)> {
    let sites = (0..).map(SiteId).zip(&program.sites.list);
    let own = sites.filter(|(id, site)| {
        functions.contains(&site.function) && program.sites.ordering(*id).is_some()
    });
    let memory = own.map(|(_, site)| match &site.kind {
        SiteKind::Access(access) => (site.span, Some(access.global)),
        _ => (site.span, None),
    });
    memory.collect()
}
