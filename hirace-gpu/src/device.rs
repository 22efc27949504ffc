//! The handle of a device that clients keep.

use crate::about::DeviceInfo;
use crate::adapter::Adapter;
use crate::cache::Counts;
use crate::error::{Error, Result};
use crate::opened::OpenDevice;
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::{Features, Limits};

/// The maximum number of attempts to get a working device for one client. After each reopening, another client may hold the
/// device first and lose it again.
const OPENINGS: usize = 8;

/// A device that is open, is held by one client at a time, and is reopened after it was lost.
#[derive(Debug)]
pub struct Device {
    origin: DeviceOrigin,
    about: DeviceInfo,
    limits: Limits,
    opened: Mutex<Arc<OpenDevice>>,
}

/// The opener of a device.
#[derive(Debug)]
enum DeviceOrigin {
    /// This service, with these features and the limits of [`Device`].
    Ours { adapter: Box<Adapter>, features: Features },
    /// An application.
    Application,
}

impl Device {
    /// Opens a device with those of these features that the adapter supports, and with these limits, which must not exceed
    /// those of the adapter.
    pub fn open(adapter: &Adapter, features: Features, limits: Limits) -> Result<Self> {
        let opened = OpenDevice::open(adapter, features, &limits)?;
        let origin = DeviceOrigin::Ours { adapter: Box::new(adapter.clone()), features };
        Ok(Self::new(origin, limits, opened))
    }

    /// Wraps a device that an application has opened. The application may use it at the same time, and the device's
    /// callbacks belong to the application, which has to report the loss of the device ([`Device::mark_lost`]). The
    /// device is not reopened.
    pub fn of_application(
        adapter: wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self> {
        let opened = OpenDevice::from_application(adapter, device, queue)?;
        Ok(Self::new(DeviceOrigin::Application, opened.limits().clone(), opened))
    }

    fn new(origin: DeviceOrigin, limits: Limits, opened: OpenDevice) -> Self {
        let about = opened.about().clone();
        Self { origin, about, limits, opened: Mutex::new(Arc::new(opened)) }
    }

    /// Returns the description of the device.
    pub fn about(&self) -> &DeviceInfo {
        &self.about
    }

    /// Returns the limits that the device was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Runs `work` with exclusive use of the device. Reopens the device first if it was lost.
    pub fn hold<T, E: From<Error>>(
        &self,
        work: impl FnOnce(&OpenDevice) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let mut lost = None;
        for _ in 0..OPENINGS {
            if let Some(lost) = lost.take() {
                self.reopen(&lost)?;
            }
            let opened = self.current();
            {
                let _held = opened.hold();
                // The previous holder may have lost it.
                if opened.check_alive().is_ok() {
                    return work(&opened);
                }
            }
            lost = Some(opened);
        }
        let alive = self.current().check_alive();
        Err(alive.err().unwrap_or(Error::Lost { reason: String::new() }).into())
    }

    /// Returns whether the device is lost. Waits until no other client holds it.
    pub fn is_lost(&self) -> bool {
        let opened = self.current();
        let _held = opened.hold();
        opened.check_alive().is_err()
    }

    /// Destroys the device, as drivers do with a device that fails. It is reopened when it is next held.
    pub fn destroy(&self) {
        self.current().device().destroy();
    }

    /// Records that the device was lost, as reported by the application that opened it.
    pub fn mark_lost(&self, reason: &str) {
        self.current().mark_lost(reason.to_owned());
    }

    /// Returns the hits and misses of the pipeline cache since the device was last opened.
    pub fn pipelines(&self) -> Counts {
        self.current().pipelines()
    }

    fn current(&self) -> Arc<OpenDevice> {
        Arc::clone(&self.opened.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reopens the device, unless another thread has done so since `lost` was lost.
    fn reopen(&self, lost: &Arc<OpenDevice>) -> Result<()> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&opened, lost) {
            match &self.origin {
                DeviceOrigin::Ours { adapter, features } => {
                    *opened = Arc::new(OpenDevice::open(adapter, *features, &self.limits)?);
                }
                DeviceOrigin::Application => return lost.check_alive(),
            }
        }
        Ok(())
    }
}
