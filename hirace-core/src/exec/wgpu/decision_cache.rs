//! Caches of slices and of decisions about dispatches, by the contents of the program and of the launch.

use crate::exec::Watch;
use crate::exec::sliced::{self, SliceDecision};
use crate::program::{Content, DerivedModule, Program};
use crate::vm::observer::MemoryId;
use crate::vm::slice::Slices;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of cached slices, decisions and plain kernels each. The oldest are dropped.
const MAX_ENTRIES: usize = 64;

/// The cached slices and their decisions.
#[derive(Debug, Default)]
pub struct DecisionCache(Mutex<CachedDecisions>);

#[derive(Debug, Default)]
pub(super) struct CachedDecisions {
    slices: VecDeque<(Sliceable, Arc<Option<Slices>>)>,
    pub(super) decisions: VecDeque<Decision>,
    /// The unwatched kernels, with or without clamped indices.
    pub(super) plain: VecDeque<((Entry, bool), Arc<Plain>)>,
}

/// An unwatched kernel, and its key in the cache of pipelines.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) derived: DerivedModule,
    pub(super) content: hirace_gpu::Content,
}

/// An entry point, identified by its program's content and its index.
pub(super) type Entry = (Content, usize);

/// An entry point, and the buffers that a dispatch of it
/// [leaves unchanged](crate::exec::DispatchContext::unwritten_buffers).
pub(super) type Sliceable = (Entry, BTreeSet<MemoryId>);

/// A decision about a dispatch, and everything on which it depends.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) key: Key,
    /// The memories on whose contents the decision depends.
    pub(super) reads: BTreeSet<MemoryId>,
    /// Those contents, lengths of buffers and sizes of textures, hashed twice.
    pub(super) memory: [u64; 2],
    pub(super) sliced: Arc<Option<SliceDecision>>,
}

/// What a decision depends on, other than memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) sliceable: Sliceable,
    pub(super) workgroups: [u32; 3],
    /// The maximum number of steps of an invocation.
    pub(super) steps: u64,
    pub(super) watch: Watch,
}

impl CachedDecisions {
    /// Returns the decision about a dispatch with this key, for the contents that `hashed` returns.
    pub(super) fn decision(
        &self,
        key: &Key,
        hashed: impl Fn(&BTreeSet<MemoryId>) -> [u64; 2],
    ) -> Option<Arc<Option<SliceDecision>>> {
        // Most decisions have read the same memories as the previous one.
        let mut last: Option<(&BTreeSet<MemoryId>, [u64; 2])> = None;
        let mut decisions = self.decisions.iter().filter(|decision| decision.key == *key);
        let found = decisions.find(|decision| {
            let memory = last.filter(|(reads, _)| **reads == decision.reads);
            let memory = memory.map_or_else(|| hashed(&decision.reads), |(_, memory)| memory);
            last = Some((&decision.reads, memory));
            memory == decision.memory
        });
        found.map(|decision| Arc::clone(&decision.sliced))
    }
}

impl DecisionCache {
    pub(super) fn known(&self) -> MutexGuard<'_, CachedDecisions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the slices of an entry point, if it has any.
    pub(super) fn slices(&self, program: &Program, sliceable: &Sliceable) -> Arc<Option<Slices>> {
        // The lock is not held while slices are computed.
        let known = found(&self.known().slices, sliceable);
        known.unwrap_or_else(|| {
            let ((_, entry), left_alone) = sliceable;
            let slices = Arc::new(sliced::of_entry(program, *entry, left_alone));
            keep(&mut self.known().slices, (sliceable.clone(), Arc::clone(&slices)));
            slices
        })
    }

    /// Drops everything.
    pub fn forget(&self) {
        *self.known() = CachedDecisions::default();
    }
}

/// Returns the cached value of a key.
pub(super) fn found<K: PartialEq, T>(kept: &VecDeque<(K, Arc<T>)>, key: &K) -> Option<Arc<T>> {
    let (_, found) = kept.iter().find(|(known, _)| known == key)?;
    Some(Arc::clone(found))
}

/// Adds a value to a cache, and drops the oldest one if there are too many.
pub(super) fn keep<T>(kept: &mut VecDeque<T>, new: T) {
    if kept.len() >= MAX_ENTRIES {
        kept.pop_front();
    }
    kept.push_back(new);
}
