//! How many barriers a workgroup has passed: what orders its accesses.

use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::vm::observer::Space;

/// The barriers that one workgroup and its subgroups have passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    /// By space: barriers that name it.
    epochs: [u32; 3],
    /// By subgroup, as far as one has passed a subgroup barrier, and space: those that name it.
    subgroups: Vec<[u32; 3]>,
    /// By space: subgroup barriers that every subgroup has passed as part of a workgroup barrier.
    shared: [u32; 3],
    /// Workgroup barriers, of any class.
    pub barriers: u32,
    /// The last of those.
    pub last: Option<SiteId>,
}

/// The memories that a barrier which names these classes orders.
pub(super) fn ordered(memory: naga::Barrier) -> impl Iterator<Item = Space> {
    let classes = [
        (naga::Barrier::STORAGE, Space::Storage),
        (naga::Barrier::WORK_GROUP, Space::Workgroup),
        (naga::Barrier::TEXTURE, Space::Texture),
    ];
    classes.into_iter().filter(move |(flag, _)| memory.contains(*flag)).map(|(_, space)| space)
}

impl Clocks {
    /// The workgroup passes a barrier.
    pub fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        for space in ordered(barrier.in_workgroup) {
            self.epochs[space as usize] += 1;
        }
        for space in ordered(barrier.in_subgroup) {
            self.shared[space as usize] += 1;
        }
        self.barriers += 1;
        self.last = Some(site);
    }

    /// A subgroup passes a subgroup barrier.
    pub fn subgroup_barrier(&mut self, subgroup: u32, barrier: Barrier) {
        let at = subgroup as usize;
        if self.subgroups.len() <= at {
            self.subgroups.resize(at + 1, [0; 3]);
        }
        for space in ordered(barrier.in_subgroup) {
            self.subgroups[at][space as usize] += 1;
        }
    }

    /// Barriers passed that order this kind of memory.
    pub fn epoch(&self, space: Space) -> u32 {
        self.epochs[space as usize]
    }

    /// Subgroup barriers that a subgroup has passed and that order this kind of memory.
    pub fn subgroup_epoch(&self, subgroup: u32, space: Space) -> u32 {
        let own = self.subgroups.get(subgroup as usize).map_or(0, |own| own[space as usize]);
        self.shared[space as usize] + own
    }
}
