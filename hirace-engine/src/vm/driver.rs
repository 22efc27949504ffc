//! Drives a dispatch: the loop that all strategies share (`drive`), its setup, and the choice between a
//! parallel and a serial run.
//!
//! **Architecture invariant:** the same launch, seed and schedule always give the same run. Workgroups run in
//! parallel only while no value flows between them. The observer detects when one does, and the run is then
//! repeated serially.

mod drive;
mod no_progress;
mod parallel;
mod pending_workgroups;

use super::code::Code;
use super::engine::Setup;
use super::engine::unused_reads::ReadFollower;
use super::memory::{Resource, Resources};
use super::observer::{NoObserver, Observer, Watcher};
use super::run::{Options, Run};
use crate::diagnostic::{Diagnostic, Result};
use drive::{End, drive};
use pending_workgroups::PendingWorkgroups;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Maximum number of bytes for the registers of a workgroup.
const MAX_REGISTER_BYTES: u64 = 1 << 29;

/// Runs one dispatch of `code` over `resources`.
pub fn run<O: Observer>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &O,
) -> Result<Run> {
    run_erased(code, resources, options, &ErasedObserver(observer), Variant::default())
}

/// Runs one dispatch in which reads out of bounds return 0 and writes out of bounds do nothing, instead of touching another
/// element. Observers do not see these accesses.
pub fn run_dropping<O: Observer>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &O,
) -> Result<Run> {
    let variant = Variant { drops: true, ..Variant::default() };
    run_erased(code, resources, options, &ErasedObserver(observer), variant)
}

/// Runs one dispatch unobserved, one workgroup after another, and follows the values of reads out of bounds.
pub fn run_following(
    code: &Code,
    resources: &Resources,
    options: &Options,
    follower: &ReadFollower,
) -> Result<Run> {
    let options = Options { parallel: false, ..*options };
    let observer = ErasedObserver(&NoObserver);
    let variant = Variant { follower: Some(follower), ..Variant::default() };
    run_erased(code, resources, &options, &observer, variant)
}

/// Runs only the workgroup of a dispatch with this linear index.
pub fn run_only<O: Observer>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    workgroup: u32,
    observer: &O,
) -> Result<Run> {
    let variant = Variant { only: Some(workgroup), ..Variant::default() };
    run_erased(code, resources, options, &ErasedObserver(observer), variant)
}

/// How a run differs from a plain one.
#[derive(Clone, Copy, Default)]
struct Variant<'a> {
    /// The linear index of the only workgroup that runs.
    only: Option<u32>,
    /// Follows the values of reads out of bounds.
    follower: Option<&'a ReadFollower>,
    /// Whether accesses out of bounds are dropped instead of clamped.
    drops: bool,
}

/// Runs with a type-erased observer, so that the engine is compiled once, in this crate.
fn run_erased(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &ErasedObserver,
    variant: Variant<'_>,
) -> Result<Run> {
    if options.subgroup_size > 32 {
        run_lanes::<64, _>(code, resources, options, observer, variant)
    } else {
        run_lanes::<32, _>(code, resources, options, observer, variant)
    }
}

/// An object-safe [`Observer`]. It is called once for all lanes of a subgroup, so the engine need not be
/// compiled for each observer type.
trait AnyObserver: Sync {
    fn watch(&self, workgroup: u32) -> Box<dyn Watcher + '_>;
    fn flowed(&self) -> bool;
    fn has_enough(&self, steps: u64) -> bool;
    fn wants_values(&self) -> bool;
    fn reset(&self);
}

impl<O: Observer> AnyObserver for O {
    fn watch(&self, workgroup: u32) -> Box<dyn Watcher + '_> {
        Box::new(Observer::watch(self, workgroup))
    }

    fn flowed(&self) -> bool {
        Observer::flowed(self)
    }

    fn has_enough(&self, steps: u64) -> bool {
        Observer::has_enough(self, steps)
    }

    fn wants_values(&self) -> bool {
        Observer::wants_values(self)
    }

    fn reset(&self) {
        Observer::reset(self);
    }
}

