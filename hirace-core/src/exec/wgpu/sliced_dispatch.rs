//! Dispatches that are decided by their slice: the kernel runs without a monitor, unmodified or with clamped indices.

use super::decision_cache::{Decision, Entry, Key, Plain, found, keep};
use super::dispatch::{DeviceDispatch, RunStatus};
use super::memory::UploadedResources;
use super::needs::Needs;
use super::unwatched;
use crate::diagnostic::Result;
use crate::exec::DispatchOutcome;
use crate::exec::sliced::{self, SliceDecision};
use crate::facts::Shadow;
use crate::launch::Launch;
use crate::pass::monitor::{Options, monitor};
use crate::program::DerivedModule;
use crate::shadow::fields::Width;
use crate::vm::memory::Resource;
use crate::vm::observer::MemoryId;
use crate::vm::slice::MIN_STEPS_PER_ITERATION;
use crate::watch::NotWatched;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

impl DeviceDispatch<'_> {
    /// Returns the decision of the slice of the dispatch with this index, if slices are enabled and it terminates. Combined
    /// programs of many mutants are always watched.
    pub fn sliced(&self, number: usize, stop: Option<&AtomicBool>) -> Arc<Option<SliceDecision>> {
        let Self { program, launch, dispatch, watch, width, .. } = *self;
        // A dispatch whose narrow shadow words overflowed is not decided by a slice, which never overflows.
        if !watch.shortcuts.slices || self.kept.has(program) || width == Width::Wide {
            return Arc::default();
        }
        let sliceable = (self.entry_content(), self.known().unwritten_buffers());
        let slices = self.decision_cache.slices(program, &sliceable);
        let Some(slices) = &*slices else {
            tracing::debug!(entry = self.name(), "data decides what runs: there is no slice");
            return Arc::default();
        };
        let steps =
            launch.limits.steps.min(u64::from(self.max_iterations()) * MIN_STEPS_PER_ITERATION);
        let key = Key { sliceable, workgroups: dispatch.workgroups, steps, watch: watch.clone() };
        let hashed = |reads: &BTreeSet<MemoryId>| hashed(launch, number, reads);
        if let Some(decision) = self.decision_cache.known().decision(&key, hashed) {
            return decision;
        }
        let (sliced, reads) = sliced::decide(program, slices, launch, number, watch, steps, stop);
        tracing::debug!(
            entry = self.name(),
            undecided = sliced.as_ref().map(|sliced| sliced.undecided.len()),
            "the slice terminated: {}",
            sliced.is_some()
        );
        let sliced = Arc::new(sliced);
        if !stop.is_some_and(|stop| stop.load(Relaxed)) {
            let memory = hashed(&reads);
            let decision = Decision { key, reads, memory, sliced: Arc::clone(&sliced) };
            keep(&mut self.decision_cache.known().decisions, decision);
        }
        sliced
    }

    /// Returns the kernel that runs if everything is decided. It is created when it is first needed.
    fn plain_of(&self, sliced: &SliceDecision) -> Result<Arc<Plain>> {
        let which = (self.entry_content(), clamps(sliced));
        let known = found(&self.decision_cache.known().plain, &which);
        if let Some(plain) = known {
            return Ok(plain);
        }
        let derived = self.unwatched(sliced)?;
        let content = hirace_gpu::Content::of(&self.shader(&derived, &[]));
        let plain = Arc::new(Plain { derived, content });
        keep(&mut self.decision_cache.known().plain, (which, Arc::clone(&plain)));
        Ok(plain)
    }

    fn entry_content(&self) -> Entry {
        (self.program.content(), self.dispatch.entry)
    }

    /// Compiles the kernel that runs if everything is decided.
    pub fn decided(&self, sliced: &SliceDecision) -> Result<unwatched::CompiledDispatch> {
        self.compile_derived(self.unwatched(sliced)?)
    }

    /// Returns the kernel, unmodified or modified only to clamp its indices.
    fn unwatched(&self, sliced: &SliceDecision) -> Result<DerivedModule> {
        if !clamps(sliced) {
            return self.only_entry();
        }
        let none = self.watched_to_record().excluding(|_| Some(NotWatched::DecidedBySlice));
        let options = Options { clamps: true, ..Options::default() };
        Ok(monitor(self.program, &none, &options)?.derived)
    }

    /// Runs the kernel unwatched, because everything is decided.
    pub fn run_decided(
        &self,
        sliced: &SliceDecision,
        memory: &UploadedResources,
        stop: Option<&AtomicBool>,
    ) -> Result<RunStatus<DispatchOutcome>> {
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        let plain = self.plain_of(sliced)?;
        let pipeline = self.compile_as(plain.content, &self.shader(&plain.derived, &[]))?;
        // A slice shows only some of the accesses, and no device counts them.
        let mut dispatched = DispatchOutcome { checked: 0, ..sliced.dispatched.clone() };
        let ran = self.submit_with(&pipeline, &plain.derived, &|_| None, memory, stop)?;
        dispatched.run.stopped = !ran;
        dispatched.shadow = Some(Shadow::NotNeeded);
        dispatched.watched += sliced.proven;
        Ok(RunStatus::Completed(dispatched))
    }
}

/// Returns whether indices must be clamped. In the unmodified kernel, the device decides the effect of an out-of-bounds index. A
/// check clamps it, as the embedded executor does.
fn clamps(sliced: &SliceDecision) -> bool {
    !sliced.dispatched.run.out_of_bounds.is_empty()
}

/// Returns the hashes of the resources that are bound at the start of a dispatch, as far as a slice reads them.
fn hashed(launch: &Launch, number: usize, reads: &BTreeSet<MemoryId>) -> [u64; 2] {
    let resources = sliced::contents(launch, number);
    let hash = |first: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(first);
        for (memory, resource) in (0..).map(MemoryId).zip(&resources.by_global) {
            match resource {
                Some(Resource::Buffer(buffer)) => {
                    (buffer.len(), buffer.elastic).hash(&mut hasher);
                    if reads.contains(&memory) {
                        let words = buffer.words().iter();
                        words.for_each(|word| hasher.write_u32(word.load(Relaxed)));
                    }
                }
                Some(Resource::Texture(texture)) => {
                    (texture.size, texture.levels, texture.samples).hash(&mut hasher);
                }
                Some(Resource::Sampler(_)) | None => hasher.write_u8(0),
            }
        }
        hasher.finish()
    };
    [hash(0), hash(1)]
}
