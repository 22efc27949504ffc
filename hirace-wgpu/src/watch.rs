//! A watcher that checks every compute dispatch for races, barrier divergence and the other findings of `hirace`.
//!
//! Before a dispatch, the encoder copies its bindings: buffers, textures and the number of workgroups. After the
//! application has submitted it, one of hirace's executors runs the launch on these copies, and its findings are
//! printed with the application's labels. The application itself runs its own shader on its own memory: it gets no
//! additional bindings and no smaller limits, and its results are the same as without watching.
//!
//! A launch is not checked again if its kernel, grid and bound contents equal those of a checked launch.
//!
//! The modules: `kernel` (the kernel of a pipeline), `bindings` (the bindings of a dispatch), `capture` (copies of
//! them), `device` (the watcher of a device), `embedded` (the watcher of a device without a driver), `checker` (runs
//! captured launches), `ledger` (results and summary).
//!
//! A watcher could also replace the application's shader by an instrumented one with another bind group, which
//! [`CreatedPipeline`](crate::CreatedPipeline) supports. That would save the copies for launches that are never repeated. It
//! is not done, because the application would then have fewer bindings and smaller limits, and a check that hangs or
//! runs out of memory would end the application. It becomes worthwhile once watching costs little.

mod at_exit;
mod bindings;
mod budget;
mod capture;
mod checker;
mod device;
mod embedded;
mod kernel;
mod ledger;
mod mutant;
mod not_watched;
mod settings;
mod shaders;
mod stderr;
mod texels;

pub use ledger::Counts;
pub use settings::{Form, Mode, Settings};

use crate::hooks::{Hooks, Watcher};
use crate::refuse;
pub(crate) use embedded::{inner as embedded_inner, EmbeddedHooks};

use device::DeviceWatcher;
use hirace_core::report::document::Report;
use ledger::Ledger;
use std::sync::{Arc, OnceLock};

/// Creates a ledger that also prints its summary when the process ends.
///
/// # Panics
/// Panics if the ledger cannot be created, because continuing would do something other than requested.
fn begin_ledger(settings: Settings) -> Arc<Ledger> {
    let ledger = Ledger::new(settings).unwrap_or_else(|error| refuse(&error));
    let ledger = Arc::new(ledger);
    at_exit::register(&ledger);
    ledger
}

/// Hooks that check what applications dispatch, for one instance.
#[derive(Clone, Debug)]
pub struct WatchHooks {
    ledger: Arc<Ledger>,
}

impl WatchHooks {
    /// Creates hooks with these settings. Their `mode` only decides whether coverage is recorded, and which mutant runs.
    ///
    /// # Panics
    /// Panics if coverage cannot be recorded, or if a command of another version of hirace runs the process.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { ledger: begin_ledger(settings) }
    }

    /// Returns the hooks for all instances that are configured by the environment. They share a ledger, because the
    /// reports of a process must have a single writer.
    pub(crate) fn of_process(settings: Settings) -> Self {
        static LEDGER: OnceLock<Arc<Ledger>> = OnceLock::new();
        Self { ledger: Arc::clone(LEDGER.get_or_init(|| begin_ledger(settings))) }
    }

    /// Returns the hooks for an embedded device, with the same ledger.
    pub(crate) fn embedded(&self) -> EmbeddedHooks {
        EmbeddedHooks::new(Arc::clone(&self.ledger))
    }

    /// Returns the findings so far: the first launch of each kernel, and each later launch with new findings.
    #[must_use]
    pub fn report(&self) -> Report {
        self.ledger.report()
    }

    /// Returns the number of dispatches so far, by outcome.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.ledger.counts()
    }
}

impl Hooks for WatchHooks {
    fn device(
        &self,
        device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        let ledger = Arc::clone(&self.ledger);
        Some(Arc::new(DeviceWatcher::new(ledger, device)))
    }
}
