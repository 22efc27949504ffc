//! Why nothing orders the two accesses of a race.

use super::element;
use super::flag;
use super::place::{line_of, span_of};
use super::spelling;
use super::who::Grid;
use crate::ir::access::{Access, Action, Target};
use crate::ir::sites::{SiteId, SiteKind};
use crate::observe::trace::Pair;
use crate::program::Program;
use crate::vm::observer::MemoryId;
use naga::{AddressSpace, Barrier};

/// The barrier class that orders a memory.
pub(crate) fn class_of(program: &Program, memory: MemoryId) -> Barrier {
    match element::variable(program, memory).map(|(_, global)| global.space) {
        Some(AddressSpace::WorkGroup) => Barrier::WORK_GROUP,
        Some(AddressSpace::Handle) => Barrier::TEXTURE,
        _ => Barrier::STORAGE,
    }
}

/// What a class orders, in words.
fn ordered_by(class: Barrier) -> &'static str {
    match class {
        Barrier::WORK_GROUP => "workgroup memory",
        Barrier::TEXTURE => "textures",
        _ => "storage memory",
    }
}

/// The barrier at `site` as the source calls it.
pub(crate) fn barrier_text(program: &Program, site: SiteId) -> String {
    let found = program.sites.get(site);
    let text = program.source.snippet(span_of(found)).trim_end_matches([';', ' ', '\n']);
    if !text.is_empty() && text.len() <= 60 && !text.contains('\n') {
        return text.to_owned();
    }
    match found.map(|site| &site.kind) {
        Some(SiteKind::Barrier(barrier)) => {
            let classes = [Barrier::WORK_GROUP, Barrier::STORAGE, Barrier::TEXTURE];
            let class = classes.into_iter().find(|&class| barrier.in_workgroup.contains(class));
            spelling::barrier(program, class.unwrap_or(Barrier::SUB_GROUP)).to_owned()
        }
        _ => "a barrier".to_owned(),
    }
}

/// Whether the barrier at `site` orders memory of `class`.
fn orders(program: &Program, site: SiteId, class: Barrier) -> bool {
    program.sites.barrier_at(site).is_some_and(|barrier| barrier.in_workgroup.contains(class))
}

/// How the two accesses of a race stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// In two workgroups.
    Workgroups,
    /// In one workgroup and between the same two barriers.
    Epoch,
    /// In one workgroup, with this barrier between them, which orders other memory.
    WrongClass(SiteId),
}

/// How the accesses of `pair` stand to each other.
pub(crate) fn relation(program: &Program, pair: &Pair) -> Relation {
    let Pair { earlier, later } = pair;
    if earlier.invocation.workgroup != later.invocation.workgroup {
        return Relation::Workgroups;
    }
    let class = class_of(program, later.granule.memory);
    let last = if earlier.barriers <= later.barriers { later } else { earlier };
    match last.last_barrier {
        Some(site) if earlier.barriers != later.barriers && !orders(program, site, class) => {
            Relation::WrongClass(site)
        }
        _ => Relation::Epoch,
    }
}

/// Why nothing orders the two accesses.
pub(crate) fn reason(program: &Program, grid: &Grid, pair: &Pair) -> String {
    let Pair { earlier, later } = pair;
    let class = class_of(program, later.granule.memory);
    let memory = ordered_by(class);
    match relation(program, pair) {
        Relation::Workgroups => {
            let a = grid.workgroup(earlier.invocation.workgroup.min(later.invocation.workgroup));
            let b = grid.workgroup(earlier.invocation.workgroup.max(later.invocation.workgroup));
            format!("workgroups {a} and {b}: no barrier orders two workgroups")
        }
        Relation::WrongClass(site) => {
            let (barrier, line) = (barrier_text(program, site), line_of(program, site));
            format!("`{barrier}` at line {line} does not order {memory}")
        }
        Relation::Epoch => match later.last_barrier {
            None => "both before any barrier: nothing orders them".to_owned(),
            Some(site) if orders(program, site, class) => format!(
                "both in epoch {} of {memory} (the last barrier passed was line {}): nothing orders them",
                later.epoch,
                line_of(program, site)
            ),
            Some(site) => format!(
                "both in epoch {} of {memory} (the last barrier passed, `{}` at line {}, does not order {memory}): nothing orders them",
                later.epoch,
                barrier_text(program, site),
                line_of(program, site)
            ),
        },
    }
}

