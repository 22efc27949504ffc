//! The serial order, but that one runs about as long as all others together: the first workgroup of those that were
//! started, and in each the first fragment that can run.
//!
//! So a loop that never ends shows soon however many are in it. All others still have their turns, so that none waits
//! in vain for one of them.

use super::over_serial::{Change, OverSerial};
use super::serial::{QUANTUM, SLICE, Serial};
use super::{Kind, Pick, Ready, Slice, View};

/// See the module.
pub static KIND: Kind = Kind {
    name: "favouring",
    parameters: &[],
    make: |_, _| Box::new(OverSerial::new(Favouring::default())),
};

#[derive(Debug, Default)]
struct Favouring {
    /// Whose turn it is among the fragments of the workgroup.
    fragment: usize,
}

impl Change for Favouring {
    fn slice(
        &mut self,
        serial: &mut Serial,
        place: usize,
        ready: &Ready<'_>,
        view: &View<'_>,
    ) -> Option<Slice> {
        let quantum = share(QUANTUM, place, view.residents.len());
        if serial.had_its_turn(place, quantum, view) {
            return None;
        }
        let nth = self.fragment % ready.count;
        self.fragment = nth + 1;
        Some(Slice { fragment: Pick::Nth(nth), fuel: share(SLICE, nth, ready.count) })
    }
}

/// What the one at this place gets: the first all, the others share as much.
fn share(all: u64, place: usize, of: usize) -> u64 {
    if place == 0 { all } else { (all / of as u64).max(1) }
}
