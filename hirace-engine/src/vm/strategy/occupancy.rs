//! A fixed number of workgroups is resident, as on a device with limited room: workgroups start in ascending
//! order, the next one only when a resident one ends.
//!
//! This is the occupancy-bound execution model (Sorensen et al., "Portable inter-workgroup barrier
//! synchronization for GPUs", OOPSLA 2016). The residents take turns as in the serial order, so each of them
//! eventually runs. A workgroup that waits for one that cannot start is a run without progress. A size of 0
//! is treated as 1.

use super::serial::Serial;
use super::serial_override::{OverriddenSerial, SerialOverride};
use super::{Kind, Start, View};

/// The `occupancy` strategy.
pub static KIND: Kind = Kind {
    name: "occupancy",
    parameters: &["resident"],
    make: |arguments, _| {
        let room = arguments.first().and_then(|room| usize::try_from(*room).ok());
        Box::new(OverriddenSerial::new(Occupancy { room: room.unwrap_or(usize::MAX).max(1) }))
    },
};

#[derive(Debug)]
struct Occupancy {
    /// Maximum number of resident workgroups.
    room: usize,
}

impl SerialOverride for Occupancy {
    fn start(&mut self, _: &mut Serial, view: &View<'_>) -> Option<Start> {
        (view.residents.len() < self.room).then_some(Start::First)
    }
}
