//! Drives a dispatch: which workgroup runs when, and when to give up.

mod parallel;
mod random;
mod seeded;
mod serial;

use super::code::Code;
use super::engine::Machine;
use super::engine::fragment::{Fragment, State};
use super::engine::tally::Tally;
use super::memory::{Resource, Resources};
use super::observer::{Observer, Watcher};
use super::run::{Invocation, NoProgress, Options, Run};
use super::workgroup::{Workgroup, place};
use crate::diagnostic::{Diagnostic, Result};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Bytes for the registers of a workgroup.
const MOST_MEMORY: u64 = 1 << 31;

/// Runs one dispatch of `code` over `resources`.
pub fn run<O: Observer>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &O,
) -> Result<Run> {
    let size = options.subgroup_size;
    if !size.is_power_of_two() || size > 64 {
        let message = format!("a subgroup of {size} lanes: must be a power of two from 1 to 64");
        return Err(Diagnostic::new(message).into());
    }
    if size > 32 {
        run_lanes::<64>(code, resources, options, observer)
    } else {
        run_lanes::<32>(code, resources, options, observer)
    }
}

/// An [`Observer`] of any type. It is called for all lanes of a subgroup at once, so that the engine
/// need not be compiled for each.
trait AnyObserver: Sync {
    fn watch(&self, workgroup: u32) -> Box<dyn Watcher + '_>;
    fn flowed(&self) -> bool;
    fn reset(&self);
}

impl<O: Observer> AnyObserver for O {
    fn watch(&self, workgroup: u32) -> Box<dyn Watcher + '_> {
        Box::new(Observer::watch(self, workgroup))
    }

    fn flowed(&self) -> bool {
        Observer::flowed(self)
    }

    fn reset(&self) {
        Observer::reset(self);
    }
}

fn run_lanes<const N: usize>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &dyn AnyObserver,
) -> Result<Run> {
    let machine = Machine::new(code, resources, options.workgroups, options.subgroup_size)?;
    let count = options.workgroups.iter().try_fold(1u32, |n, size| n.checked_mul(*size));
    let Some(count) = count else {
        let [x, y, z] = options.workgroups;
        let message = format!("a dispatch of {x} x {y} x {z} workgroups is too large");
        return Err(Diagnostic::new(message).into());
    };
    let subgroups = u64::from(code.invocations().div_ceil(options.subgroup_size));
    if subgroups * u64::from(code.registers) * 4 * N as u64 > MOST_MEMORY {
        let message = "a workgroup holds more values than the embedded executor has room for";
        let help = "make its function and private arrays smaller, or the workgroup";
        return Err(Diagnostic::new(message).help(help).into());
    }
    let deadline = options.limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut dispatch = Dispatch { machine, options, count, deadline };
    if options.schedule.seed != 0 {
        return Ok(seeded::run::<N>(&dispatch, observer));
    }
    if options.parallel && count > 1 {
        let saved = save(code, resources);
        if let Some(run) = parallel::run::<N>(&dispatch, observer) {
            return Ok(run);
        }
        tracing::debug!("workgroups depend on one another: run again, one after another");
        restore(resources, saved);
        observer.reset();
        dispatch.machine =
            Machine::new(code, resources, options.workgroups, options.subgroup_size)?;
    }
    Ok(serial::run::<N>(&dispatch, observer))
}

/// One dispatch, about to run.
struct Dispatch<'a> {
    machine: Machine<'a>,
    options: &'a Options<'a>,
    /// How many workgroups.
    count: u32,
    /// When its time is up.
    deadline: Option<Instant>,
}

impl Dispatch<'_> {
    fn tally(&self) -> Tally {
        Tally::new(self.machine.code.sites)
    }

    /// Whether somebody wants the run to end, or its time is up.
    fn stopped(&self) -> bool {
        self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The finding that a run makes no progress, if a fragment of this resident workgroup ran too
    /// long.
    fn too_long<const N: usize>(
        &self,
        resident: &[Workgroup<'_, N>],
        turn: usize,
        not_started: u32,
    ) -> Option<NoProgress> {
        let limit = self.options.limits.steps;
        let stuck = resident.get(turn)?.fragments.iter().position(|f| f.steps > limit)?;
        self.no_progress(resident, (turn, stuck), not_started)
    }

    /// The finding that a run makes no progress, if all that was started waits for memory to change,
    /// and nothing can.
    fn deadlock<const N: usize>(
        &self,
        resident: &[Workgroup<'_, N>],
        not_started: u32,
    ) -> Option<NoProgress> {
        let spins = |f: &Fragment<N>| matches!(f.state, State::Spinning(_));
        let mut all = resident.iter().enumerate();
        let stuck = all.find_map(|(turn, workgroup)| {
            Some((turn, workgroup.fragments.iter().position(spins)?))
        });
        self.no_progress(resident, stuck?, not_started)
    }

    /// `stuck` is the workgroup and the fragment in it to name first.
    fn no_progress<const N: usize>(
        &self,
        resident: &[Workgroup<'_, N>],
        stuck: (usize, usize),
        not_started: u32,
    ) -> Option<NoProgress> {
        const EXAMPLES: usize = 16;
        let workgroup = resident.get(stuck.0)?;
        let fragment = workgroup.fragments.get(stuck.1)?;
        let lane = if fragment.mask != 0 { fragment.mask } else { fragment.lanes };
        let local = fragment.subgroup * self.machine.subgroup_size + lane.trailing_zeros();
        let invocation = Invocation { workgroup: workgroup.index, local };
        let waiting = || {
            let all = resident.iter().flat_map(|workgroup| workgroup.unfinished(&self.machine));
            all.filter(|(other, _)| *other != invocation)
        };
        let not_started = u64::from(not_started) * u64::from(self.machine.code.invocations());
        Some(NoProgress {
            stuck: (invocation, place(self.machine.code, fragment)),
            waiting: waiting().take(EXAMPLES).collect(),
            unfinished: waiting().count() as u64 + 1 + not_started,
            steps: fragment.steps,
        })
    }
}

/// What memory that the code may write held before.
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
