//! Suggestions for races.

use super::atomics;
use super::barrier::BarrierAdvice;
use crate::analysis::uniformity::NonUniformPointsByEntry;
use crate::facts::place::line_of;
use crate::facts::{Relation, Suggestion};
use crate::finding::barriers::class_of;
use crate::finding::element;
use crate::finding::group::Group;
use crate::finding::reason::relation;
use crate::finding::structure::Structure;
use crate::ir::access::{Action, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::launch::Launch;
use crate::program::Program;
use naga::Expression;

/// Returns the suggestion for a race.
pub(crate) fn race(
    program: &Program,
    launch: &Launch,
    points: &NonUniformPointsByEntry<'_>,
    group: &Group,
) -> Option<Suggestion> {
    if let Some(update) = atomics::update(program, group) {
        return Some(atomics::suggestion(program, group, &update));
    }
    let pair = &group.pair;
    let actions = [pair.earlier.action, pair.later.action];
    let mixed = actions.iter().any(|action| action.is_atomic());
    let entry = launch.dispatches.get(group.dispatch)?.entry;
    let advice = || BarrierAdvice::new(program, points, entry, group);
    Some(match relation(program, pair) {
        Relation::OtherMemory(barrier) if !group.across_workgroups => Suggestion::AlsoCall {
            class: class_of(program, pair.later.granule.memory),
            line: line_of(program, barrier.site),
        },
        _ if actions.iter().all(|action| action.is_atomic()) => Suggestion::DeviceScope,
        _ if mixed => {
            let barrier = match group.across_workgroups {
                true => None,
                false => advice().barrier_in_sequence(),
            };
            barrier.unwrap_or(Suggestion::MakeBothAtomic)
        }
        _ if different_components(program, group) => Suggestion::WholeVector,
        _ if group.across_workgroups => across_workgroups(program, group),
        _ => advice().within_workgroup(),
    })
}

/// Returns whether the accesses are to two components of one vector, which race because a write of one component may
/// write the whole vector.
fn different_components(program: &Program, group: &Group) -> bool {
    let component = |site: SiteId| {
        let Target::Pointer { pointer, observed, .. } = program.sites.access(site)?.target else {
            return None;
        };
        let function = program.sites.get(site)?.function.get(&program.module);
        match function.expressions[pointer] {
            Expression::AccessIndex { index, .. } if pointer != observed => Some(index),
            _ => None,
        }
    };
    let (a, b) = (component(group.pair.earlier.site), component(group.pair.later.site));
    a.is_some() && b.is_some() && a != b
}

/// Returns the suggestion for a race between workgroups. No barrier helps: it needs another dispatch or another buffer.
fn across_workgroups(program: &Program, group: &Group) -> Suggestion {
    let (a, b) = (group.pair.earlier, group.pair.later);
    let variable = element::variable_name(program, a.granule.memory);
    let (write, other) =
        if a.action == Action::Write { (a.site, b.site) } else { (b.site, a.site) };
    let nesting = nesting(program, write, other);
    if let Some(Nesting { common_loop: Some(line), .. }) = nesting
        && a.site != b.site
    {
        return Suggestion::DispatchEachIteration(line);
    }
    if a.action == Action::Write && b.action == Action::Write {
        // If the invocations of a workgroup race too, only one of them may write.
        return match group.within_workgroup {
            true => Suggestion::OneWriter { loop_end_barrier: None },
            false => Suggestion::OneWorkgroupWrites(variable),
        };
    }
    match nesting {
        Some(Nesting { other_first: true, .. }) => Suggestion::SecondBuffer(variable),
        _ => Suggestion::SplitKernel {
            first: line_of(program, write),
            second: line_of(program, other),
        },
    }
}

/// The position of two accesses of one function relative to each other.
struct Nesting {
    /// The line of the innermost loop that encloses both.
    common_loop: Option<u32>,
    /// Whether the second access comes first in the source.
    other_first: bool,
}

fn nesting(program: &Program, site: SiteId, other: SiteId) -> Option<Nesting> {
    let function = |site| program.sites.get(site).map(|site| site.function);
    let (f, g) = (function(site)?, function(other)?);
    // If the accesses are in two functions, usually one calls the other: the access in the callee then takes the
    // position of the call.
    let calls = |outer: FunctionId, inner| program.calls.only_call(outer, inner);
    let outer = match calls(g, f) {
        Some(_) if f != g => g,
        _ => f,
    };
    let structure = Structure::new(program, outer);
    let place = |site, function| match function == outer {
        true => structure.ordinal(site),
        false => calls(outer, function),
    };
    let (at, of) = (place(site, f)?, place(other, g)?);
    let common_loop = structure.common_loop(at, of).map(|ordinal| structure.line(ordinal));
    Some(Nesting { common_loop, other_first: of < at })
}
