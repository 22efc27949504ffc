//! Converts what the engine shows to one event per granule, for observers that keep full histories.

use super::clocks::Clocks;
use super::trace::{Event, WrittenBits};
use super::{Granule, Layout, MemoryLayout};
use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::vm::observer::{Accesses, MemoryId, Space, Watcher};
use crate::vm::run::Invocation;

/// Records the events of a dispatch.
pub trait Recorder {
    /// Returns the watched memories.
    fn layout(&self) -> &Layout;

    /// Returns whether events in this memory are relevant.
    fn wants(&self, memory: MemoryId) -> bool;

    /// Records an event, after everything that happened before it.
    fn record(&self, event: Event);

    /// Called when a workgroup is done: no further event concerns its own memory.
    fn ended(&self, _workgroup: u32) {}
}

/// Watches one workgroup for a [`Recorder`]. It stops recording after a barrier that not all invocations
/// reached.
#[derive(Debug)]
pub struct EventWatcher<'o, R: Recorder> {
    recorder: &'o R,
    workgroup: u32,
    clocks: Clocks,
    diverged: bool,
}

impl<'o, R: Recorder> EventWatcher<'o, R> {
    pub(super) fn new(recorder: &'o R, workgroup: u32) -> Self {
        Self { recorder, workgroup, clocks: Clocks::default(), diverged: false }
    }
}

impl<R: Recorder> Drop for EventWatcher<'_, R> {
    fn drop(&mut self) {
        self.recorder.ended(self.workgroup);
    }
}

impl<R: Recorder> Watcher for EventWatcher<'_, R> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        if self.diverged || !self.recorder.wants(accesses.memory) {
            return;
        }
        for event in events(self.recorder.layout(), &self.clocks, self.workgroup, accesses) {
            self.recorder.record(event);
        }
    }

    fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        self.clocks.barrier(site, barrier);
    }

    fn subgroup_barrier(&mut self, _: SiteId, subgroup: u32, barrier: Barrier) {
        self.clocks.subgroup_barrier(subgroup, barrier);
    }

    fn diverged(&mut self) {
        self.diverged = true;
    }
}

/// Returns what `lane` writes to a granule, if values are shown.
fn wrote(memory: MemoryLayout, accesses: &Accesses<'_>, lane: u32, index: u32) -> WrittenBits {
    let Some(stored) = accesses.stored else { return WrittenBits::Unknown };
    let shift = memory.granule_shift;
    stored.bits(lane, index << shift, 1 << shift).map_or(WrittenBits::Unknown, WrittenBits::Bits)
}

/// Returns an event for each granule that `accesses` touch, in order, if they are watched.
pub(super) fn events<'a>(
    layout: &Layout,
    clocks: &'a Clocks,
    workgroup: u32,
    accesses: &'a Accesses<'_>,
) -> impl Iterator<Item = Event> + use<'a> {
    let memory = layout.watched(accesses).into_iter();
    let event = move |memory: MemoryLayout, lane: u32, index: u32| {
        let own = memory.space == Space::Workgroup;
        let local = accesses.first_invocation + lane;
        Event {
            granule: Granule {
                memory: accesses.memory,
                workgroup: if own { workgroup } else { 0 },
                index,
            },
            invocation: Invocation { workgroup, local },
            subgroup: accesses.subgroup,
            site: accesses.site,
            action: accesses.action,
            epoch: clocks.epoch(memory.space),
            subgroup_epoch: clocks.subgroup_epoch(accesses.subgroup, memory.space),
            barriers: clocks.barriers,
            last_barrier: clocks.last,
            written: wrote(memory, accesses, lane, index),
        }
    };
    memory.flat_map(move |memory| {
        accesses.lanes().flat_map(move |(lane, offset)| {
            let extents = accesses.extent.iter();
            let granules = extents.flat_map(move |extent| memory.touched_granules(offset, *extent));
            granules.map(move |index| event(memory, lane, index))
        })
    })
}
