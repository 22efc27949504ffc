//! So many workgroups are resident, as on a device with room for no more: the next starts when one of them ends, in
//! ascending order, and not before.
//!
//! The occupancy-bound execution model (Sorensen et al., «Portable inter-workgroup barrier synchronisation for GPUs»,
//! OOPSLA 2016). Those that are resident take turns as in the serial order, so each goes on in the end; a workgroup
//! that waits for one that cannot start is a run without progress. Room for none is room for one.

use super::over_serial::{Change, OverSerial};
use super::serial::Serial;
use super::{Kind, Start, View};

/// See the module.
pub static KIND: Kind = Kind {
    name: "occupancy",
    parameters: &["resident"],
    make: |arguments, _| {
        let room = arguments.first().and_then(|room| usize::try_from(*room).ok());
        Box::new(OverSerial::new(Occupancy { room: room.unwrap_or(usize::MAX).max(1) }))
    },
};

#[derive(Debug)]
struct Occupancy {
    /// How many may be resident.
    room: usize,
}

impl Change for Occupancy {
    fn start(&mut self, _: &mut Serial, view: &View<'_>) -> Option<Start> {
        (view.residents.len() < self.room).then_some(Start::First)
    }
}
