//! The limits at which a run that does not terminate is ended.

use std::time::Duration;

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of instructions that one fragment of a subgroup may run before the launch is ended with a
    /// no-progress finding.
    pub steps: u64,
    /// Number of instructions that all subgroups together may run before the dispatch is abandoned.
    pub total: u64,
    /// Number of instructions without new accesses after which a trace counts as complete. `None`: the trace
    /// continues to the end of the run.
    pub quiet: Option<u64>,
    /// How long a dispatch may take. `None`: no limit on the embedded executor, the default limit on a
    /// device.
    pub timeout: Option<Duration>,
    /// Number of workgroups that may be resident (started and not done) at once under a serial schedule. More
    /// are started only when all of these wait or have run for a long time, and never if `resident_is_hard`
    /// (the occupancy-bound model).
    pub resident: u32,
    /// Whether `resident` is never exceeded.
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
