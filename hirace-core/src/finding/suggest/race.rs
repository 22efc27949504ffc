//! Suggestions for races.

use super::barrier::BarrierAdvice;
use super::candidate::Candidates;
use super::{atomics, dimension};
use crate::analysis::uniformity::NonUniformPointsByEntry;
use crate::facts::place::line_of;
use crate::facts::{Relation, Remark, Suggestion};
use crate::finding::group::Group;
use crate::finding::reason::relation;
use crate::finding::structure::Structure;
use crate::finding::{element, flag};
use crate::ir::access::{Action, Target};
use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::launch::Launch;
use crate::program::Program;
use naga::Expression;

/// Returns the suggestions for a race. `groups` are all races of the launch.
pub(crate) fn race(
    program: &Program,
    launch: &Launch,
    points: &NonUniformPointsByEntry<'_>,
    group: &Group,
    groups: &[Group],
) -> Option<Candidates> {
    let entry = launch.dispatches.get(group.dispatch)?.entry;
    let mut candidates = match atomics::update(program, group) {
        Some(update) => atomics::candidates(program, entry, group, groups, &update),
        None => by_pattern(program, points, entry, group),
    };
    if let Some(candidate) = dimension::unused(program, entry, group) {
        candidates.prefer(candidate);
    }
    Some(candidates)
}

/// Returns the suggestions for the relation between the accesses of a race that is not within an update.
fn by_pattern(
    program: &Program,
    points: &NonUniformPointsByEntry<'_>,
    entry: usize,
    group: &Group,
) -> Candidates {
    let pair = &group.pair;
    let actions = [pair.earlier.action, pair.later.action];
    let mixed = actions.iter().any(|action| action.is_atomic());
    let advice = || BarrierAdvice::new(program, points, entry, group);
    match relation(program, pair) {
        Relation::OtherMemory(barrier) if !group.across_workgroups => {
            let mut candidates = advice().within_workgroup();
            if let Some(next_to) = advice().next_to(&barrier) {
                candidates.prefer(next_to);
            }
            candidates
        }
        _ if actions.iter().all(|action| action.is_atomic()) => Suggestion::DeviceScope.into(),
        _ if mixed => {
            let barrier = match group.across_workgroups {
                true => None,
                false => advice().barrier_in_sequence(),
            };
            barrier.unwrap_or_else(|| Suggestion::MakeBothAtomic.into())
        }
        _ if different_components(program, group) => Suggestion::WholeVector.into(),
        _ if group.across_workgroups => across_workgroups(program, entry, group).into(),
        _ => advice().within_workgroup(),
    }
}

/// Returns whether a barrier that orders the accesses may hide that updates are lost: each invocation reads and then writes, and
/// the writes of several invocations race too. `groups` are all races of the launch.
pub(crate) fn may_lose_updates(program: &Program, group: &Group, groups: &[Group]) -> bool {
    let (a, b) = (group.pair.earlier, group.pair.later);
    let (read, write) = match (a.action, b.action) {
        (Action::Read, Action::Write) => (a.site, b.site),
        (Action::Write, Action::Read) => (b.site, a.site),
        _ => return false,
    };
    let memory = a.granule.memory;
    let own = groups.iter().filter(|of| of.pair.later.granule.memory == memory);
    let mut pairs = own.flat_map(|of| &of.sites);
    if !pairs.any(|pair| *pair == (write, write)) {
        return false;
    }
    let [of_read, of_write] = [read, write].map(|site| program.sites.get(site));
    match (of_read, of_write) {
        (Some(from), Some(to)) if from.function == to.function => {
            let structure = Structure::new(program, from.function);
            structure.ordinal(read) <= structure.ordinal(write)
        }
        _ => true,
    }
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
fn across_workgroups(program: &Program, entry: usize, group: &Group) -> Suggestion {
    let (a, b) = (group.pair.earlier, group.pair.later);
    let variable = element::variable_name(program, a.granule.memory);
    let writes = [a, b].map(|event| event.action == Action::Write);
    if writes.contains(&false)
        && let Some(Remark::Flag { variable: flag, .. }) = flag::remark(program, &group.pair)
    {
        return Suggestion::PassByAtomic { flag, data: variable };
    }
    let (write, other) =
        if a.action == Action::Write { (a.site, b.site) } else { (b.site, a.site) };
    let nesting = Nesting::new(program, entry, write, other);
    if let Some(line) = nesting.common_loop
        && a.site != b.site
    {
        return Suggestion::DispatchEachIteration(line);
    }
    if writes == [true; 2] {
        // If the invocations of a workgroup race too, only one of them may write.
        return match group.within_workgroup {
            true => Suggestion::OneWriter { loop_end_barrier: None },
            false => Suggestion::OneWorkgroupWrites(variable),
        };
    }
    match nesting.is_write_first {
        true => Suggestion::SplitKernel {
            first: line_of(program, write),
            second: line_of(program, other),
        },
        false => Suggestion::SecondBuffer(variable),
    }
}

/// The position of a write and another access relative to each other.
struct Nesting {
    /// The line of the innermost loop that encloses both.
    common_loop: Option<u32>,
    /// Whether each execution of the write precedes each of the other access, if no loop encloses both.
    is_write_first: bool,
}

impl Nesting {
    fn new(program: &Program, entry: usize, write: SiteId, other: SiteId) -> Self {
        let function = |site| program.sites.get(site).map(|site| site.function);
        let outer = match (function(write), function(other)) {
            (Some(f), Some(g)) if f == g => f,
            _ => FunctionId::Entry(entry),
        };
        let structure = Structure::new(program, outer);
        let [writes, others] = [write, other].map(|site| structure.positions(site));
        let pairs = writes.iter().flat_map(|&at| others.iter().map(move |&of| (at, of)));
        let common_loop = pairs.into_iter().find_map(|(at, of)| structure.common_loop(at, of));
        Self {
            common_loop: common_loop.map(|of| structure.line(of)),
            is_write_first: writes.last().zip(others.first()).is_some_and(|(at, of)| at < of),
        }
    }
}
