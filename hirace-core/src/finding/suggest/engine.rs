//! Suggestions for the findings that the engine detects itself.

use super::candidate::{Candidate, Candidates, Change};
use super::edits::guard;
use crate::analysis::uniformity;
use crate::facts::Suggestion;
use crate::facts::place::line_of;
use crate::finding::barriers::barrier;
use crate::finding::element;
use crate::finding::invocation_location::in_source;
use crate::finding::structure::Structure;
use crate::ir::body::StatementKind;
use crate::ir::sites::{SiteId, SiteKind};
use crate::ir::{operands, walk};
use crate::pass::insert_barriers::{InsertionPoint, Side};
use crate::program::Program;
use crate::vm::run::{Divergence, InvocationStatus, NoProgress, OutOfBounds};
use naga::{ArraySize, Expression, GlobalVariable, Handle, Statement, Type, TypeInner};

/// Returns the suggestions for a barrier that not all invocations reach.
pub(crate) fn divergence(program: &Program, found: &Divergence) -> Candidates {
    let returned = found.missing.iter().find_map(|&(_, at)| match in_source(program, at) {
        InvocationStatus::Returned(Some(site)) => Some(line_of(program, site)),
        _ => None,
    });
    if let Some(line) = returned {
        return Suggestion::DoNotReturn(line).into();
    }
    let other = found.missing.iter().find_map(|&(_, at)| match at {
        InvocationStatus::AtBarrier(site) if site != found.site => Some(site),
        _ => None,
    });
    if let Some(other) = other {
        return Suggestion::OneBarrier([found.site, other].map(|site| barrier(program, site)))
            .into();
    }
    let entries = (0..program.module.entry_points.len())
        .flat_map(|entry| uniformity::non_uniform_barriers(program, entry));
    let cause = entries.into_iter().find(|found_here| found_here.barrier == found.site);
    let Some((site, branch, cause)) = cause.and_then(|cause| {
        let site = cause.branch?;
        Some((site, program.sites.get(site)?, cause))
    }) else {
        return Suggestion::MoveBarrier.into();
    };
    let suggestion = |to_after| Suggestion::MoveBarrierOut {
        of_loop: branch.kind == SiteKind::Loop,
        line: program.source.position(branch.span.start).line,
        origin: cause.origin.what,
        to_after,
    };
    let list = [true, false].into_iter().filter_map(|to_after| {
        let side = if to_after { Side::After } else { Side::Before };
        let change = move_out(program, found.site, site, side)?;
        Some(Candidate { suggestion: suggestion(Some(to_after)), change })
    });
    let list = list.collect();
    Candidates { list, untried: suggestion(None), otherwise: Suggestion::MoveBarrier }
}

/// Returns the change that moves a barrier to a side of a branch or loop that contains it.
fn move_out(program: &Program, site: SiteId, branch: SiteId, side: Side) -> Option<Change> {
    let function = program.sites.get(site)?.function;
    let structure = Structure::new(program, function);
    let (from, statement) = (structure.ordinal(site)?, structure.ordinal(branch)?);
    let is_barrier = structure.statement(from).kind == StatementKind::Barrier
        && program.sites.statement(function, from).is_none();
    let class = barrier(program, site).class.filter(|_| is_barrier)?;
    let to = InsertionPoint { function, statement, side };
    structure.order().holds(statement, from).then_some(Change::MoveBarrier { class, from, to })
}

/// Returns the suggestions for accesses out of bounds on one line.
pub(crate) fn bounds(program: &Program, line: &[&OutOfBounds]) -> Candidates {
    let suggestion =
        line.first().map_or(Suggestion::GuardLast(None), |first| one_bound(program, first));
    let is_guard =
        matches!(suggestion, Suggestion::GuardLength(_) | Suggestion::GuardLast(Some(_)));
    let change = is_guard.then(|| guard(program, line)).flatten().map(Change::Source);
    let candidate = change.map(|change| Candidate { suggestion: suggestion.clone(), change });
    Candidates { list: candidate.into_iter().collect(), ..suggestion.into() }
}

/// Returns the suggestion for an access out of bounds.
fn one_bound(program: &Program, found: &OutOfBounds) -> Suggestion {
    if let Some(subgroups) = selected(program, found.site) {
        return Suggestion::SelectEvaluatesBoth { subgroups };
    }
    let global = found.memory.and_then(|memory| element::variable(program, memory));
    match global.and_then(|(_, global)| runtime_array(program, global)) {
        Some(array) => Suggestion::GuardLength(array),
        None => Suggestion::GuardLast(found.length.checked_sub(1)),
    }
}

/// Returns the name of a runtime-sized array: the variable, or its last member.
fn runtime_array(program: &Program, global: &GlobalVariable) -> Option<String> {
    let types = &program.module.types;
    let is_runtime = |ty: Handle<Type>| {
        matches!(types[ty].inner, TypeInner::Array { size: ArraySize::Dynamic, .. })
    };
    let name = element::name(global);
    match &types[global.ty].inner {
        _ if is_runtime(global.ty) => Some(name),
        TypeInner::Struct { members, .. } => {
            let last = members.last().filter(|member| is_runtime(member.ty))?;
            Some(match &last.name {
                Some(member) => format!("{name}.{member}"),
                None => name,
            })
        }
        _ => None,
    }
}

/// Returns `Some` if the value loaded at the site is used only as a value that `select` chooses from. The `bool` states
/// whether the function has subgroup operations.
fn selected(program: &Program, site: SiteId) -> Option<bool> {
    let id = program.sites.get(site)?.function;
    let function = id.get(&program.module);
    let expressions = || function.expressions.iter();
    let (load, _) =
        expressions().find(|&(handle, _)| program.sites.load(id, handle) == Some(site))?;
    let mut users = expressions().filter(|(_, user)| {
        let mut uses = false;
        walk::operands(user, &mut |operand| uses |= operand == load);
        uses
    });
    let is_value = |user: &Expression| match *user {
        Expression::Select { accept, reject, .. } => accept == load || reject == load,
        _ => false,
    };
    let is_chosen = users.next().is_some_and(|(_, user)| is_value(user))
        && users.all(|(_, user)| is_value(user));
    let mut subgroups = false;
    let mut used_directly = false;
    walk::statements(&function.body, &mut |_, statement, _| {
        subgroups |= matches!(
            statement,
            Statement::SubgroupBallot { .. }
                | Statement::SubgroupGather { .. }
                | Statement::SubgroupCollectiveOperation { .. }
        );
        if !matches!(statement, Statement::Emit(_)) {
            operands::of_statement(&mut operands::without_blocks(statement), &mut |operand| {
                used_directly |= *operand == load;
            });
        }
    });
    (is_chosen && !used_directly).then_some(subgroups)
}

/// Returns the suggestion for a kernel that does not terminate.
pub(crate) fn progress(program: &Program, found: &NoProgress) -> Suggestion {
    let (_, site) = found.stuck;
    let spins = program.sites.get(site).is_some_and(|stuck| {
        let structure = Structure::new(program, stuck.function);
        let Some(stuck_ordinal) = structure.ordinal(site) else { return false };
        program.sites.accesses().any(|(id, at, access)| {
            at.function == stuck.function
                && access.action.is_atomic()
                && structure.ordinal(id).is_some_and(|inner| {
                    structure.common_loop(stuck_ordinal, inner) == Some(stuck_ordinal)
                })
        })
    });
    if spins { Suggestion::DoNotWait } else { Suggestion::EnsureTermination }
}
