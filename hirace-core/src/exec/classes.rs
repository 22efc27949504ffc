//! What slices show of a dispatch in which one workgroup stands for all that do the same to their own memory
//! ([`classes`](crate::vm::slice::classes)).
//!
//! What is done to the memory of workgroups is run for the first workgroup of each class, what is done to memory that they
//! share for all; and what came of both is put together, so that nobody can see that not all were run.

use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::observe::fsm::{Fsm, RACY_KEPT};
use crate::observe::{Granule, Layout, Racy, Shape};
use crate::vm;
use crate::vm::memory::Resources;
use crate::vm::observer::{Accesses, MemoryId, Observer, Space, Watcher};
use crate::vm::run::{Executed, Options, OutOfBounds, Run};
use crate::vm::slice::Slice;
use crate::vm::slice::classes::Parts;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// How many classes there may be; where there are more, all workgroups are run.
const MOST_CLASSES: usize = 64;

/// How many times longer it takes at least to run a workgroup than to find its class, for that to be worth it.
const WORTH: u64 = 2;

/// What a slice shows.
#[derive(Debug, Default)]
pub struct Shown {
    pub racy: Racy,
    /// Racy words that were not kept.
    pub dropped: u64,
    /// How many accesses were checked.
    pub checked: u64,
    pub run: Run,
    /// Sites of which the run says how often they ran.
    pub sites: BTreeSet<SiteId>,
    /// How many classes of workgroups there are, if one of each was run in the stead of all.
    pub classes: Option<usize>,
}

/// Workgroups that do the same to their own memory.
#[derive(Debug)]
struct Class {
    /// The first of them, in order: as many as may be named in what is found.
    first: Vec<u32>,
    /// How many there are.
    count: u64,
}

impl Class {
    /// All of so many.
    fn of_all(workgroups: u32) -> Self {
        let named = workgroups.min(RACY_KEPT as u32 + 1);
        Self { first: (0..named).collect(), count: workgroups.into() }
    }

    /// These.
    fn of(mut workgroups: Vec<u32>) -> Self {
        workgroups.sort_unstable();
        Self { count: workgroups.len() as u64, first: workgroups }
    }
}

/// Why classes show nothing.
#[derive(Debug)]
pub enum Not {
    /// Their slices do not come to an end, or not all invocations come to the same barriers: so it is with all workgroups.
    Decided,
    /// It is not known which workgroups are alike, or not worth it.
    Sorted,
}

/// A dispatch whose slice is run.
pub struct Running<'a> {
    pub resources: &'a Resources,
    pub options: &'a Options<'a>,
    pub layout: &'a Layout,
    pub shape: Shape,
    /// How many instructions all subgroups together may run, each time.
    pub budget: u64,
}

