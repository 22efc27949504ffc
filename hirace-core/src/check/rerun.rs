//! Runs a launch again to identify racing accesses. If the device fails during that run, the findings of the first run
//! are kept, unexplained, and the failure is reported with them.

use super::Session;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::Executor;
use crate::launch::Launch;
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::program::Program;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// A launch to run again, and the first device failure that occurred; see the [module](self).
pub(super) struct Rerun<'a> {
    program: &'a Program,
    pub launch: &'a Launch,
    executor: &'a dyn Executor,
    stop: Option<&'a AtomicBool>,
    failure: RefCell<Option<Box<Diagnostic>>>,
}

impl<'a> Rerun<'a> {
    pub fn new(program: &'a Program, launch: &'a Launch, session: &'a Session<'_>) -> Self {
        let Session { executor, stop, .. } = *session;
        Self { program, launch, executor, stop, failure: RefCell::default() }
    }

    /// Returns the accesses to `granules` in the dispatch with this index; an empty trace if the device fails.
    pub fn trace(&self, dispatch: usize, granules: &[Granule]) -> Result<Trace> {
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped || self.failure.borrow().is_some() {
            return Ok(Trace::default());
        }
        let _span = tracing::info_span!("explain", phase = 2, words = granules.len()).entered();
        match self.executor.trace(self.program, self.launch, dispatch, granules, self.stop) {
            Err(error) if error.is_of_device() => {
                self.failure.replace(Some(error));
                Ok(Trace::default())
            }
            traced => traced,
        }
    }

    /// Returns the device failure, if one occurred.
    pub fn failure(self) -> Option<Box<Diagnostic>> {
        self.failure.into_inner()
    }
}
