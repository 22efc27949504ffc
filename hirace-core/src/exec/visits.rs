//! Counts the invocations that reach accesses which slices do not show. Counts stop at two, because no more is reported.

use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::vm;
use crate::vm::memory::Resources;
use crate::vm::observer::{Accesses, Observer, Watcher};
use crate::vm::run::{ExecutionCount, Options};
use crate::vm::slice::Slices;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The number of steps after which sites that two invocations have reached are removed from the slice.
const FIRST_STEPS: u64 = 1 << 16;

/// No invocation has reached the site.
const NONE: u64 = 0;
/// Two invocations have reached the site. Any other value is the invocation that reached it, plus one.
const TWO: u64 = u64::MAX;

/// Returns, by site, the number of invocations that reach each access at `sites`, counting at most two. Returns `None` if that
/// takes more steps than `budget`.
pub fn visits(
    slices: &Slices,
    sites: &BTreeSet<SiteId>,
    resources: &Resources,
    options: &Options<'_>,
    budget: u64,
) -> Option<Vec<ExecutionCount>> {
    let length = sites.last().map_or(0, |site| site.0 as usize + 1);
    let came = |site| AtomicU64::new(if sites.contains(&SiteId(site)) { NONE } else { TWO });
    let came: Vec<AtomicU64> = (0..length as u32).map(came).collect();
    let mut is_whole = false;
    for budget in [FIRST_STEPS.min(budget), budget] {
        let left = sites.iter().copied().filter(|site| came[site.0 as usize].load(Relaxed) != TWO);
        let left: BTreeSet<SiteId> = left.collect();
        is_whole = left.is_empty();
        if is_whole {
            break;
        }
        let seen = VisitCounter { visits: &came, budget, spent: AtomicBool::new(false) };
        let run = vm::driver::run(&slices.visits(&left).code, resources, options, &seen).ok()?;
        is_whole = seen.has_all() || run.is_complete() && !seen.spent.load(Relaxed);
        if is_whole {
            break;
        }
    }
    let executed = |came: AtomicU64| match came.into_inner() {
        NONE => ExecutionCount::default(),
        came => ExecutionCount {
            count: if came == TWO { 2 } else { 1 },
            by_several_invocations: came == TWO,
        },
    };
    is_whole.then(|| came.into_iter().map(executed).collect())
}

/// The invocations that have reached each site.
struct VisitCounter<'a> {
    /// By site.
    visits: &'a [AtomicU64],
    budget: u64,
    spent: AtomicBool,
}

impl VisitCounter<'_> {
    fn has_all(&self) -> bool {
        self.visits.iter().all(|came| came.load(Relaxed) == TWO)
    }
}

impl Observer for VisitCounter<'_> {
    type Watcher<'o>
        = VisitWatcher<'o>
    where
        Self: 'o;

    fn watch(&self, workgroup: u32) -> VisitWatcher<'_> {
        VisitWatcher { visits: self.visits, workgroup }
    }

    fn has_enough(&self, steps: u64) -> bool {
        if steps > self.budget {
            self.spent.store(true, Relaxed);
        }
        self.spent.load(Relaxed) || self.has_all()
    }
}

/// The watcher of one workgroup for [`EndedResults`].
struct VisitWatcher<'o> {
    visits: &'o [AtomicU64],
    workgroup: u32,
}

impl Watcher for VisitWatcher<'_> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        let Some(came) = self.visits.get(accesses.site.0 as usize) else { return };
        if came.load(Relaxed) == TWO {
            return;
        }
        let local = accesses.first_invocation + accesses.mask.trailing_zeros();
        let who = (u64::from(self.workgroup) << u32::BITS | u64::from(local)) + 1;
        let is_first = came.compare_exchange(NONE, who, Relaxed, Relaxed);
        if accesses.mask.count_ones() > 1 || is_first.is_err_and(|other| other != who) {
            came.store(TWO, Relaxed);
        }
    }

    fn barrier(&mut self, _: SiteId, _: Barrier) {}

    fn subgroup_barrier(&mut self, _: SiteId, _: u32, _: Barrier) {}

    fn diverged(&mut self) {}
}
