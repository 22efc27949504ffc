//! The serial order, except that one fragment runs about as long as all others together: the first fragment
//! that can run, in the first resident workgroup.
//!
//! An endless loop is found soon, however many invocations are in it. All other fragments still get turns, so
//! that none of them waits forever for another.

use super::serial::{QUANTUM, SLICE, Serial};
use super::serial_override::{OverriddenSerial, SerialOverride};
use super::{Kind, Pick, Ready, TimeSlice, View};

/// The `favoring` strategy.
pub static KIND: Kind = Kind {
    name: "favoring",
    parameters: &[],
    make: |_, _| Box::new(OverriddenSerial::new(FavoringStrategy::default())),
};

#[derive(Debug, Default)]
struct FavoringStrategy {
    /// The index of the fragment of the workgroup that runs next.
    fragment: usize,
}

impl SerialOverride for FavoringStrategy {
    fn slice(
        &mut self,
        serial: &mut Serial,
        place: usize,
        ready: &Ready<'_>,
        view: &View<'_>,
    ) -> Option<TimeSlice> {
        let quantum = share(QUANTUM, place, view.residents.len());
        if serial.has_used_quantum(place, quantum, view) {
            return None;
        }
        let nth = self.fragment % ready.count;
        self.fragment = nth + 1;
        Some(TimeSlice { fragment: Pick::Nth(nth), fuel: share(SLICE, nth, ready.count) })
    }
}

/// Returns the fuel of the fragment or workgroup at this place: the first gets all of it, the others share
/// the same amount.
fn share(all: u64, place: usize, of: usize) -> u64 {
    if place == 0 { all } else { (all / of as u64).max(1) }
}
