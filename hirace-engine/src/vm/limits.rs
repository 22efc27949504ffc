//! When a run is ended that does not end by itself.

use std::time::Duration;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions that one subgroup (fragment) may run before the launch is ended with a
    /// no-progress finding.
    pub steps: u64,
    /// Instructions that all subgroups together may run before the dispatch is left where it is.
    pub total: u64,
    /// After how many instructions that show nothing new a trace is complete enough. `None`: it goes on to the end.
    pub quiet: Option<u64>,
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
        Self {
            steps: 50_000_000,
            total: u64::MAX,
            quiet: None,
            timeout: None,
            resident: 8,
            resident_is_hard: false,
        }
    }
}
