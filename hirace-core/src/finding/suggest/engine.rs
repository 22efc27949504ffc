//! What would fix what the engine finds by itself.

use crate::analysis::uniformity;
use crate::facts::Suggestion;
use crate::facts::place::line_of;
use crate::finding::barriers::barrier;
use crate::finding::element;
use crate::finding::structure::Structure;
use crate::finding::whereabouts::in_source;
use crate::ir::sites::SiteKind;
use crate::program::Program;
use crate::vm::run::{Divergence, NoProgress, OutOfBounds, Whereabouts};
use naga::{ArraySize, TypeInner};

/// How a barrier that not all invocations reach could be fixed.
pub(crate) fn divergence(program: &Program, found: &Divergence) -> Suggestion {
    let returned = found.missing.iter().find_map(|&(_, at)| match in_source(program, at) {
        Whereabouts::Returned(Some(site)) => Some(line_of(program, site)),
        _ => None,
    });
    if let Some(line) = returned {
        return Suggestion::DoNotReturn(line);
    }
    let other = found.missing.iter().find_map(|&(_, at)| match at {
        Whereabouts::AtBarrier(site) if site != found.site => Some(site),
        _ => None,
    });
    if let Some(other) = other {
        return Suggestion::OneBarrier([found.site, other].map(|site| barrier(program, site)));
    }
    let entries = (0..program.module.entry_points.len())
        .flat_map(|entry| uniformity::non_uniform_barriers(program, entry));
    let cause = entries.into_iter().find(|found_here| found_here.barrier == found.site);
    match cause.and_then(|cause| Some((program.sites.get(cause.branch?)?, cause))) {
        Some((branch, cause)) => Suggestion::MoveBarrierOut {
            of_loop: branch.kind == SiteKind::Loop,
            line: program.source.position(branch.span.start).line,
            origin: cause.origin.what,
        },
        None => Suggestion::MoveBarrier,
    }
}

/// How an access out of bounds could be fixed.
pub(crate) fn bounds(program: &Program, found: &OutOfBounds) -> Suggestion {
    let global = found.memory.and_then(|memory| element::variable(program, memory));
    let runtime = global.filter(|(_, global)| {
        let inner = &program.module.types[global.ty].inner;
        matches!(inner, TypeInner::Array { size: ArraySize::Dynamic, .. })
    });
    match runtime {
        Some((_, global)) => Suggestion::GuardLength(element::name(global)),
        None => Suggestion::GuardLast(found.length.checked_sub(1)),
    }
}

/// How a kernel that does not end could be fixed.
pub(crate) fn progress(program: &Program, found: &NoProgress) -> Suggestion {
    let (_, site) = found.stuck;
    let spins = program.sites.get(site).is_some_and(|stuck| {
        let structure = Structure::new(program, stuck.function);
        let Some(of) = structure.ordinal(site) else { return false };
        program.sites.accesses().any(|(id, at, access)| {
            at.function == stuck.function
                && access.action.is_atomic()
                && structure
                    .ordinal(id)
                    .is_some_and(|inner| structure.common_loop(of, inner) == Some(of))
        })
    });
    if spins { Suggestion::DoNotWait } else { Suggestion::ComeToAnEnd }
}
