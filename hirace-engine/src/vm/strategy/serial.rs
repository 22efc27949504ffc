//! The serial strategy: workgroups run one after another, in ascending order. The run is always the same.
//!
//! If a workgroup cannot continue until memory changes, or runs for very long, it may be waiting for another one.
//! Then the next workgroup is started as well, and the started ones take turns.

use super::{Gap, Kind, Pick, Ready, TimeSlice, Start, Strategy, View};

/// Number of instructions that a workgroup runs before others get their turn.
pub(super) const QUANTUM: u64 = 1 << 20;

/// Number of instructions that a fragment runs before others of its workgroup get their turn.
pub(super) const SLICE: u64 = 1 << 16;

/// The `serial` strategy.
pub static KIND: Kind =
    Kind { name: "serial", parameters: &[], make: |_, _| Box::new(Serial::default()) };

#[derive(Debug, Default)]
pub(super) struct Serial {
    /// The place of the resident whose turn it is. If it is past the end, all residents have had their turns, and the
    /// next workgroup is started if one remains.
    place: usize,
    /// The total number of instructions that had run when the turn began.
    before: u64,
    /// Whether the turn has begun.
    begun: bool,
}

impl Serial {
    fn next(&mut self, place: usize) {
        self.place = place;
        self.begun = false;
    }

    /// Returns whether the workgroup at this place has run more than `quantum` instructions in its turn, and ends the
    /// turn if so.
    pub(super) fn has_used_quantum(&mut self, place: usize, quantum: u64, view: &View<'_>) -> bool {
        let over = view.steps - self.before > quantum;
        if over {
            self.next(place + 1);
        }
        over
    }
}

impl Strategy for Serial {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        if self.place < view.residents.len() && !view.all_blocked {
            return None;
        }
        // The started workgroup has the next turn.
        self.next(view.residents.len());
        Some(Start::First)
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        if self.place >= view.residents.len() {
            self.next(0);
        }
        if !self.begun {
            self.before = view.steps;
            self.begun = true;
        }
        self.place
    }

    fn slice(&mut self, place: usize, _: &Ready<'_>, view: &View<'_>) -> Option<TimeSlice> {
        let over = self.has_used_quantum(place, QUANTUM, view);
        (!over).then_some(TimeSlice { fragment: Pick::RoundRobin, fuel: SLICE })
    }

    fn blocked(&mut self, place: usize, _: &View<'_>) {
        self.next(place + 1);
    }

    fn ended(&mut self, place: usize, _: &View<'_>) -> Gap {
        self.next(place);
        Gap::Close
    }
}
