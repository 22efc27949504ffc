//! One workgroup, the target, terminates before all others start. The others follow in the serial order.
//!
//! This is the schedule of CLTestCheck (Peng and Rajan, "CLTestCheck: Measuring Test Effectiveness for GPU
//! Kernels", FASE 2019, section 4.3). Most bugs between workgroups show between two of them, so it suffices
//! to vary which one comes first.
//!
//! If the target waits for another workgroup, no other one is started: nothing guarantees that others run
//! concurrently. So a run whose target cannot terminate by itself makes no progress. If the target is past the
//! last workgroup, the order is the serial one.

use super::serial::Serial;
use super::serial_override::{OverriddenSerial, SerialOverride};
use super::{Kind, Start, Strategy, View};
use crate::random::Random;

/// The `target-first` strategy.
pub static KIND: Kind = Kind {
    name: "target-first",
    parameters: &["workgroup"],
    make: |arguments, _| {
        let target = arguments.first().and_then(|target| u32::try_from(*target).ok());
        Box::new(OverriddenSerial::new(Stage::Before { target: target.unwrap_or(u32::MAX) }))
    },
};

/// Number of workgroups from which one target is drawn.
const SET_SIZE: u32 = 10;

/// Returns the targets to try for a dispatch of this many workgroups, in ascending order: one of each set of ten
/// workgroups, drawn by a seed. The last set may be smaller.
pub fn targets(workgroups: u32, seed: u64) -> impl Iterator<Item = u32> {
    let sets = (0..workgroups).step_by(SET_SIZE as usize);
    sets.map(move |first| {
        let drawn =
            Random::stream(seed, u64::from(first)).below((workgroups - first).min(SET_SIZE));
        first + drawn
    })
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Nothing was started.
    Before { target: u32 },
    /// The target was started, or does not exist; `next` is the lowest index of the others.
    After { target: u32, next: u32, target_runs: bool },
}

impl SerialOverride for Stage {
    fn start(&mut self, serial: &mut Serial, view: &View<'_>) -> Option<Start> {
        let (target, mut next) = match *self {
            Stage::Before { target } if target < view.not_started => {
                *self = Stage::After { target, next: 0, target_runs: true };
                return Some(Start::Ascending(target));
            }
            Stage::Before { target } => (target, 0),
            Stage::After { target_runs: true, .. } if !view.residents.is_empty() => return None,
            Stage::After { target, next, .. } => (target, next),
        };
        let start = serial.start(view).map(|_| {
            let workgroup = next + u32::from(next == target);
            next = workgroup + 1;
            Start::Ascending(workgroup)
        });
        *self = Stage::After { target, next, target_runs: false };
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn one_of_each_ten_workgroups_is_a_target() {
        for workgroups in [0, 1, 9, 10, 11, 64] {
            let mut seen = BTreeSet::new();
            for seed in 0..300 {
                let drawn: Vec<u32> = targets(workgroups, seed).collect();
                assert_eq!(drawn.len() as u32, workgroups.div_ceil(SET_SIZE));
                let in_its_set = |(set, target): (u32, &u32)| target / SET_SIZE == set;
                assert!((0..).zip(&drawn).all(in_its_set), "{drawn:?}");
                assert!(drawn.iter().all(|target| *target < workgroups));
                assert_eq!(targets(workgroups, seed).collect::<Vec<_>>(), drawn);
                seen.extend(drawn);
            }
            assert_eq!(seen.len() as u32, workgroups, "each is drawn by some seed");
        }
    }
}
