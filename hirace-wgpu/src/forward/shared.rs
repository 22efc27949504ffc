//! The state that all objects of a device share.

use super::lock;
use super::object::Home;
use super::submissions::Submissions;
use crate::hooks::Watcher;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use wgpu::UncapturedErrorHandler;

/// A device with its queue and its watcher.
pub(crate) struct Shared {
    pub(crate) home: Home,
    /// A number that is unique among devices.
    pub(crate) number: u64,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// The maximum number of bind groups of a pass.
    pub(crate) most_groups: u32,
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
    pub(crate) submissions: Mutex<Submissions>,
    pub(crate) handler: Mutex<Option<Arc<dyn UncapturedErrorHandler>>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("device", &self.device)
            .field("watcher", &self.watcher)
            .finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn new(
        home: Home,
        device: wgpu::Device,
        queue: wgpu::Queue,
        watcher: Option<Arc<dyn Watcher>>,
    ) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Arc::new(Self {
            home,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            most_groups: device.limits().max_bind_groups,
            device,
            queue,
            watcher,
            submissions: Mutex::default(),
            handler: Mutex::default(),
        })
    }

    pub(crate) fn on_uncaptured_error(&self, handler: Arc<dyn UncapturedErrorHandler>) {
        *lock(&self.handler) = Some(Arc::clone(&handler));
        self.device.on_uncaptured_error(handler);
    }
}