/// What else is to be known to believe in the race.
pub(crate) fn remarks(program: &Program, pair: &Pair) -> Vec<String> {
    let Pair { earlier, later } = pair;
    let mut remarks = Vec::new();
    let access = |site| program.sites.access(site);
    match (earlier.action.is_atomic(), later.action.is_atomic()) {
        (true, true) => remarks
            .push("an atomic of workgroup scope is one to its own workgroup alone".to_owned()),
        (false, false) => {}
        _ => remarks
            .push("an atomic access is not ordered with a plain one to the same word".to_owned()),
    }
    remarks.extend(flag::remark(program, pair));
    if [earlier, later]
        .iter()
        .any(|e| e.action == Action::Write && access(e.site).is_some_and(writes_component))
    {
        remarks.push("a write of one component may touch the whole vector".to_owned());
    }
    if earlier.invocation.workgroup == later.invocation.workgroup {
        if earlier.subgroup == later.subgroup {
            remarks.push("the invocations share a subgroup here, but nothing makes a subgroup run in lockstep".to_owned());
        } else if later.subgroup_epoch > 0 || earlier.subgroup_epoch > 0 {
            remarks
                .push("a subgroup barrier orders the invocations of one subgroup only".to_owned());
        }
    }
    remarks
}

fn writes_component(access: &Access) -> bool {
    matches!(&access.target, Target::Pointer { pointer, observed, .. } if pointer != observed)
}

/// `read-write`, `write-write` or `atomic-plain`.
pub(crate) fn hazard(pair: &Pair) -> &'static str {
    match (pair.earlier.action, pair.later.action) {
        (a, b) if a.is_atomic() && b.is_atomic() => "atomic-atomic",
        (a, b) if a.is_atomic() || b.is_atomic() => "atomic-plain",
        (Action::Write, Action::Write) => "write-write",
        _ => "read-write",
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::Finding;
    use crate::finding::fixture::{Fixture, by};
    use crate::ir::access::Action::{Read, Write};

    const TEXT: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane] = tile[63u - lane];
    workgroupBarrier();
    storageBarrier();
    tile[lane] = workgroupUniformLoad(&data_length) + data[lane + 1u];
}
var<workgroup> data_length: u32;
";

    fn fixture() -> Fixture {
        Fixture::new(TEXT, [4, 1, 1])
    }

    fn only(fixture: &Fixture) -> Finding {
        fixture.report().launches.remove(0).findings.remove(0)
    }

    #[test]
    fn a_barrier_of_the_class_is_named_by_its_line_alone() {
        let mut fixture = fixture();
        let (write, read) = (fixture.access(Write, 5, 0), fixture.access(Read, 8, 1));
        let barrier = fixture.barrier(7);
        fixture.race(
            [3],
            by(0, 3, write).after(1, 2, barrier),
            by(0, 2, read).after(1, 2, barrier),
        );
        assert_eq!(
            only(&fixture).reason,
            "both in epoch 1 of storage memory (the last barrier passed was line 7): nothing orders them"
        );
    }

    #[test]
    fn a_barrier_of_another_class_is_named_with_what_it_does_not_order() {
        let mut fixture = fixture();
        let (write, read) = (fixture.access(Write, 8, 0), fixture.access(Read, 5, 0));
        let barrier = fixture.barrier(7);
        let (before, after) = (by(0, 3, read).after(1, 1, fixture.barrier(6)), by(0, 2, write));
        fixture.race([2], before, after.after(1, 2, barrier));
        assert_eq!(
            only(&fixture).reason,
            "`storageBarrier()` at line 7 does not order workgroup memory"
        );
        let mut both = self::fixture();
        let (before, after) = (before.after(1, 2, barrier), after.after(1, 2, barrier));
        both.race([2], before, after);
        assert_eq!(
            only(&both).reason,
            "both in epoch 1 of workgroup memory (the last barrier passed, `storageBarrier()` at line 7, \
             does not order workgroup memory): nothing orders them"
        );
    }

    #[test]
    fn the_load_that_is_a_barrier_is_called_as_in_the_source() {
        let mut fixture = fixture();
        let (write, read) = (fixture.access(Write, 5, 0), fixture.access(Read, 8, 1));
        let barrier = fixture.barrier(8);
        fixture.race([3], by(0, 3, write), by(0, 2, read).after(0, 1, barrier));
        assert_eq!(
            only(&fixture).reason,
            "`workgroupUniformLoad(&data_length)` at line 8 does not order storage memory"
        );
    }

    #[test]
    fn the_subgroup_is_remarked_on() {
        let mut fixture = fixture();
        let (write, read) = (fixture.access(Write, 5, 0), fixture.access(Read, 8, 1));
        fixture.race([3], by(0, 3, write), by(0, 2, read));
        assert!(only(&fixture).notes[0].starts_with("the invocations share a subgroup here"));
        let mut apart = self::fixture();
        apart.race([40], by(0, 40, write), by(0, 2, read));
        assert_eq!(only(&apart).notes, [""; 0]);
    }
}
