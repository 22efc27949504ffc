//! Runs a captured launch on one of hirace's executors, and tells the ledger what it shows.

use super::kernel::Read;
use super::ledger::{say, Ledger};
use super::not_watched::NotWatched;
use hirace_core::check::memory::FinalMemory;
use hirace_core::check::source::of_program;
use hirace_core::check::{Checked, Options};
use hirace_core::diagnostic::Diagnostic;
use hirace_core::exec::embedded::Embedded;
use hirace_core::exec::{self, Executor, EMBEDDED};
use hirace_core::facts::HostDispatch;
use hirace_core::launch::spec::{DispatchSpec, LaunchSpec, Memory};
use hirace_core::process;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// See the [module](self).
pub(crate) struct Checker {
    ledger: Arc<Ledger>,
    executor: Box<dyn Executor + Send + Sync>,
    /// Lanes of a subgroup, where that is known.
    subgroup_size: Option<u32>,
    /// Whether the ledger is given what is found.
    says: bool,
}

/// A launch of an application's.
pub(crate) struct Launched<'a> {
    pub(crate) read: &'a Read,
    pub(crate) host: &'a HostDispatch,
    pub(crate) workgroups: [u32; 3],
    pub(crate) memory: Memory,
}

impl Checker {
    /// One that runs what applications dispatch on this adapter where the settings say.
    pub(crate) fn on_device(ledger: &Arc<Ledger>, info: &wgpu::AdapterInfo) -> Self {
        let asked = ledger.settings.device.as_deref().unwrap_or(EMBEDDED);
        let executor = exec::open(asked).unwrap_or_else(|error| {
            say(&format!("hirace: {error}: dispatches are checked on the embedded executor\n"));
            Box::new(Embedded)
        });
        let sizes = [info.subgroup_min_size, info.subgroup_max_size];
        // What a device with several chooses is not known.
        let is_one = sizes[0] == sizes[1] && sizes[0].is_power_of_two() && sizes[0] <= 64;
        let subgroup_size = is_one.then_some(sizes[0]);
        Self { ledger: Arc::clone(ledger), executor, subgroup_size, says: true }
    }

    /// One that runs what applications dispatch on the embedded device, with subgroups of this size, and `says` what it
    /// finds. It watches in any case, which tells workgroups that may run side by side.
    pub(crate) fn embedded(ledger: &Arc<Ledger>, subgroup_size: u32, says: bool) -> Self {
        Self {
            ledger: Arc::clone(ledger),
            executor: Box::new(Embedded),
            subgroup_size: Some(subgroup_size),
            says,
        }
    }

    /// Checks a launch. What memory holds then, if it `keeps` that.
    pub(crate) fn check(
        &self,
        launch: Launched<'_>,
        keeps: bool,
    ) -> Result<Option<FinalMemory>, NotWatched> {
        let Launched { read, host, workgroups, memory } = launch;
        let entry = read.program.module.entry_points[read.entry].name.clone();
        let spec = LaunchSpec {
            dispatches: vec![DispatchSpec { entry, workgroups: Some(workgroups) }],
            memory: Some(memory),
            timeout: Some(self.ledger.settings.timeout),
            subgroup_size: self.subgroup_size,
            ..LaunchSpec::default()
        };
        let options = Options { launches: vec![spec], ..Options::default() };
        let checked = catch_unwind(AssertUnwindSafe(|| {
            process::checked(self.executor.as_ref(), options, |options, session| {
                let session = if keeps { session } else { session.without_memory() };
                let mut session = if self.says { session } else { session.without_explanation() };
                of_program(&read.program, options, &mut session)
            })
        }));
        let Checked { launches, memories, failures, .. } = match checked {
            Ok(checked) => checked.map_err(NotWatched::Failed)?,
            Err(_) => {
                let error = "hirace panicked: this is a bug in it; please report it";
                return Err(NotWatched::Failed(Box::new(Diagnostic::new(error))));
            }
        };
        for mut launch in launches.into_iter().filter(|_| self.says) {
            launch.host = Some(host.clone());
            self.ledger.checked(launch);
        }
        match failures.into_iter().next() {
            Some(failure) => Err(NotWatched::Failed(Box::new(failure))),
            None => Ok(memories.into_iter().next()),
        }
    }
}
