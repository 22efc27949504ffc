//! Runs slices of a dispatch with one workgroup for all that do the same to their own memory
//! ([`classes`](crate::vm::slice::classes)).
//!
//! The accesses to workgroup memory are run for the first workgroup of each class, and the accesses to shared memory for all
//! workgroups. The combined result is the same as if all workgroups had been run.

use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::observe::fsm::{Fsm, RACY_KEPT};
use crate::observe::{Granule, Layout, RacyGranules, Shape};
use crate::vm;
use crate::vm::memory::Resources;
use crate::vm::observer::{Accesses, MemoryId, Observer, Space, Watcher};
use crate::vm::run::{ExecutionCount, Options, OutOfBounds, Run};
use crate::vm::slice::Slice;
use crate::vm::slice::classes::Parts;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The maximum number of classes. If there are more, all workgroups are run.
const MAX_CLASSES: usize = 64;

/// Classes are used only if running a workgroup takes at least this many times as long as finding its class.
const MIN_SPEEDUP: u64 = 2;

/// The results of a slice.
#[derive(Debug, Default)]
pub struct SliceResult {
    pub racy: RacyGranules,
    /// The number of racy words that were not kept.
    pub dropped: u64,
    /// The number of checked accesses.
    pub checked: u64,
    pub run: Run,
    /// The sites whose execution counts are in `run`.
    pub sites: BTreeSet<SiteId>,
    /// The number of classes of workgroups, if only one workgroup of each was run.
    pub classes: Option<usize>,
}

/// A class of workgroups that do the same to their own memory.
#[derive(Debug)]
struct Class {
    /// The first workgroups, in order, as many as may be named in findings.
    first: Vec<u32>,
    /// The number of workgroups.
    count: u64,
}

impl Class {
    /// Returns the class of all workgroups, of which there are `workgroups`.
    fn of_all(workgroups: u32) -> Self {
        let named = workgroups.min(RACY_KEPT as u32 + 1);
        Self { first: (0..named).collect(), count: workgroups.into() }
    }

    /// Returns the class of these workgroups.
    fn of(mut workgroups: Vec<u32>) -> Self {
        workgroups.sort_unstable();
        Self { count: workgroups.len() as u64, first: workgroups }
    }
}

/// Why classes give no result.
#[derive(Debug)]
pub enum ClassError {
    /// The slices do not terminate, or not all invocations reach the same barriers. This holds for all workgroups.
    Undecided,
    /// It is unknown which workgroups are equivalent, or finding them takes too long.
    Unclassified,
}

/// A dispatch whose slice is run.
pub struct SliceRunner<'a> {
    pub resources: &'a Resources,
    pub options: &'a Options<'a>,
    pub layout: &'a Layout,
    pub shape: Shape,
    /// The number of instructions that all subgroups together may execute in each run.
    pub budget: u64,
}

