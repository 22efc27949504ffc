//! A watcher that has every compute dispatch checked for races, divergent barriers and what else `hirace` finds.
//!
//! Before a dispatch the encoder copies what it has bound: buffers, textures, the number of workgroups. Once the
//! application has submitted it, that launch is run by one of hirace's executors, over these copies, and its findings are
//! printed with the labels of the application. What the application itself runs is its own shader on its own memory: it
//! has no binding more, no limit less, and its results are those that it has unwatched.
//!
//! A launch that is like one that was checked (kernel, grid, contents of all that is bound) is not checked twice.
//!
//! The modules: `kernel` (what a pipeline runs), `bindings` (what a dispatch has bound), `capture` (copies of that),
//! `device` (when what is done), `embedded` (the same for a device that needs no driver), `checker` (runs what was captured),
//! `ledger` (what came of it).

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
mod texels;

pub use ledger::Counts;
pub use settings::{Form, Mode, Settings};

use crate::hooks::{Hooks, Watcher};
pub(crate) use embedded::{inner as embedded_inner, Embedded};

use device::DeviceWatcher;
use hirace_core::report::document::Report;
use ledger::Ledger;
use std::sync::Arc;

/// Has what applications dispatch checked: one for an instance.
#[derive(Clone, Debug)]
pub struct Watching {
    ledger: Arc<Ledger>,
}

impl Watching {
    /// Watches as these settings say. Their mode is not asked.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { ledger: Ledger::new(settings) }
    }

    /// Those of all instances that are made by the environment.
    pub(crate) fn of_process(settings: Settings) -> Self {
        Self { ledger: Ledger::of_process(settings) }
    }

    /// The hooks of an embedded device, with the same ledger.
    pub(crate) fn embedded(&self) -> Embedded {
        Embedded::new(Arc::clone(&self.ledger))
    }

    /// What was found so far: the first launch of each kernel, and each later one that showed something new.
    #[must_use]
    pub fn report(&self) -> Report {
        self.ledger.report()
    }

    /// How the dispatches went so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.ledger.counts()
    }
}

impl Hooks for Watching {
    fn device(
        &self,
        device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        let ledger = Arc::clone(&self.ledger);
        Some(Arc::new(DeviceWatcher::new(ledger, device.adapter_info())))
    }
}
