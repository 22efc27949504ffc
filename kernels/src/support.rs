//! What the tests share: numbers to compute with, and what is held against what.
//!
//! Launches run on the embedded executor, under the exact oracle; or, if `HIRACE_DEVICE` names a device as `--device`
//! does, there. The same is expected of both: clean kernels are clean and leave what plain Rust computes, racy twins
//! race where they are marked. What a device does not do as a launch asks is said on the standard error stream, also
//! of tests that pass; what it cannot run at all fails, with the reason.

use crate::marks::{self, Mark};
use hirace::facts::Warning;
use hirace::{Checked, HostShareable, Kernel, Launch, Watch};
use std::collections::BTreeSet;
#[cfg(feature = "gpu")]
use std::io::Write;

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

    /// Lanes of a subgroup: a device has its own, whatever the launch asks for.
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
            let checked = hirace::check(kernel, launch.watch(watch)).unwrap();
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

/// Says what was not done as asked. What tests print is shown only if they fail, so this is not printed.
#[cfg(feature = "gpu")]
fn print_warnings(checked: &Checked) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    for warning in checked.report().launches.iter().flat_map(|launch| &launch.warnings) {
        let _ = writeln!(std::io::stderr(), "{test}: {warning}");
    }
}

/// Runs a kernel that has no race, whatever the schedule.
#[track_caller]
pub fn clean(kernel: &Kernel, launch: Launch) -> Ran {
    let schedules = if std::env::var_os("HIRACE_DEVICE").is_some() { 0 } else { 2 };
    let checked = checked(kernel, launch.schedules(schedules));
    checked.assert_clean();
    Ran(checked)
}

/// Checks a kernel that races: at the places marked in its source, and nowhere else, whatever the schedule.
/// (A twin whose places hang on the schedule could not be held to them on a device, which has one of its own.)
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

/// The scalars of values, one after another.
pub fn scalars<T: HostShareable>(values: &[T]) -> Vec<f32> {
    let mut bytes = Vec::new();
    values.write(&mut bytes);
    bytes.as_chunks().0.iter().map(|own| f32::from_le_bytes(*own)).collect()
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