impl Running<'_> {
    /// What a slice shows, run for all workgroups.
    pub fn whole(&self, slice: &Slice) -> Option<Shown> {
        self.watched(slice, self.layout.clone(), None)
    }

    /// The same, of parts of a slice.
    pub fn parts(&self, parts: &Parts) -> Result<Shown, Not> {
        let Parts { own, shared, sorting } = parts;
        let (layout_of_own, layout_of_shared) = self.layouts();
        let run_own = |workgroup: u32| {
            self.watched(own, layout_of_own.clone(), Some(workgroup)).ok_or(Not::Decided)
        };
        let first = run_own(0)?;
        let classes = match sorting {
            None => vec![Class::of_all(self.shape.workgroups)],
            Some(sorting) => self.sorted(sorting, first.run.steps).ok_or(Not::Sorted)?,
        };
        let mut first = Some(first);
        let mut all = Shown::default();
        for class in &classes {
            let Some(&representative) = class.first.first() else { continue };
            let shown = match first.take() {
                Some(first) if representative == 0 => first,
                _ => run_own(representative)?,
            };
            all.add(shown.for_all(class));
        }
        let shared = match shared.only_takes() {
            Some(steps) if steps <= self.options.limits.steps => Shown::default(),
            _ => self.watched(shared, layout_of_shared, None).ok_or(Not::Decided)?,
        };
        all.complete(shared);
        all.limit();
        tracing::debug!(classes = classes.len(), "one workgroup of each class was run");
        Ok(Shown { classes: Some(classes.len()), ..all })
    }

    /// What of the layout workgroups have for themselves, and what they share.
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

    /// What a slice shows of one workgroup, or of all.
    fn watched(&self, slice: &Slice, layout: Layout, only: Option<u32>) -> Option<Shown> {
        let Self { resources, options, shape, budget, .. } = *self;
        let fsm = match only {
            Some(_) => Fsm::serial(layout, shape),
            None => Fsm::new(layout, shape),
        };
        let fsm = Unhurried { fsm, budget, spent: AtomicBool::new(false) };
        let run = match only {
            Some(workgroup) => {
                vm::run::run_only(&slice.code, resources, options, workgroup, &fsm).ok()?
            }
            None => vm::run::run(&slice.code, resources, options, &fsm).ok()?,
        };
        if !run.ended() || !run.divergences.is_empty() || fsm.spent.load(Relaxed) {
            return None;
        }
        let Unhurried { fsm, .. } = fsm;
        Some(Shown {
            racy: fsm.racy(),
            dropped: fsm.given_up().racy_words,
            checked: fsm.checked(),
            run,
            sites: slice.shown().collect(),
            classes: None,
        })
    }

    /// The workgroups of each class, in order; nothing, if there are too many classes, or if it takes about as long to find them as
    /// to run all workgroups, of which one takes so many `steps`.
    fn sorted(&self, sorting: &vm::Code, steps: u64) -> Option<Vec<Class>> {
        let Self { resources, options, .. } = *self;
        let sort = |only: Option<u32>| {
            let sorter = Sorter::new(self.budget);
            let run = match only {
                Some(workgroup) => {
                    vm::run::run_only(sorting, resources, options, workgroup, &sorter)
                }
                None => vm::run::run(sorting, resources, options, &sorter),
            };
            let run = run.ok().filter(|run| run.ended() && run.divergences.is_empty())?;
            Some((run, sorter.into_classes()?))
        };
        let (one, _) = sort(Some(0))?;
        if one.steps.saturating_mul(WORTH) > steps {
            tracing::debug!(steps, to_sort = one.steps, "classes are not worth it");
            return None;
        }
        let (_, classes) = sort(None)?;
        Some(classes)
    }
}

