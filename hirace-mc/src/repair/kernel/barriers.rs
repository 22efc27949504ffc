//! Repairs that insert, replace, move or remove barriers.

use super::ChangeInfo;
use super::insertion_points::{InsertionPoints, whole};
use crate::repair::Change;
use crate::report::results::ChangeKind;
use hirace_core::edit::Edit;
use hirace_core::edit::place::remove;
use hirace_core::facts::BarrierClass;
use hirace_core::ir::access::Action;
use hirace_core::ir::sites::{Site, SiteKind};
use hirace_core::ir::walk::FunctionId;
use hirace_core::program::Program;
use hirace_core::report::words::spelling;
use naga::{AddressSpace, GlobalVariable, Handle};

/// The storage classes that a repair may let a workgroup barrier order.
const CLASSES: [BarrierClass; 2] = [BarrierClass::Workgroup, BarrierClass::Storage];

/// Returns the class of barriers that order a variable.
pub fn class_of(program: &Program, variable: Handle<GlobalVariable>) -> BarrierClass {
    match program.module.global_variables[variable].space {
        AddressSpace::WorkGroup => BarrierClass::Workgroup,
        AddressSpace::Handle => BarrierClass::Texture,
        _ => BarrierClass::Storage,
    }
}

/// Returns all changes of barriers in the given functions of `program`.
pub fn changes(
    program: &Program,
    functions: &[FunctionId],
    places: &InsertionPoints,
) -> Vec<(ChangeInfo, Change)> {
    let text = program.source.text();
    let call = |class| spelling::barrier(program.language, class);
    let statement = |class| format!("{};", call(class));
    let mut changes = Vec::new();
    let touched = |class: BarrierClass| {
        let mut accesses = program.sites.accesses();
        accesses.any(|(.., access)| class_of(program, access.global) == class)
    };
    for class in CLASSES.into_iter().filter(|class| touched(*class)) {
        for place in &places.list {
            let edits = vec![place.insert(text, &statement(class))];
            let what = ChangeInfo::Insert(class, place.at);
            changes.push((what, Change::of_barrier(ChangeKind::InsertBarrier, edits)));
        }
    }
    for barrier in barriers(program, functions) {
        let SiteKind::Barrier(does) = barrier.kind else { continue };
        let orders = |class: &BarrierClass| does.in_workgroup.contains(class.flag());
        let is_needed =
            CLASSES.iter().any(|class| orders(class) && conflicts(program, functions, *class));
        for class in CLASSES.into_iter().filter(|class| !orders(class) && touched(*class)) {
            let edits = vec![Edit::new(barrier.span, call(class))];
            let what = ChangeInfo::Replace { at: barrier.span, class, is_needed };
            changes.push((what, Change::of_barrier(ChangeKind::ReplaceBarrier, edits)));
        }
        let own = whole(text, barrier.statement);
        let removed = remove(text, own);
        let change = Change::of_barrier(ChangeKind::RemoveBarrier, vec![removed.clone()]);
        changes.push((ChangeInfo::Remove(barrier.span), change));
        for place in &places.list {
            let edits = vec![removed.clone(), place.insert(text, program.source.snippet(own))];
            let what = ChangeInfo::Move(barrier.span, place.at);
            changes.push((what, Change::of_barrier(ChangeKind::MoveBarrier, edits)));
        }
    }
    changes
}

/// Returns the barriers that are statements of their own, which excludes `workgroupUniformLoad`.
fn barriers<'a>(
    program: &'a Program,
    functions: &'a [FunctionId],
) -> impl Iterator<Item = &'a Site> {
    let loads = |site: &Site| program.sites.accesses().any(|(_, other, _)| other.span == site.span);
    program.sites.list.iter().filter(move |site| {
        matches!(site.kind, SiteKind::Barrier(_))
            && functions.contains(&site.function)
            && !site.statement.is_empty()
            && !loads(site)
    })
}

/// Returns whether some memory of a class is both read and written, and must therefore be ordered.
fn conflicts(program: &Program, functions: &[FunctionId], class: BarrierClass) -> bool {
    let accesses = program.sites.accesses().filter(|(_, site, access)| {
        functions.contains(&site.function) && class_of(program, access.global) == class
    });
    let all: Vec<_> = accesses.map(|(.., access)| (access.global, access.action)).collect();
    let does = |variable, action| all.contains(&(variable, action));
    all.iter().any(|(variable, action)| {
        action.is_atomic() || does(*variable, Action::Read) && does(*variable, Action::Write)
    })
}
