//! What the tests share: numbers to compute with, and what is held against what.

use crate::marks::{self, Mark};
use hirace::{Checked, HostShareable, Kernel, Launch, Watch};
use std::collections::BTreeSet;

/// `count` numbers that look random.
pub fn numbers(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.wrapping_mul(0x2545_f491) >> 3
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// `count` numbers below `limit`.
pub fn below(limit: u32, count: usize, seed: u32) -> Vec<u32> {
    numbers(count, seed).into_iter().map(|n| n % limit).collect()
}

/// `count` integers from `-limit` to `limit`.
pub fn integers(limit: i32, count: usize, seed: u32) -> Vec<i32> {
    below(2 * limit as u32 + 1, count, seed).into_iter().map(|n| n as i32 - limit).collect()
}

/// `count` floats from -1 to 1.
pub fn floats(count: usize, seed: u32) -> Vec<f32> {
    numbers(count, seed).into_iter().map(|n| (n & 0xffff) as f32 / 32768.0 - 1.0).collect()
}

/// What a kernel left in its buffers.
pub struct Ran(Checked);

impl Ran {
    /// A buffer that is a runtime-sized array.
    #[track_caller]
    pub fn read<T: HostShareable>(&self, name: &str) -> Vec<T> {
        self.one(name)
    }

    /// A buffer of one value.
    #[track_caller]
    pub fn one<T: HostShareable>(&self, name: &str) -> T {
        self.0.buffer(name).unwrap()
    }

    /// A texture.
    #[track_caller]
    pub fn texels<T: HostShareable>(&self, name: &str) -> Vec<T> {
        self.0.texture(name).unwrap()
    }
}

/// Checks a kernel under the oracle too, which must say the same.
#[track_caller]
fn checked(kernel: &Kernel, launch: Launch) -> Checked {
    let watch = Watch { oracle: true, ..Watch::default() };
    let checked = hirace::check(kernel, launch.watch(watch)).unwrap();
    let report = checked.to_string();
    assert!(!report.contains("disagree"), "{report}");
    checked
}

/// Runs a kernel that has no race, whatever the schedule.
#[track_caller]
pub fn clean(kernel: &Kernel, launch: Launch) -> Ran {
    let checked = checked(kernel, launch.schedules(2));
    checked.assert_clean();
    Ran(checked)
}

/// Checks a kernel that races: at the places marked in its source, and nowhere else.
#[track_caller]
pub fn racy(kernel: &Kernel, launch: Launch, source: &str) {
    let checked = checked(kernel, launch);
    let (marked, found) = (marks::of(source), marks::found(&checked));
    let lines = |marks: &BTreeSet<Mark>, other| -> String {
        marks.difference(other).map(|mark| format!("{mark}\n")).collect()
    };
    assert!(
        !found.is_empty() && marked == found,
        "{checked}\nnot found:\n{}not marked:\n{}",
        lines(&marked, &found),
        lines(&found, &marked)
    );
}

/// The scalars of values, one after another.
pub fn scalars<T: HostShareable>(values: &[T]) -> Vec<f32> {
    let mut words = Vec::new();
    values.write(&mut words);
    words.into_iter().map(f32::from_bits).collect()
}

/// Holds floats to what they should be, but for `tolerance` in parts of the larger of 1 and the value.
#[track_caller]
pub fn assert_close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= tolerance, "element {i} is {found}, not {expected}");
    }
}

/// Sums up to each element, itself included.
pub fn inclusive_sums(numbers: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let next = |n: &u32| {
        sum += n;
        sum
    };
    numbers.iter().map(next).collect()
}