impl SliceRunner<'_> {
    /// Returns the results of a slice that is run for all workgroups.
    pub fn run_whole(&self, slice: &Slice) -> Option<SliceResult> {
        self.watched(slice, self.layout.clone(), None)
    }

    /// Returns the results of parts of a slice, run by classes.
    pub fn parts(&self, parts: &Parts) -> Result<SliceResult, ClassError> {
        let Parts { own, shared, sorting } = parts;
        let (layout_of_own, layout_of_shared) = self.layouts();
        let run_own = |workgroup: u32| {
            self.watched(own, layout_of_own.clone(), Some(workgroup)).ok_or(ClassError::Undecided)
        };
        let first = run_own(0)?;
        let classes = match sorting {
            None => vec![Class::of_all(self.shape.workgroups)],
            Some(sorting) => {
                self.sorted(sorting, first.run.steps).ok_or(ClassError::Unclassified)?
            }
        };
        let mut first = Some(first);
        let mut all = SliceResult::default();
        for class in &classes {
            let Some(&representative) = class.first.first() else { continue };
            let shown = match first.take() {
                Some(first) if representative == 0 => first,
                _ => run_own(representative)?,
            };
            all.add(shown.for_all(class));
        }
        let shared = match shared.steps_without_accesses() {
            Some(steps) if steps <= self.options.limits.steps => SliceResult::default(),
            _ => self.watched(shared, layout_of_shared, None).ok_or(ClassError::Undecided)?,
        };
        all.complete(shared);
        all.limit();
        tracing::debug!(classes = classes.len(), "one workgroup of each class was run");
        Ok(SliceResult { classes: Some(classes.len()), ..all })
    }

    /// Returns the layouts of workgroup memory and of shared memory.
    fn layouts(&self) -> (Layout, Layout) {
        let without = |is_own: bool| {
            let memories = (0..).map(MemoryId).zip(&self.layout.memories);
            let memories = memories.filter(|(_, memory)| {
                memory.is_some_and(|memory| (memory.space == Space::Workgroup) == is_own)
            });
            let memories: Vec<MemoryId> = memories.map(|(memory, _)| memory).collect();
            self.layout.clone().without(&memories)
        };
        (without(false), without(true))
    }

    /// Returns the results of a slice for one workgroup, or for all.
    fn watched(&self, slice: &Slice, layout: Layout, only: Option<u32>) -> Option<SliceResult> {
        let Self { resources, options, shape, budget, .. } = *self;
        let fsm = match only {
            Some(_) => Fsm::serial(layout, shape),
            None => Fsm::new(layout, shape),
        };
        let fsm = BudgetedMonitor { fsm, budget, spent: AtomicBool::new(false) };
        let run = match only {
            Some(workgroup) => {
                vm::driver::run_only(&slice.code, resources, options, workgroup, &fsm).ok()?
            }
            None => vm::driver::run(&slice.code, resources, options, &fsm).ok()?,
        };
        if !run.is_complete() || !run.divergences.is_empty() || fsm.spent.load(Relaxed) {
            return None;
        }
        let BudgetedMonitor { fsm, .. } = fsm;
        Some(SliceResult {
            racy: fsm.racy(),
            dropped: fsm.gaps().racy_words,
            checked: fsm.checked(),
            run,
            sites: slice.shown().collect(),
            classes: None,
        })
    }

    /// Returns the workgroups of each class, in order. Returns `None` if there are too many classes, or if finding them takes
    /// about as long as running all workgroups, each of which takes `steps`.
    fn sorted(&self, sorting: &vm::Code, steps: u64) -> Option<Vec<Class>> {
        let Self { resources, options, .. } = *self;
        let sort = |only: Option<u32>| {
            let sorter = Sorter::new(self.budget);
            let run = match only {
                Some(workgroup) => {
                    vm::driver::run_only(sorting, resources, options, workgroup, &sorter)
                }
                None => vm::driver::run(sorting, resources, options, &sorter),
            };
            let run = run.ok().filter(|run| run.is_complete() && run.divergences.is_empty())?;
            Some((run, sorter.into_classes()?))
        };
        let (one, _) = sort(Some(0))?;
        if one.steps.saturating_mul(MIN_SPEEDUP) > steps {
            tracing::debug!(steps, to_sort = one.steps, "classes are not worth it");
            return None;
        }
        let (_, classes) = sort(None)?;
        Some(classes)
    }
}

impl SliceResult {
    /// Returns the results for all workgroups of a class, in order, from those of the first one.
    fn for_all(self, class: &Class) -> Self {
        let Self { racy, dropped, checked, mut run, sites, .. } = self;
        let (count, most) = (class.count, RACY_KEPT as u64 + 1);
        let words = racy.len() as u64;
        // Surplus words are only counted. One more than is kept shows that there is a surplus.
        let named = class.first.iter().take(most.div_ceil(words.max(1)) as usize);
        let filled: RacyGranules = named
            .clone()
            .flat_map(|&workgroup| {
                racy.iter().map(move |(granule, site)| (Granule { workgroup, ..*granule }, *site))
            })
            .collect();
        let unnamed = count - named.len() as u64;
        for executed in &mut run.executed {
            executed.by_several_invocations |= executed.count > 0 && count > 1;
            executed.count = executed.count.saturating_mul(count);
        }
        for out in &mut run.out_of_bounds {
            out.count = out.count.saturating_mul(count);
        }
        Self {
            racy: filled,
            dropped: dropped.saturating_mul(count).saturating_add(unnamed * words),
            checked: checked.saturating_mul(count),
            run,
            sites,
            classes: None,
        }
    }

    /// Adds the results of other workgroups.
    fn add(&mut self, other: Self) {
        let executed = |to: &mut ExecutionCount, from: ExecutionCount, _| {
            to.by_several_invocations |=
                from.by_several_invocations || to.count > 0 && from.count > 0;
            to.count = to.count.saturating_add(from.count);
        };
        self.join(other, executed, |known, other| {
            let count = known.count.saturating_add(other.count);
            if other.invocation < known.invocation {
                *known = other;
            }
            known.count = count;
        });
    }

    /// Adds the results of the other part for the same workgroups. What both parts executed was the same.
    fn complete(&mut self, shared: Self) {
        let executed = |to: &mut ExecutionCount, from: ExecutionCount, is_shown: bool| {
            if is_shown {
                *to = from;
            }
        };
        self.join(shared, executed, |known, other| *known = other);
    }

