//! Devices as clients keep them.

use crate::about::About;
use crate::adapter::Adapter;
use crate::cache::Counts;
use crate::error::{Error, Result};
use crate::opened::Opened;
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::{Features, Limits};

/// How often a device is opened for one who wants to hold it. Others that hold it first may lose it each time.
const OPENINGS: usize = 8;

/// A device as a client keeps it: open, held by one at a time, and opened anew after it was lost.
#[derive(Debug)]
pub struct Device {
    origin: OpenedBy,
    about: About,
    limits: Limits,
    opened: Mutex<Arc<Opened>>,
}

/// Who opens it.
#[derive(Debug)]
enum OpenedBy {
    /// We do, with these features and the limits of [`Device`].
    Ours { adapter: Box<Adapter>, features: Features },
    /// An application did.
    Application,
}

impl Device {
    /// Opens a device with what it has of these features, and with these limits, which may not be above its own.
    pub fn open(adapter: &Adapter, features: Features, limits: Limits) -> Result<Self> {
        let opened = Opened::open(adapter, features, &limits)?;
        let origin = OpenedBy::Ours { adapter: Box::new(adapter.clone()), features };
        Ok(Self::new(origin, limits, opened))
    }

    /// A device that an application has opened. What it does there beside us is its own affair, and so are the
    /// device's callbacks: that the device was lost is for the application to say ([`Device::mark_lost`]). It is not
    /// opened anew.
    pub fn of_application(
        adapter: wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self> {
        let opened = Opened::of_application(adapter, device, queue)?;
        Ok(Self::new(OpenedBy::Application, opened.limits().clone(), opened))
    }

    fn new(origin: OpenedBy, limits: Limits, opened: Opened) -> Self {
        let about = opened.about().clone();
        Self { origin, about, limits, opened: Mutex::new(Arc::new(opened)) }
    }

    /// What it is.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What it was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Does `work` with the device, when nobody else does.
    pub fn hold<T, E: From<Error>>(
        &self,
        work: impl FnOnce(&Opened) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let mut lost = None;
        for _ in 0..OPENINGS {
            if let Some(lost) = lost.take() {
                self.reopen(&lost)?;
            }
            let opened = self.current();
            {
                let _held = opened.hold();
                // Whoever held it before may have lost it.
                if opened.check_alive().is_ok() {
                    return work(&opened);
                }
            }
            lost = Some(opened);
        }
        let alive = self.current().check_alive();
        Err(alive.err().unwrap_or(Error::Lost { reason: String::new() }).into())
    }

    /// Whether it was lost since it was held last.
    pub fn is_lost(&self) -> bool {
        let opened = self.current();
        let _held = opened.hold();
        opened.check_alive().is_err()
    }

    /// Gives it up, as drivers do with a device that fails. It is opened anew when it is held next.
    pub fn destroy(&self) {
        self.current().device().destroy();
    }

    /// Says that it was lost, as the application that opened it has been informed.
    pub fn mark_lost(&self, reason: &str) {
        self.current().mark_lost(reason.to_owned());
    }

    /// How often pipelines were compiled since it was opened last, and how often that was not needed.
    pub fn pipelines(&self) -> Counts {
        self.current().pipelines()
    }

    fn current(&self) -> Arc<Opened> {
        Arc::clone(&self.opened.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens it anew, unless somebody else has done so since `lost` was lost.
    fn reopen(&self, lost: &Arc<Opened>) -> Result<()> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&opened, lost) {
            match &self.origin {
                OpenedBy::Ours { adapter, features } => {
                    *opened = Arc::new(Opened::open(adapter, *features, &self.limits)?);
                }
                OpenedBy::Application => return lost.check_alive(),
            }
        }
        Ok(())
    }
}
