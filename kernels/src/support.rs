//! Helpers of the tests: pseudo-random inputs, launches with expectations, and comparisons.
//!
//! Launches run on the embedded executor with the exact oracle, or, if `HIRACE_DEVICE` names a device (as `--device`
//! does), on that device. The expectations are the same for both: clean kernels have no findings and compute what plain
//! Rust computes, and racy twins race exactly where they are marked. Warnings about parts of a launch that a device does
//! not follow go to standard error, also for tests that pass; a launch that it cannot run fails, with the reason.

use crate::marks::{self, Mark};
use hirace::facts::Warning;
use hirace::raw::exec::Watch;
use hirace::{Checked, HostShareable, Kernel, Launch};
use std::collections::BTreeSet;
#[cfg(feature = "gpu")]
use std::io::Write;

/// Returns `count` pseudo-random numbers.
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

/// Returns `count` pseudo-random numbers below `limit`.
pub fn below(limit: u32, count: usize, seed: u32) -> Vec<u32> {
    numbers(count, seed).into_iter().map(|n| n % limit).collect()
}

/// Returns `count` pseudo-random integers from `-limit` to `limit`.
pub fn integers(limit: i32, count: usize, seed: u32) -> Vec<i32> {
    below(2 * limit as u32 + 1, count, seed).into_iter().map(|n| n as i32 - limit).collect()
}

/// Returns `count` pseudo-random floats from -1 to 1.
pub fn floats(count: usize, seed: u32) -> Vec<f32> {
    numbers(count, seed).into_iter().map(|n| (n & 0xffff) as f32 / 32768.0 - 1.0).collect()
}

/// The contents of the buffers after a launch.
pub struct Ran(Checked);

impl Ran {
    /// Returns the contents of a runtime-sized array.
    #[track_caller]
    pub fn read<T: HostShareable>(&self, name: &str) -> Vec<T> {
        self.one(name)
    }

    /// Returns the value of a buffer that holds one value.
    #[track_caller]
    pub fn one<T: HostShareable>(&self, name: &str) -> T {
        self.0.buffer(name).unwrap()
    }

    /// Returns the texels of a texture.
    #[track_caller]
    pub fn texels<T: HostShareable>(&self, name: &str) -> Vec<T> {
        self.0.texture(name).unwrap()
    }

    /// Returns the subgroup size: a device has its own, whatever the launch requests.
    pub fn subgroup_size(&self) -> u32 {
        self.0.report().launches[0].device.subgroup_size
    }
}

#[track_caller]
fn checked(kernel: &Kernel, launch: Launch) -> Checked {
    let launch = match std::env::var("HIRACE_SUBGROUP_SIZE").map(|lanes| lanes.parse()) {
        Ok(Ok(lanes)) => launch.subgroup_size(lanes),
        _ => launch,
    };
    match std::env::var("HIRACE_DEVICE") {
        Ok(device) => on_device(kernel, launch, &device),
        Err(_) => {
            let watch = Watch { oracle: true, ..Watch::default() };
            let checked = hirace::check(kernel, launch.watch_options(watch)).unwrap();
            let mut warnings = checked.launches().iter().flat_map(|launch| &launch.warnings);
            let disagrees = warnings.any(|said| matches!(said, Warning::OracleDisagrees { .. }));
            assert!(!disagrees, "{checked}");
            checked
        }
    }
}

#[cfg(feature = "gpu")]
#[track_caller]
fn on_device(kernel: &Kernel, launch: Launch, device: &str) -> Checked {
    let checked = hirace::check(kernel, launch.device(device)).unwrap();
    print_warnings(&checked);
    checked
}

#[cfg(not(feature = "gpu"))]
#[track_caller]
fn on_device(_: &Kernel, _: Launch, device: &str) -> Checked {
    panic!("HIRACE_DEVICE is {device}, and the tests were built without the feature `gpu`");
}

/// Prints the warnings to standard error directly, because captured output is only shown for failing tests.
#[cfg(feature = "gpu")]
fn print_warnings(checked: &Checked) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    for warning in checked.report().launches.iter().flat_map(|launch| &launch.warnings) {
        let _ = writeln!(std::io::stderr(), "{test}: {warning}");
    }
}

/// Runs a kernel and checks that it has no race under several schedules.
#[track_caller]
pub fn clean(kernel: &Kernel, launch: Launch) -> Ran {
    let schedules = if std::env::var_os("HIRACE_DEVICE").is_some() { 0 } else { 2 };
    let checked = checked(kernel, launch.schedules(schedules));
    checked.assert_clean();
    Ran(checked)
}

/// Checks that a kernel races exactly where its source is marked, under several schedules.
/// (On a device, which has its own schedule, this requires races that do not depend on the schedule.)
#[track_caller]
pub fn racy(kernel: &Kernel, launch: Launch, source: &str) {
    let marked = marks::of(source);
    let lines = |marks: &BTreeSet<Mark>, other| -> String {
        marks.difference(other).map(|mark| format!("{mark}\n")).collect()
    };
    let schedules = if std::env::var_os("HIRACE_DEVICE").is_some() { 1 } else { 3 };
    for schedule in 0..schedules {
        let checked = checked(kernel, launch.clone().schedule(schedule));
        let found = marks::found(&checked);
        assert!(
            !found.is_empty() && marked == found,
            "{checked}\nnot found:\n{}not marked:\n{}",
            lines(&marked, &found),
            lines(&found, &marked)
        );
    }
}

/// Returns the scalars of values, one after another.
pub fn scalars<T: HostShareable>(values: &[T]) -> Vec<f32> {
    let mut bytes = Vec::new();
    values.write(&mut bytes);
    bytes.as_chunks().0.iter().map(|own| f32::from_le_bytes(*own)).collect()
}

/// Checks that floats are close; `tolerance` is relative to the larger of 1 and the expected value.
#[track_caller]
pub fn assert_close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= tolerance, "element {i} is {found}, not {expected}");
    }
}

/// Returns the inclusive prefix sums.
pub fn inclusive_sums(numbers: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let next = |n: &u32| {
        sum += n;
        sum
    };
    numbers.iter().map(next).collect()
}
