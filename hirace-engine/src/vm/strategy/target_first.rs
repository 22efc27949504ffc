//! One workgroup runs to its end before all others start; those follow in the serial order.
//!
//! The schedule of CLTestCheck (Peng and Rajan, «CLTestCheck: Measuring Test Effectiveness for GPU Kernels», FASE 2019,
//! section 4.3): most bugs between workgroups show between two of them, so that it is enough to try who comes first.
//!
//! A workgroup that waits for another is held to it: nothing promises it that others run beside it, so a target that
//! cannot end by itself is a run without progress. A number past the last workgroup is the serial order.

use super::serial::Serial;
use super::{Gap, Kind, Ready, Slice, Start, Strategy, View};

/// See the module.
pub static KIND: Kind = Kind {
    name: "target-first",
    parameters: &["workgroup"],
    make: |arguments, _| {
        let target = arguments.first().and_then(|target| u32::try_from(*target).ok());
        let stage = Stage::Before { target: target.unwrap_or(u32::MAX) };
        Box::new(TargetFirst { stage, serial: Serial::default() })
    },
};

#[derive(Debug)]
struct TargetFirst {
    stage: Stage,
    serial: Serial,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Nothing was started.
    Before { target: u32 },
    /// The target was started, or there is no such; `next` is the lowest index of the others.
    After { target: u32, next: u32, target_runs: bool },
}

impl Strategy for TargetFirst {
    fn start(&mut self, view: &View<'_>) -> Option<Start> {
        let (target, mut next) = match self.stage {
            Stage::Before { target } if target < view.not_started => {
                self.stage = Stage::After { target, next: 0, target_runs: true };
                return Some(Start::Ahead(target));
            }
            Stage::Before { target } => (target, 0),
            Stage::After { target_runs: true, .. } if !view.residents.is_empty() => return None,
            Stage::After { target, next, .. } => (target, next),
        };
        let start = self.serial.start(view).map(|_| {
            let now = next + u32::from(next == target);
            next = now + 1;
            Start::Ahead(now)
        });
        self.stage = Stage::After { target, next, target_runs: false };
        start
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
