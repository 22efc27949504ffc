//! In which order things run: chosen by a number, so that a run can be had again.

use std::time::Duration;

/// The order of workgroups, of subgroups, and of single steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// 0: workgroups and subgroups in ascending order, each run until it waits. Anything else: a
    /// seed for a random order with pre-emption between steps.
    pub seed: u64,
}

/// When a run is ended that does not end by itself.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions that one subgroup (fragment) may run before the launch is ended with a
    /// no-progress finding.
    pub steps: u64,
    /// How long a dispatch may take. `None`: as long as its steps take, or what is usual on a device.
    pub timeout: Option<Duration>,
    /// How many workgroups may be started and not finished at once, under a serial schedule. More are
    /// started only when all of these wait or have run a long time; never more than this if
    /// `resident_is_hard` (the occupancy-bound model).
    pub resident: u32,
    /// See `resident`.
    pub resident_is_hard: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 50_000_000, timeout: None, resident: 8, resident_is_hard: false }
    }
}
