//! Runs captured launches on one of hirace's executors.

use super::kernel::ParsedKernel;
use super::ledger::Ledger;
use super::not_watched::NotWatchedReason;
use super::stderr::print_stderr;
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::source::check_program;
use hirace_core::check::{CheckOutcome, Options};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{self, Executor, EMBEDDED};
use hirace_core::facts::{HostDispatch, LaunchFacts};
use hirace_core::launch::spec::HostMemory;
use hirace_core::launch::spec::{DispatchSpec, LaunchSpec};
use hirace_core::process;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

/// The step limit per subgroup on the embedded device. It is practically infinite: only the timeout may end a kernel,
/// because ending it earlier would give the application a wrong result.
const MANY_STEPS: u64 = 1 << 40;

/// A checker for the launches of one device.
pub(crate) struct Checker {
    executor: Box<dyn Executor + Send + Sync>,
    /// The subgroup size, if it is known.
    subgroup_size: Option<u32>,
    timeout: Duration,
    steps: Option<u64>,
}

/// A launch of an application.
pub(crate) struct CapturedLaunch<'a> {
    pub(crate) read: &'a ParsedKernel,
    pub(crate) host: &'a HostDispatch,
    pub(crate) workgroups: [u32; 3],
    pub(crate) memory: HostMemory,
}

/// The requested results of a launch.
#[derive(Clone, Copy)]
pub(crate) struct RequestedResults {
    /// Whether to return the final memory.
    pub(crate) keeps: bool,
    /// Whether to report and explain findings.
    pub(crate) says: bool,
}

/// The result of a launch.
pub(crate) struct CheckResult {
    /// The facts, if they were requested.
    pub(crate) launches: Vec<LaunchFacts>,
    /// Whether the launch terminated.
    pub(crate) ended: bool,
    /// The final memory, if it was requested.
    pub(crate) memory: Option<FinalMemory>,
}

impl Checker {
    /// Creates a checker for dispatches on this adapter, on the executor from the settings.
    pub(crate) fn on_device(ledger: &Ledger, info: &wgpu::AdapterInfo) -> Self {
        let asked = ledger.settings.device.as_deref().unwrap_or(EMBEDDED);
        let executor = exec::open(asked).unwrap_or_else(|error| {
            print_stderr(&format!("hirace: {error}; using the embedded executor instead\n"));
            Box::new(Embedded)
        });
        let sizes = [info.subgroup_min_size, info.subgroup_max_size];
        // If a device has several subgroup sizes, the one that it chooses is not known.
        let is_one = sizes[0] == sizes[1] && sizes[0].is_power_of_two() && sizes[0] <= 64;
        let subgroup_size = is_one.then_some(sizes[0]);
        Self { executor, subgroup_size, timeout: ledger.settings.timeout, steps: None }
    }

    /// Creates a checker for dispatches on the embedded device, with this subgroup size. It always watches, because
    /// watching reveals which workgroups may run in parallel.
    pub(crate) fn embedded(ledger: &Ledger, subgroup_size: u32) -> Self {
        Self {
            executor: Box::new(Embedded),
            subgroup_size: Some(subgroup_size),
            timeout: ledger.settings.timeout,
            steps: Some(MANY_STEPS),
        }
    }

    /// Runs a launch.
    pub(crate) fn check(
        &self,
        launch: CapturedLaunch<'_>,
        asked: RequestedResults,
    ) -> Result<CheckResult, NotWatchedReason> {
        let CapturedLaunch { read, host, workgroups, memory } = launch;
        let RequestedResults { keeps, says } = asked;
        let entry = read.program.module.entry_points[read.entry].name.clone();
        let spec = LaunchSpec {
            dispatches: vec![DispatchSpec { entry, workgroups: Some(workgroups) }],
            memory: Some(memory),
            timeout: Some(self.timeout),
            step_limit: self.steps,
            subgroup_size: self.subgroup_size,
            ..LaunchSpec::default()
        };
        let options = Options { launches: vec![spec], ..Options::default() };
        let CheckOutcome { mut launches, memories, failures, .. } = catch_panic(|| {
            let checked =
                process::run_check(self.executor.as_ref(), options, |options, session| {
                    let session = if keeps { session } else { session.without_memory() };
                    let mut session = if says { session } else { session.without_explanation() };
                    check_program(&read.program, options, &mut session)
                });
            checked.map_err(NotWatchedReason::Failed)
        })?;
        if let Some(failure) = failures.into_iter().next() {
            return Err(NotWatchedReason::Failed(Box::new(failure)));
        }
        let ended = launches.iter().all(LaunchFacts::has_terminated);
        launches.iter_mut().for_each(|launch| launch.host = Some(host.clone()));
        if !says {
            launches.clear();
        }
        Ok(CheckResult { launches, ended, memory: memories.into_iter().next() })
    }
}

/// Runs `act`, and converts a panic in it to an error, so that it does not reach the application.
pub(crate) fn catch_panic<T>(
    act: impl FnOnce() -> Result<T, NotWatchedReason>,
) -> Result<T, NotWatchedReason> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        let error = "hirace panicked: this is a bug, please report it";
        Err(NotWatchedReason::Failed(Box::new(Diagnostic::new(error))))
    })
}
