//! A device in use: opened, waited for, and lost.

use super::adapters::Adapter;
use super::failure::{could_not_run, guarded};
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::About;
use crate::exec::embedded::took_too_long;
use crate::ir::guard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wgpu::{DeviceDescriptor, DownlevelFlags, Features, Limits, PollError, PollType};

/// How often a running dispatch is looked after.
const GLANCE: Duration = Duration::from_millis(50);

/// See the [module](self).
#[derive(Debug)]
pub struct Opened {
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub capabilities: naga::valid::Capabilities,
    pub about: About,
    pub subgroup_sizes: [u32; 2],
    /// The most turns of loops that an invocation can take there, if there is such a limit.
    pub turns: Option<u32>,
    /// Why it is of no more use, once it is.
    lost: Arc<Mutex<Option<String>>>,
    /// Held by whoever uses it: waiting on one queue from several threads is what wgpu panics at.
    busy: Mutex<()>,
}

/// The features that compute shaders may need; what of these the device has is asked for.
fn wanted() -> Features {
    Features::SHADER_F16
        | Features::SHADER_F64
        | Features::SHADER_I16
        | Features::SHADER_INT64
        | Features::SHADER_INT64_ATOMIC_MIN_MAX
        | Features::SHADER_INT64_ATOMIC_ALL_OPS
        | Features::SHADER_FLOAT32_ATOMIC
        | Features::SUBGROUP
        | Features::SUBGROUP_BARRIER
        | Features::TEXTURE_ATOMIC
        | Features::TEXTURE_INT64_ATOMIC
        | Features::TEXTURE_FORMAT_16BIT_NORM
        | Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
        | Features::BGRA8UNORM_STORAGE
        | Features::FLOAT32_FILTERABLE
        | Features::IMMEDIATES
}

impl Opened {
    /// Opens a device with at most these features, and these limits.
    pub fn new(adapter: &Adapter, features: Features, limits: Limits) -> Result<Self> {
        let _span = tracing::info_span!("open", device = adapter.about().to_string()).entered();
        let downlevel = adapter.inner.get_downlevel_capabilities().flags;
        check_computes(downlevel, &adapter.about())?;
        let features = adapter.inner.features() & wanted() & features;
        let descriptor = DeviceDescriptor {
            label: Some("hirace"),
            required_features: features,
            required_limits: limits,
            ..DeviceDescriptor::default()
        };
        let opened = guard::run(|| {
            pollster::block_on(adapter.inner.request_device(&descriptor))
                .map_err(|error| error.to_string())
        });
        let (device, queue) = opened.and_then(|opened| opened).map_err(|reason| {
            let failed = could_not_run(format!("{} cannot be used", adapter.about()));
            Box::new(failed.note(format!("the reason given: {reason}")))
        })?;
        let lost = Arc::new(Mutex::new(None));
        let told = Arc::clone(&lost);
        device.set_device_lost_callback(move |_, reason| {
            told.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        });
        // What no scope catches is seen by its consequences: wgpu's own answer would be a panic.
        device.on_uncaptured_error(Arc::new(|_| {}));
        Ok(Self {
            adapter: adapter.inner.clone(),
            capabilities: wgpu_naga_bridge::features_to_naga_capabilities(features, downlevel),
            device,
            queue,
            about: adapter.about(),
            subgroup_sizes: adapter.subgroup_sizes(),
            turns: adapter.turns(),
            lost,
            busy: Mutex::default(),
        })
    }

    /// Whether anything can be run on it.
    pub fn is_alive(&self) -> bool {
        let _held = self.hold();
        self.check_alive("start").is_ok()
    }

    /// Waits for what was submitted. `false`: `stop` was set meanwhile.
    pub fn wait(&self, stop: Option<&AtomicBool>, patience: Duration) -> Result<bool> {
        let _span = tracing::debug_span!("wait").entered();
        let started = Instant::now();
        loop {
            let glance = PollType::Wait { submission_index: None, timeout: Some(GLANCE) };
            let polled = guarded(&self.device, "wait", || self.device.poll(glance));
            self.check_lost()?;
            match polled? {
                Ok(_) => return Ok(true),
                Err(PollError::Timeout) if stop.is_some_and(|s| s.load(Ordering::Relaxed)) => {
                    self.abandon();
                    return Ok(false);
                }
                Err(PollError::Timeout) if started.elapsed() < patience => {}
                Err(PollError::Timeout) => {
                    self.abandon();
                    return Err(Box::new(took_too_long(patience)));
                }
                Err(error) => {
                    let failed = could_not_run("the device could not be waited for");
                    return Err(Box::new(failed.note(error.to_string())));
                }
            }
        }
    }

    /// Leaves the device to a dispatch that cannot be stopped. To close it would be to wait for that.
    fn abandon(&self) {
        std::mem::forget((self.device.clone(), self.queue.clone()));
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.get_or_insert("a dispatch that was not waited for still runs there".to_owned());
    }

    /// Holds the device for one launch.
    pub fn hold(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says so if the device was lost when it was to `purpose`: wgpu tells when it is asked next.
    pub fn check_alive(&self, purpose: &str) -> Result<()> {
        let asked = guarded(&self.device, purpose, || {
            let _ = self.device.poll(PollType::Poll);
        });
        self.check_lost()?;
        asked
    }

    /// Whether it was lost, as far as wgpu has told.
    pub fn is_lost(&self) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn check_lost(&self) -> Result<()> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        match &*lost {
            None => Ok(()),
            Some(reason) => Err(Box::new(was_lost(reason))),
        }
    }
}

fn was_lost(reason: &str) -> Diagnostic {
    let error = could_not_run("the device was lost").help(
        "drivers end what runs too long or reads where nothing is: give a smaller grid, or check without --device",
    );
    match reason.is_empty() {
        true => error,
        false => error.note(format!("the reason given: {reason}")),
    }
}

/// Refuses a device that runs no compute shaders.
fn check_computes(flags: DownlevelFlags, about: &About) -> Result<()> {
    if flags.contains(DownlevelFlags::COMPUTE_SHADERS) {
        return Ok(());
    }
    let error = could_not_run(format!("{about} runs no compute shaders"));
    Err(Box::new(error.help("`hirace devices` shows others, if there are any")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_compute_shaders_is_refused() {
        let about = About { name: "old".to_owned(), ..About::default() };
        let refused = check_computes(DownlevelFlags::empty(), &about).unwrap_err();
        assert_eq!(
            (refused.message.as_str(), refused.of_device),
            ("old runs no compute shaders", true)
        );
        assert!(check_computes(DownlevelFlags::COMPUTE_SHADERS, &about).is_ok());
    }
}