impl Shown {
    /// What it shows of all workgroups of a class, in order, if it is of the first.
    fn for_all(self, class: &Class) -> Self {
        let Self { racy, dropped, checked, mut run, sites, .. } = self;
        let (count, most) = (class.count, RACY_KEPT as u64 + 1);
        let words = racy.len() as u64;
        // Those that are too many are counted alone, and one more says that there are such.
        let named = class.first.iter().take(most.div_ceil(words.max(1)) as usize);
        let filled: Racy = named
            .clone()
            .flat_map(|&workgroup| {
                racy.iter().map(move |(granule, site)| (Granule { workgroup, ..*granule }, *site))
            })
            .collect();
        let unnamed = count - named.len() as u64;
        for executed in &mut run.executed {
            executed.by_two |= executed.count > 0 && count > 1;
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

    /// Adds what is shown of other workgroups.
    fn add(&mut self, other: Self) {
        let executed = |to: &mut Executed, from: Executed, _| {
            to.by_two |= from.by_two || to.count > 0 && from.count > 0;
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

    /// Adds what the other part shows of the same workgroups. What both came to was the same.
    fn complete(&mut self, shared: Self) {
        let executed = |to: &mut Executed, from: Executed, is_shown: bool| {
            if is_shown {
                *to = from;
            }
        };
        self.join(shared, executed, |known, other| *known = other);
    }

    /// Takes in what another run shows. `executed` is asked of each site, and whether the other run shows it; `outside` of indices
    /// that were out of bounds in both.
    fn join(
        &mut self,
        mut other: Self,
        executed: impl Fn(&mut Executed, Executed, bool),
        outside: impl Fn(&mut OutOfBounds, OutOfBounds),
    ) {
        self.racy.append(&mut other.racy);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.checked = self.checked.saturating_add(other.checked);
        let (run, from) = (&mut self.run, other.run);
        let length = run.executed.len().max(from.executed.len());
        run.executed.resize(length, Executed::default());
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
        let mut wanted: BTreeMap<MemoryId, u64> = run.wanted.drain(..).collect();
        for (memory, bytes) in from.wanted {
            let most = wanted.entry(memory).or_default();
            *most = bytes.max(*most);
        }
        run.wanted = wanted.into_iter().collect();
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

/// The monitor of a slice. Values flow nowhere in one, so workgroups may run in any order; and who has run its budget has
/// seen enough.
struct Unhurried {
    fsm: Fsm,
    /// How many instructions it sees run.
    budget: u64,
    /// Whether there were more.
    spent: AtomicBool,
}

impl Observer for Unhurried {
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

/// Finds workgroups that show the same reads.
struct Sorter {
    budget: u64,
    /// Whether there are too many classes, or it took too long.
    gives_up: AtomicBool,
    /// By what they show.
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
    type Watcher<'o> = OfWorkgroup<'o>;

    fn watch(&self, workgroup: u32) -> OfWorkgroup<'_> {
        OfWorkgroup { sorter: self, workgroup, shown: Vec::new() }
    }

    fn has_enough(&self, steps: u64) -> bool {
        if steps > self.budget {
            self.gives_up.store(true, Relaxed);
        }
        self.gives_up.load(Relaxed)
    }
}

/// See [`Sorter`].
struct OfWorkgroup<'o> {
    sorter: &'o Sorter,
    workgroup: u32,
    shown: Vec<u64>,
}

impl Watcher for OfWorkgroup<'_> {
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
        if classes.len() > MOST_CLASSES {
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
        }
    }

    #[test]
    fn what_is_shown_of_one_counts_for_all() {
        let executed = vec![
            Executed::default(),
            Executed { count: 1, by_two: false },
            Executed { count: 3, by_two: true },
        ];
        let run = Run { executed, out_of_bounds: vec![out(2, 5, 1)], ..Run::default() };
        let racy = Racy::from([word(1, 0), word(1, 4)]);
        let sites = BTreeSet::from([SiteId(1), SiteId(2)]);
        let one = || Shown {
            racy: racy.clone(),
            checked: 7,
            run: run.clone(),
            sites: sites.clone(),
            ..Shown::default()
        };
        let mut all = one().for_all(&Class::of(vec![2, 1, 5]));
        let expected = [1, 2, 5].into_iter().flat_map(|at| [word(at, 0), word(at, 4)]);
        assert_eq!(all.racy, expected.collect());
        assert_eq!((all.checked, all.dropped), (21, 0));
        let counts = |run: &Run| -> Vec<_> {
            run.executed.iter().map(|one| (one.count, one.by_two)).collect()
        };
        assert_eq!(counts(&all.run), [(0, false), (3, true), (9, true)]);
        assert_eq!(all.run.out_of_bounds, [out(6, 5, 1)]);
        assert_eq!(counts(&one().for_all(&Class::of(vec![1])).run)[1], (1, false));
        // Another class, of which the first workgroup comes first.
        let other = Run {
            executed: vec![Executed { count: 1, by_two: false }],
            out_of_bounds: vec![out(1, 7, 0)],
            wanted: vec![(MemoryId(2), 8)],
            ..Run::default()
        };
        all.add(Shown { run: other, ..Shown::default() });
        assert_eq!(counts(&all.run), [(1, false), (3, true), (9, true)]);
        assert_eq!(all.run.out_of_bounds, [out(7, 7, 0)]);
        // The other part came to a site of this one's too, and says how often.
        let shared = Run {
            executed: vec![
                Executed { count: 4, by_two: true },
                Executed { count: 5, by_two: true },
            ],
            out_of_bounds: vec![out(3, 1, 0)],
            wanted: vec![(MemoryId(2), 4)],
            ..Run::default()
        };
        all.complete(Shown { run: shared, sites: BTreeSet::from([SiteId(0)]), ..Shown::default() });
        assert_eq!(counts(&all.run), [(4, true), (3, true), (9, true)]);
        assert_eq!(all.run.out_of_bounds, [out(3, 1, 0)]);
        assert_eq!(all.run.wanted, [(MemoryId(2), 8)]);
        assert_eq!(all.sites, BTreeSet::from([0, 1, 2].map(SiteId)));
    }

    #[test]
    fn racy_words_that_are_too_many_are_counted() {
        let racy = Racy::from([word(0, 0), word(0, 1), word(0, 2)]);
        let mut all = Shown { racy, ..Shown::default() }.for_all(&Class::of_all(u32::MAX));
        all.limit();
        let words = 3 * u64::from(u32::MAX);
        assert_eq!((all.racy.len(), all.dropped), (RACY_KEPT, words - RACY_KEPT as u64));
    }
}
