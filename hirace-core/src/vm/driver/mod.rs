//! Drives a dispatch: which workgroup runs when, and when to give up.

mod parallel;
mod random;
mod seeded;
mod serial;

use super::code::Code;
use super::engine::Machine;
use super::engine::tally::Tally;
use super::memory::{Resource, Resources};
use super::observer::{Observer, Watcher};
use super::run::{Invocation, NoProgress, Options, Run};
use super::workgroup::{Workgroup, place};
use crate::diagnostic::{Diagnostic, Result};
use std::sync::atomic::Ordering;

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
        run_lanes::<O, 64>(code, resources, options, observer)
    } else {
        run_lanes::<O, 32>(code, resources, options, observer)
    }
}

fn run_lanes<O: Observer, const N: usize>(
    code: &Code,
    resources: &Resources,
    options: &Options,
    observer: &O,
) -> Result<Run> {
    let machine = Machine::new(code, resources, options.workgroups, options.subgroup_size)?;
    let count = options.workgroups.iter().try_fold(1u32, |n, size| n.checked_mul(*size));
    let Some(count) = count else {
        let [x, y, z] = options.workgroups;
        let message = format!("a dispatch of {x} x {y} x {z} workgroups is too large");
        return Err(Diagnostic::new(message).into());
    };
    let mut dispatch = Dispatch { machine, options, count };
    if options.schedule.seed != 0 {
        return Ok(seeded::run::<O, N>(&dispatch, observer));
    }
    if options.parallel && count > 1 {
        let saved = save(code, resources);
        if let Some(run) = parallel::run::<O, N>(&dispatch, observer) {
            return Ok(run);
        }
        restore(resources, saved);
        observer.reset();
        dispatch.machine =
            Machine::new(code, resources, options.workgroups, options.subgroup_size)?;
    }
    Ok(serial::run::<O, N>(&dispatch, observer))
}

/// One dispatch, about to run.
struct Dispatch<'a> {
    machine: Machine<'a>,
    options: &'a Options<'a>,
    /// How many workgroups.
    count: u32,
}

impl Dispatch<'_> {
    fn tally(&self) -> Tally {
        Tally::new(self.machine.code.sites)
    }

    /// Whether somebody wants the run to end.
    fn stopped(&self) -> bool {
        self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The finding that a run makes no progress: `stuck` is the workgroup, and the index of the
    /// fragment in it, that ran too long.
    fn no_progress<W: Watcher, const N: usize>(
        &self,
        resident: &[Workgroup<W, N>],
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
