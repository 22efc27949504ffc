//! Running a launch again, to see who races. If the device fails at that, what the first run found stands,
//! unexplained, and the failure comes with it.

use super::Session;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::Executor;
use crate::launch::Launch;
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::program::Program;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// See the [module](self).
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

    /// The accesses to `granules` in the dispatch with this index; none if the device fails.
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

    /// How the device failed, if it did.
    pub fn failure(self) -> Option<Box<Diagnostic>> {
        self.failure.into_inner()
    }
}
