//! Pairs of accesses that two invocations may execute on the same word, with no barrier between them that orders the word.
//!
//! In contrast to a conflict, what the accesses do does not matter: two atomic operations may meet.

use super::instance::Instance;
use super::pairs::{MAX_PAIRS, prepared};
use super::rules::Rules;
use super::solve::Effort;
use super::walk::Walk;
use super::{EFFORT, Facts};
use crate::ir::memory::Space;
use crate::ir::sites::SiteId;
use crate::program::Program;
use naga::{GlobalVariable, Handle};
use rustc_hash::FxHashSet;

/// Two accesses that may meet: two invocations may execute them on the same word, and no barrier orders them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The sites of the accesses, in the order of the walk.
    pub sites: [SiteId; 2],
    /// Whether the invocations may be of one workgroup.
    pub in_workgroup: bool,
}

/// A dispatch with this grid, if it is known, whose buffers are so long that no index is past their ends.
struct LongBuffers {
    workgroups: Option<[u32; 3]>,
}

impl Facts for LongBuffers {
    fn workgroups(&self) -> Option<[u32; 3]> {
        self.workgroups
    }

    fn length(&self, _: Handle<GlobalVariable>) -> Option<u32> {
        Some(1 << 30)
    }
}

/// Returns the pairs of these sites that may meet in a dispatch of an entry point, if no index is past the end of a buffer. If
/// `workgroups` is `None`, the grid is not known.
///
/// Returns `None` if the entry point is too complex for the prover.
pub fn meetings(
    program: &Program,
    entry: usize,
    workgroups: Option<[u32; 3]>,
    sites: &FxHashSet<SiteId>,
) -> Option<Vec<Meeting>> {
    let _span = tracing::trace_span!("meetings").entered();
    let facts = LongBuffers { workgroups };
    let mut walk = Walk::new(program, entry, &facts, (Rules::default(), Effort::new(EFFORT)));
    walk.run(entry);
    if walk.failed {
        return None;
    }
    let (by_memory, mut pairs) = prepared(&mut walk);
    let mut found: Vec<Meeting> = Vec::new();
    let mut remaining = MAX_PAIRS;
    for instances in by_memory.values() {
        let instances: Vec<&Instance> =
            instances.iter().copied().filter(|one| sites.contains(&one.site)).collect();
        for (index, first) in instances.iter().enumerate() {
            for second in &instances[index..] {
                remaining = remaining.checked_sub(1)?;
                let across = first.space != Space::Workgroup;
                let in_workgroup = pairs.in_workgroup(first, second).is_none();
                if in_workgroup || across && pairs.between_workgroups(first, second).is_none() {
                    found.push(Meeting { sites: [first.site, second.site], in_workgroup });
                }
            }
        }
    }
    (!pairs.effort.is_exhausted()).then_some(found)
}
