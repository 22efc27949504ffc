//! So many workgroups are resident, as on a device with room for no more: the next starts when one of them ends, in
//! ascending order, and not before.
//!
//! The occupancy-bound execution model (Sorensen et al., «Portable inter-workgroup barrier synchronisation for GPUs»,
//! OOPSLA 2016). Those that are resident take turns as in the serial order, so each goes on in the end; a workgroup
//! that waits for one that cannot start is a run without progress. Room for none is room for one.

use super::serial::Serial;
use super::{Gap, Kind, Ready, Slice, Start, Strategy, View};

/// See the module.
pub static KIND: Kind = Kind {
    name: "occupancy",
    parameters: &["resident"],
    make: |arguments, _| {
        let room = arguments.first().and_then(|room| usize::try_from(*room).ok());
        let room = room.unwrap_or(usize::MAX).max(1);
        Box::new(Occupancy { room, serial: Serial::default() })
    },
};

#[derive(Debug)]
struct Occupancy {
    /// How many may be resident.
    room: usize,
    /// Who of them has the turn.
    serial: Serial,
}

impl Strategy for Occupancy {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        (view.residents.len() < self.room).then_some(Start::First)
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        self.serial.turn(view)
    }

    fn slice(&mut self, place: usize, ready: &Ready<'_>, view: &View<'_>) -> Option<Slice> {
        self.serial.slice(place, ready, view)
    }

    fn blocked(&mut self, place: usize, view: &View<'_>) {
        self.serial.blocked(place, view);
    }

    fn ended(&mut self, place: usize, view: &View<'_>) -> Gap {
        self.serial.ended(place, view)
    }
}