    /// Merges the results of another run. `executed` is called for each site, with whether the other run shows it, and `outside`
    /// for indices that were out of bounds in both.
    fn join(
        &mut self,
        mut other: Self,
        executed: impl Fn(&mut ExecutionCount, ExecutionCount, bool),
        outside: impl Fn(&mut OutOfBounds, OutOfBounds),
    ) {
        self.racy.append(&mut other.racy);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.checked = self.checked.saturating_add(other.checked);
        let (run, from) = (&mut self.run, other.run);
        let length = run.executed.len().max(from.executed.len());
        run.executed.resize(length, ExecutionCount::default());
        for (site, (to, from)) in (0..).map(SiteId).zip(run.executed.iter_mut().zip(from.executed))
        {
            executed(to, from, other.sites.contains(&site));
        }
        let key = |out: &OutOfBounds| (out.site, out.span, out.memory);
        let known = std::mem::take(&mut run.out_of_bounds);
        let mut all: BTreeMap<_, OutOfBounds> =
            known.into_iter().map(|out| (key(&out), out)).collect();
        for out in from.out_of_bounds {
            match all.entry(key(&out)) {
                Entry::Vacant(entry) => drop(entry.insert(out)),
                Entry::Occupied(entry) => outside(entry.into_mut(), out),
            }
        }
        run.out_of_bounds = all.into_values().collect();
        let mut wanted: BTreeMap<MemoryId, u64> = run.wanted_lengths.drain(..).collect();
        for (memory, bytes) in from.wanted_lengths {
            let most = wanted.entry(memory).or_default();
            *most = bytes.max(*most);
        }
        run.wanted_lengths = wanted.into_iter().collect();
        run.steps = run.steps.saturating_add(from.steps);
        run.serial |= from.serial;
        self.sites.extend(other.sites);
    }

    /// Keeps as many racy words as the monitor does.
    fn limit(&mut self) {
        if let Some(&last) = self.racy.keys().nth(RACY_KEPT) {
            self.dropped += self.racy.split_off(&last).len() as u64;
        }
    }
}

/// The monitor of a slice. Values do not flow between workgroups in a slice, so they may run in any order. The run stops when the
/// budget is spent.
struct BudgetedMonitor {
    fsm: Fsm,
    /// The number of instructions that may be executed.
    budget: u64,
    /// Whether more were executed.
    spent: AtomicBool,
}

impl Observer for BudgetedMonitor {
    type Watcher<'o> = <Fsm as Observer>::Watcher<'o>;

    fn watch(&self, workgroup: u32) -> Self::Watcher<'_> {
        Observer::watch(&self.fsm, workgroup)
    }

    fn has_enough(&self, steps: u64) -> bool {
        if steps > self.budget {
            self.spent.store(true, Relaxed);
        }
        self.spent.load(Relaxed)
    }
}

/// Finds workgroups that have the same sequence of reads.
struct Sorter {
    budget: u64,
    /// Whether there are too many classes, or it took too long.
    gives_up: AtomicBool,
    /// The workgroups, by their sequence of reads.
    classes: Mutex<FxHashMap<Vec<u64>, Vec<u32>>>,
}

impl Sorter {
    fn new(budget: u64) -> Self {
        Self { budget, gives_up: AtomicBool::new(false), classes: Mutex::default() }
    }

    fn into_classes(self) -> Option<Vec<Class>> {
        if self.gives_up.load(Relaxed) {
            return None;
        }
        let classes = self.classes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut classes: Vec<Class> = classes.into_values().map(Class::of).collect();
        classes.sort_unstable_by(|a, b| a.first.cmp(&b.first));
        Some(classes)
    }
}

impl Observer for Sorter {
    type Watcher<'o> = SortWatcher<'o>;

    fn watch(&self, workgroup: u32) -> SortWatcher<'_> {
        SortWatcher { sorter: self, workgroup, shown: Vec::new() }
    }

    fn has_enough(&self, steps: u64) -> bool {
        if steps > self.budget {
            self.gives_up.store(true, Relaxed);
        }
        self.gives_up.load(Relaxed)
    }
}

/// The watcher of one workgroup for [`Sorter`].
struct SortWatcher<'o> {
    sorter: &'o Sorter,
    workgroup: u32,
    shown: Vec<u64>,
}