/// An observer of erased type.
struct ErasedObserver<'a>(&'a dyn AnyObserver);

impl Observer for ErasedObserver<'_> {
    type Watcher<'o>
        = Box<dyn Watcher + 'o>
    where
        Self: 'o;

    fn watch(&self, workgroup: u32) -> Box<dyn Watcher + '_> {
        self.0.watch(workgroup)
    }

    fn flowed(&self) -> bool {
        self.0.flowed()
    }

    fn has_enough(&self, steps: u64) -> bool {
        self.0.has_enough(steps)
    }

    fn wants_values(&self) -> bool {
        self.0.wants_values()
    }

    fn reset(&self) {
        self.0.reset();
    }
}

fn run_lanes<const N: usize, O: Observer>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &O,
    Variant { only, follower, drops }: Variant<'_>,
) -> Result<Run> {
    let setup = || -> Result<Setup<'_>> {
        let setup = Setup::new(code, resources, options.workgroups, options.subgroup_size)?;
        Ok(Setup { shows_values: observer.wants_values(), follower, drops, ..setup })
    };
    let first = setup()?;
    let count = first.count()?;
    let subgroups = u64::from(code.invocations().div_ceil(options.subgroup_size));
    if subgroups * u64::from(code.registers) * 4 * N as u64 > MAX_REGISTER_BYTES {
        let message =
            "the values of a workgroup need more memory than the embedded executor supports";
        let help = "use smaller function and private arrays, or a smaller workgroup";
        return Err(Diagnostic::new(message).help(help).into());
    }
    let deadline = options.limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut dispatch = Dispatch { setup: first, options, count, deadline };
    if options.parallel && options.schedule.is_plain() && count > 1 && only.is_none() {
        let saved = save(code, resources);
        if let Some(run) = parallel::run::<N, O>(&dispatch, observer) {
            return Ok(run);
        }
        tracing::debug!("workgroups depend on one another: re-running them serially");
        restore(resources, saved);
        observer.reset();
        dispatch.setup = setup()?;
    }
    let mut strategy = options.schedule.strategy(&options.limits);
    let not_started = only.map_or(PendingWorkgroups::own(count), PendingWorkgroups::only);
    let (tally, end) = drive::<N, O>(&dispatch, observer, &mut *strategy, not_started);
    let (stopped, spent) = (end == End::Stopped, end == End::OutOfSteps);
    Ok(Run { stopped, reached_total_limit: spent, serial: true, ..tally.finish() })
}

/// A dispatch that is ready to run.
struct Dispatch<'a> {
    setup: Setup<'a>,
    options: &'a Options<'a>,
    /// Number of workgroups.
    count: u32,
    /// The time at which the run is stopped.
    deadline: Option<Instant>,
}

impl Dispatch<'_> {
    /// Returns whether the run was cancelled or its deadline has passed.
    fn stopped(&self) -> bool {
        self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Returns the current contents of the memory that the code may write.
fn save(code: &Code, resources: &Resources) -> Vec<(usize, Vec<u32>)> {
    let buffers = code.buffers.iter().filter(|used| used.writable).map(|used| used.memory);
    let textures = code.textures.iter().filter(|used| used.writable).map(|used| used.memory);
    let indices = buffers.chain(textures).map(|memory| memory.0 as usize);
    let saved = indices.filter_map(|index| match resources.by_global.get(index)?.as_ref()? {
        Resource::Buffer(buffer) => Some((index, buffer.snapshot())),
        Resource::Texture(texture) => Some((index, texture.texels.snapshot())),
        Resource::Sampler(_) => None,
    });
    saved.collect()
}

fn restore(resources: &Resources, saved: Vec<(usize, Vec<u32>)>) {
    for (index, words) in saved {
        match resources.by_global.get(index).and_then(Option::as_ref) {
            Some(Resource::Buffer(buffer)) => buffer.restore(&words),
            Some(Resource::Texture(texture)) => texture.texels.restore(&words),
            _ => {}
        }
    }
}
