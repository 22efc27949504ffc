//! A random order that a seed determines: which workgroups start, which one runs next, which of its
//! fragments, and for how many instructions. The same seed gives the same run.

use crate::random::Random;
use super::{Gap, Kind, Pick, Ready, TimeSlice, Start, Strategy, View};

/// Number of instructions per resident workgroup without a workgroup ending after which the residents are
/// assumed to wait for a workgroup that was not started.
const QUANTUM: u64 = 1 << 20;

/// The `seeded` strategy.
pub static KIND: Kind = Kind {
    name: "seeded",
    parameters: &["seed"],
    make: |arguments, limits| {
        let seed = arguments.first().copied().unwrap_or_default();
        let room = limits.resident.max(1) as usize;
        Box::new(SeededStrategy { random: Random::new(seed), room, last_end: 0 })
    },
};

#[derive(Debug)]
struct SeededStrategy {
    random: Random,
    /// Maximum number of resident workgroups.
    room: usize,
    /// Number of instructions run when a workgroup last ended or the maximum was last raised.
    last_end: u64,
}

impl Strategy for SeededStrategy {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        if view.steps - self.last_end > QUANTUM * self.room as u64 {
            self.room += 1;
            self.last_end = view.steps;
        }
        if view.all_blocked {
            self.room += 1;
        }
        (view.residents.len() < self.room)
            .then(|| Start::Nth(self.random.below(view.not_started as usize) as u32))
    }

    fn turn(&mut self, view: &View<'_>) -> usize {
        self.random.below(view.residents.len())
    }

    fn slice(&mut self, _: usize, ready: &Ready<'_>, _: &View<'_>) -> Option<TimeSlice> {
        let fragment = Pick::Nth(self.random.below(ready.count));
        Some(TimeSlice { fragment, fuel: fuel(&mut self.random) })
    }

    fn ended(&mut self, _: usize, view: &View<'_>) -> Gap {
        self.last_end = view.steps;
        Gap::TakeLast
    }
}

/// Draws the length of a turn: mostly short, so that turns interleave; sometimes a single instruction,
/// sometimes long.
fn fuel(random: &mut Random) -> u64 {
    match random.below(8u32) {
        0 => 1,
        1 => 4096,
        _ => 1 + random.below(64),
    }
}