impl Watcher for SortWatcher<'_> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        let holds = accesses.lanes().filter(|(_, condition)| *condition != 0);
        let holds = holds.fold(0, |all, (lane, _)| all | 1 << lane);
        let who = u64::from(accesses.site.0) << u32::BITS | u64::from(accesses.first_invocation);
        self.shown.extend([who, accesses.mask, holds]);
    }

    fn barrier(&mut self, _: SiteId, _: Barrier) {}

    fn subgroup_barrier(&mut self, _: SiteId, _: u32, _: Barrier) {}

    fn diverged(&mut self) {}

    fn ended(&mut self) {
        let classes = self.sorter.classes.lock();
        let mut classes = classes.unwrap_or_else(PoisonError::into_inner);
        let shown = std::mem::take(&mut self.shown);
        classes.entry(shown).or_default().push(self.workgroup);
        if classes.len() > MAX_CLASSES {
            self.sorter.gives_up.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(workgroup: u32, index: u32) -> (Granule, SiteId) {
        (Granule { memory: MemoryId(3), workgroup, index }, SiteId(1))
    }

    fn out(count: u64, local: u32, workgroup: u32) -> OutOfBounds {
        OutOfBounds {
            site: SiteId(0),
            span: Default::default(),
            memory: Some(MemoryId(3)),
            invocation: crate::vm::run::Invocation { workgroup, local },
            index: 9,
            length: 8,
            count,
            is_used: true,
        }
    }

    #[test]
    fn results_of_one_workgroup_scale_to_its_class() {
        let executed = vec![
            ExecutionCount::default(),
            ExecutionCount { count: 1, by_several_invocations: false },
            ExecutionCount { count: 3, by_several_invocations: true },
        ];
        let run = Run { executed, out_of_bounds: vec![out(2, 5, 1)], ..Run::default() };
        let racy = RacyGranules::from([word(1, 0), word(1, 4)]);
        let sites = BTreeSet::from([SiteId(1), SiteId(2)]);
        let one = || SliceResult {
            racy: racy.clone(),
            checked: 7,
            run: run.clone(),
            sites: sites.clone(),
            ..SliceResult::default()
        };
        let mut all = one().for_all(&Class::of(vec![2, 1, 5]));
        let expected = [1, 2, 5].into_iter().flat_map(|at| [word(at, 0), word(at, 4)]);
        assert_eq!(all.racy, expected.collect());
        assert_eq!((all.checked, all.dropped), (21, 0));
        let counts = |run: &Run| -> Vec<_> {
            run.executed.iter().map(|one| (one.count, one.by_several_invocations)).collect()
        };
        assert_eq!(counts(&all.run), [(0, false), (3, true), (9, true)]);
        assert_eq!(all.run.out_of_bounds, [out(6, 5, 1)]);
        assert_eq!(counts(&one().for_all(&Class::of(vec![1])).run)[1], (1, false));
        // Another class, whose first workgroup comes first.
        let other = Run {
            executed: vec![ExecutionCount { count: 1, by_several_invocations: false }],
            out_of_bounds: vec![out(1, 7, 0)],
            wanted_lengths: vec![(MemoryId(2), 8)],
            ..Run::default()
        };
        all.add(SliceResult { run: other, ..SliceResult::default() });
        assert_eq!(counts(&all.run), [(1, false), (3, true), (9, true)]);
        assert_eq!(all.run.out_of_bounds, [out(7, 7, 0)]);
        // The other part also reached a site of this part, and has its count.
        let shared = Run {
            executed: vec![
                ExecutionCount { count: 4, by_several_invocations: true },
                ExecutionCount { count: 5, by_several_invocations: true },
            ],
            out_of_bounds: vec![out(3, 1, 0)],
            wanted_lengths: vec![(MemoryId(2), 4)],
            ..Run::default()
        };
        all.complete(SliceResult {
            run: shared,
            sites: BTreeSet::from([SiteId(0)]),
            ..SliceResult::default()
        });
        assert_eq!(counts(&all.run), [(4, true), (3, true), (9, true)]);
        assert_eq!(all.run.out_of_bounds, [out(3, 1, 0)]);
        assert_eq!(all.run.wanted_lengths, [(MemoryId(2), 8)]);
        assert_eq!(all.sites, BTreeSet::from([0, 1, 2].map(SiteId)));
    }

    #[test]
    fn racy_words_that_are_too_many_are_counted() {
        let racy = RacyGranules::from([word(0, 0), word(0, 1), word(0, 2)]);
        let mut all =
            SliceResult { racy, ..SliceResult::default() }.for_all(&Class::of_all(u32::MAX));
        all.limit();
        let words = 3 * u64::from(u32::MAX);
        assert_eq!((all.racy.len(), all.dropped), (RACY_KEPT, words - RACY_KEPT as u64));
    }
}
