//! Dispatches that are decided by their slice: the kernel runs with no monitor in it, as it is or with its indices clamped. What was decided is kept, by content
//! of the program and of the launch.

use super::bare;
use super::dispatch::{OnDevice, Ran};
use super::memory::Uploaded;
use super::needs::Needs;
use crate::diagnostic::Result;
use crate::exec::sliced::{self, Sliced};
use crate::exec::{Dispatched, Watch};
use crate::launch::Launch;
use crate::pass::monitor::{Options, monitor};
use crate::program::Program;
use crate::shadow::fields::Width;
use crate::vm::memory::Resource;
use crate::vm::observer::MemoryId;
use crate::vm::slice::Slice;
use crate::watch::NotWatched;
use hirace_gpu::{Content, Shader, Source};
use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many slices are kept, and how much of what they decided: the last ones.
const MOST: usize = 64;

/// Instructions that a turn of a loop takes at least, on the engine: those at the end of it.
const LEAST_OF_A_TURN: u64 = 2;

/// What slices there are, and what they decided.
#[derive(Debug, Default)]
pub struct Decided(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    slices: VecDeque<(Content, Arc<Option<Slice>>)>,
    decisions: VecDeque<(Key, Arc<Option<Sliced>>)>,
}

/// All that a decision hangs on.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    entry: Content,
    workgroups: [u32; 3],
    /// How long an invocation may run.
    steps: u64,
    watch: Watch,
    /// Lengths of buffers and sizes of textures, and what the slice reads, hashed twice.
    memory: [u64; 2],
}

impl Decided {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slice of an entry point, if it has one.
    fn slice(&self, program: &Program, entry: usize) -> Option<(Content, Arc<Option<Slice>>)> {
        let name = &program.module.entry_points.get(entry)?.name;
        let source = Source::Naga(&program.module);
        let content = Content::of(&Shader { source, entry: name, constants: &[], layout: None });
        let find = |known: &Known| {
            let (_, slice) = known.slices.iter().find(|(known, _)| *known == content)?;
            Some(Arc::clone(slice))
        };
        // Others may look while one is made.
        let known = find(&self.known());
        let slice = known.unwrap_or_else(|| Arc::new(sliced::of_entry(program, entry)));
        let mut known = self.known();
        if find(&known).is_none() {
            keep(&mut known.slices, (content, Arc::clone(&slice)));
        }
        Some((content, slice))
    }
}

/// Adds to what is kept, and drops what is oldest of too many.
fn keep<T>(kept: &mut VecDeque<T>, new: T) {
    if kept.len() >= MOST {
        kept.pop_front();
    }
    kept.push_back(new);
}

impl OnDevice<'_> {
    /// What the slice of the dispatch with this number decides, if that is asked for and comes to an end. Programs that
    /// stand for many others are watched.
    pub fn sliced(&self, number: usize, stop: Option<&AtomicBool>) -> Arc<Option<Sliced>> {
        let Self { program, launch, dispatch, watch, width, .. } = *self;
        // What ran out of narrow words is not decided by a slice, which never does.
        if !watch.shortcuts.slices || self.kept.has(program) || width == Width::Wide {
            return Arc::default();
        }
        let Some((entry, slice)) = self.decided.slice(program, dispatch.entry) else {
            return Arc::default();
        };
        let Some(slice) = &*slice else {
            tracing::debug!(entry = self.name(), "data decides what runs: there is no slice");
            return Arc::default();
        };
        let steps = launch.limits.steps.min(u64::from(self.turns()) * LEAST_OF_A_TURN);
        let key = Key {
            entry,
            workgroups: dispatch.workgroups,
            steps,
            watch: watch.clone(),
            memory: hashed(launch, number, &slice.reads),
        };
        let find = |known: &Known| {
            let (_, decision) = known.decisions.iter().find(|(known, _)| *known == key)?;
            Some(Arc::clone(decision))
        };
        let known = find(&self.decided.known());
        if let Some(decision) = known {
            return decision;
        }
        let decision = sliced::decide(program, slice, launch, number, watch, steps, stop);
        tracing::debug!(
            entry = self.name(),
            undecided = decision.as_ref().map(|decision| decision.undecided.len()),
            "the slice came to an end: {}",
            decision.is_some()
        );
        let decision = Arc::new(decision);
        if !stop.is_some_and(|stop| stop.load(Relaxed)) {
            keep(&mut self.decided.known().decisions, (key, Arc::clone(&decision)));
        }
        decision
    }

    /// The kernel as it runs when all of it is decided. What becomes of an index that is out of bounds is for the device to
    /// say if it runs as it is; who checks has it clamped, as the embedded executor does.
    pub fn decided(&self, sliced: &Sliced) -> Result<bare::Ready> {
        if sliced.dispatched.run.out_of_bounds.is_empty() { self.plain() } else { self.clamped() }
    }

    /// The kernel with nothing in it but that indices are clamped.
    fn clamped(&self) -> Result<bare::Ready> {
        let none = self.watched_to_record().leaving_out(|_| Some(NotWatched::Decided));
        let options = Options { clamps: true, ..Options::default() };
        self.compiled(monitor(self.program, &none, &options)?.derived)
    }

    /// Runs the kernel unwatched, since all of it is decided.
    pub fn run_decided(
        &self,
        sliced: &Sliced,
        memory: &Uploaded,
        stop: Option<&AtomicBool>,
    ) -> Result<Ran<Dispatched>> {
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        let mut dispatched = sliced.dispatched.clone();
        let bare::Ready { derived, pipeline, .. } = self.decided(sliced)?;
        dispatched.run.stopped = !self.submit_with(&pipeline, &derived, &|_| None, memory, stop)?;
        dispatched.watched += sliced.proven;
        Ok(Ran::ToTheEnd(dispatched))
    }
}

/// What is bound when a dispatch begins, as far as a slice looks at it.
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
                Some(Resource::Texture(texture)) => texture.size.hash(&mut hasher),
                Some(Resource::Sampler(_)) | None => hasher.write_u8(0),
            }
        }
        hasher.finish()
    };
    [hash(0), hash(1)]
}
