//! Workgroups one after another, in ascending order: always the same run.
//!
//! A workgroup may wait for another: one that can only go on when memory changes, or that runs very
//! long. Then the next one is started beside it, and those that are started take turns.

use super::{Gap, Kind, Pick, Ready, Slice, Start, Strategy, View};

/// How many instructions a workgroup runs before others get their turn.
pub(super) const QUANTUM: u64 = 1 << 20;

/// How many instructions a fragment runs before others of its workgroup get their turn.
pub(super) const SLICE: u64 = 1 << 16;

/// See the module.
pub static KIND: Kind =
    Kind { name: "serial", parameters: &[], make: |_, _| Box::new(Serial::default()) };

#[derive(Debug, Default)]
pub(super) struct Serial {
    /// Whose turn it is. Past the end: all have had theirs, and none ended in it.
    place: usize,
    /// Instructions run when the turn began.
    before: u64,
    /// Whether it has begun.
    begun: bool,
}

impl Serial {
    fn next(&mut self, place: usize) {
        self.place = place;
        self.begun = false;
    }

    /// Whether the workgroup at this place has run for `quantum` in its turn, which then ends.
    pub(super) fn had_its_turn(&mut self, place: usize, quantum: u64, view: &View<'_>) -> bool {
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
        // It has the turn at once.
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

    fn slice(&mut self, place: usize, _: &Ready<'_>, view: &View<'_>) -> Option<Slice> {
        let over = self.had_its_turn(place, QUANTUM, view);
        (!over).then_some(Slice { fragment: Pick::InTurn, fuel: SLICE })
    }

    fn blocked(&mut self, place: usize, _: &View<'_>) {
        self.next(place + 1);
    }

    fn ended(&mut self, place: usize, _: &View<'_>) -> Gap {
        self.next(place);
        Gap::Close
    }
}
