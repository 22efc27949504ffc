//! Counts the barriers that a workgroup has passed, which order its accesses.

use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::vm::observer::Space;

/// The barriers that one workgroup and its subgroups have passed.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    /// For each space, the number of barriers that name it.
    epochs: [u32; 3],
    /// For each subgroup, up to the last one that has passed a subgroup barrier, and space: the number of
    /// subgroup barriers that name the space.
    subgroups: Vec<[u32; 3]>,
    /// For each space, the number of subgroup barriers that every subgroup has passed as part of a workgroup
    /// barrier.
    shared: [u32; 3],
    /// Number of workgroup barriers of any class.
    pub barriers: u32,
    /// The site of the last workgroup barrier.
    pub last: Option<SiteId>,
}

/// Returns the spaces that a barrier which names these classes orders.
pub(super) fn ordered_spaces(memory: naga::Barrier) -> impl Iterator<Item = Space> {
    let classes = [
        (naga::Barrier::STORAGE, Space::Storage),
        (naga::Barrier::WORK_GROUP, Space::Workgroup),
        (naga::Barrier::TEXTURE, Space::Texture),
    ];
    classes.into_iter().filter(move |(flag, _)| memory.contains(*flag)).map(|(_, space)| space)
}

impl Clocks {
    /// Records that the workgroup passes a barrier.
    pub fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        for space in ordered_spaces(barrier.in_workgroup) {
            self.epochs[space as usize] += 1;
        }
        for space in ordered_spaces(barrier.in_subgroup) {
            self.shared[space as usize] += 1;
        }
        self.barriers += 1;
        self.last = Some(site);
    }

    /// Records that a subgroup passes a subgroup barrier.
    pub fn subgroup_barrier(&mut self, subgroup: u32, barrier: Barrier) {
        let at = subgroup as usize;
        if self.subgroups.len() <= at {
            self.subgroups.resize(at + 1, [0; 3]);
        }
        for space in ordered_spaces(barrier.in_subgroup) {
            self.subgroups[at][space as usize] += 1;
        }
    }

    /// Returns the number of passed barriers that order this space.
    pub fn epoch(&self, space: Space) -> u32 {
        self.epochs[space as usize]
    }

    /// Returns the number of subgroup barriers that a subgroup has passed and that order this space.
    pub fn subgroup_epoch(&self, subgroup: u32, space: Space) -> u32 {
        let own = self.subgroups.get(subgroup as usize).map_or(0, |own| own[space as usize]);
        self.shared[space as usize] + own
    }
}
