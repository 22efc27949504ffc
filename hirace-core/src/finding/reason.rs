//! Determines why nothing orders the two accesses of a race.

use super::barriers::{barrier, class_of, orders};
use super::flag;
use crate::facts::{Relation, Remark};
use crate::ir::access::{Access, Action, Target};
use crate::observe::trace::Pair;
use crate::program::Program;

/// Returns the relation between the accesses of `pair`.
pub(crate) fn relation(program: &Program, pair: &Pair) -> Relation {
    let Pair { earlier, later } = pair;
    let (a, b) = (earlier.invocation.workgroup, later.invocation.workgroup);
    if a != b {
        return Relation::Workgroups([a.min(b), a.max(b)]);
    }
    let class = class_of(program, later.granule.memory);
    let last = if earlier.barriers <= later.barriers { later } else { earlier };
    match last.last_barrier {
        Some(site) if earlier.barriers != later.barriers && !orders(program, site, class) => {
            Relation::OtherMemory(barrier(program, site))
        }
        _ => {
            let last = later.last_barrier;
            let last = last.map(|site| (barrier(program, site), orders(program, site, class)));
            Relation::Epoch { epoch: later.epoch, last }
        }
    }
}

/// Returns further facts that explain the race.
pub(crate) fn remarks(program: &Program, pair: &Pair) -> Vec<Remark> {
    let Pair { earlier, later } = pair;
    let mut remarks = Vec::new();
    let access = |site| program.sites.access(site);
    match (earlier.action.is_atomic(), later.action.is_atomic()) {
        (true, true) => remarks.push(Remark::WorkgroupScope),
        (false, false) => {}
        _ => remarks.push(Remark::AtomicWithPlain),
    }
    remarks.extend(flag::remark(program, pair));
    if [earlier, later]
        .iter()
        .any(|e| e.action == Action::Write && access(e.site).is_some_and(writes_component))
    {
        remarks.push(Remark::WholeVector);
    }
    if earlier.invocation.workgroup == later.invocation.workgroup {
        if earlier.subgroup == later.subgroup {
            remarks.push(Remark::OneSubgroup);
        } else if later.subgroup_epoch > 0 || earlier.subgroup_epoch > 0 {
            remarks.push(Remark::SubgroupBarrier);
        }
    }
    remarks
}

fn writes_component(access: &Access) -> bool {
    matches!(&access.target, Target::Pointer { pointer, observed, .. } if pointer != observed)
}

#[cfg(test)]
mod tests {
    use crate::facts::Remark;
    use crate::ir::access::Action::{Read, Write};
    use crate::report::document::Finding;
    use crate::tests::fixture::{Fixture, by};

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

    fn remarks(fixture: &Fixture) -> Vec<Remark> {
        let finding = fixture.launch_of_given().findings.remove(0);
        finding.race().unwrap().other.as_ref().unwrap().remarks.clone()
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
        assert_eq!(remarks(&fixture), [Remark::OneSubgroup]);
        let mut apart = self::fixture();
        apart.race([40], by(0, 40, write), by(0, 2, read));
        assert_eq!(remarks(&apart), []);
    }
}
