//! An open device: its limits and features, and whether it still works.

use crate::about::DeviceInfo;
use crate::adapter::Adapter;
use crate::cache::Cache;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::guard::catch_panic_with_large_stack;
use crate::scope::scoped;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wgpu::{DeviceDescriptor, DownlevelFlags, Features, Limits, PollType};

/// The capacity of the pipeline cache.
const PIPELINES: usize = 64;

/// Pipelines by the content of their shaders and their layouts.
pub(crate) type Pipelines = Cache<(Content, Option<wgpu::PipelineLayout>), wgpu::ComputePipeline>;

/// An open device. Whoever has a reference to one has exclusive use of the device ([`crate::Device::hold`]).
#[derive(Debug)]
pub struct OpenDevice {
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    about: DeviceInfo,
    features: Features,
    limits: Limits,
    downlevel: DownlevelFlags,
    /// The reason why the device was lost, if it was.
    lost: Arc<Mutex<Option<String>>>,
    /// Locked by the current user: wgpu panics if several threads wait on one queue.
    busy: Mutex<()>,
    pub(crate) pipelines: Mutex<Pipelines>,
}

/// Returns the features that compute shaders may need.
pub fn compute_features() -> Features {
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

impl OpenDevice {
    /// Opens a device with the supported ones of these features, and with these limits.
    pub(crate) fn open(adapter: &Adapter, features: Features, limits: &Limits) -> Result<Self> {
        let _span = tracing::info_span!("open", device = adapter.about().name()).entered();
        check_computes(adapter.inner.get_downlevel_capabilities().flags)?;
        let descriptor = DeviceDescriptor {
            label: Some("hirace"),
            required_features: adapter.inner.features() & features,
            required_limits: limits.clone(),
            ..DeviceDescriptor::default()
        };
        let opened = catch_panic_with_large_stack(|| {
            pollster::block_on(adapter.inner.request_device(&descriptor))
                .map_err(|error| error.to_string())
        });
        let (device, queue) =
            opened.and_then(|opened| opened).map_err(|reason| Error::NotOpened { reason })?;
        let opened = Self::new(adapter.inner.clone(), adapter.about().clone(), device, queue);
        let lost = Arc::clone(&opened.lost);
        opened.device.set_device_lost_callback(move |_, reason| {
            lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        });
        // Errors that no scope catches show by their consequences; by default wgpu would panic.
        opened.device.on_uncaptured_error(Arc::new(|_| {}));
        Ok(opened)
    }

    /// Wraps a device that an application has opened, and whose callbacks belong to the application.
    pub(crate) fn from_application(
        adapter: wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Result<Self> {
        check_computes(adapter.get_downlevel_capabilities().flags)?;
        let about = DeviceInfo::new(adapter.get_info());
        Ok(Self::new(adapter, about, device, queue))
    }

    fn new(
        adapter: wgpu::Adapter,
        about: DeviceInfo,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Self {
        Self {
            features: device.features(),
            limits: device.limits(),
            downlevel: adapter.get_downlevel_capabilities().flags,
            about,
            adapter,
            device,
            queue,
            lost: Arc::default(),
            busy: Mutex::default(),
            pipelines: Mutex::new(Cache::new(PIPELINES)),
        }
    }

    /// Returns wgpu's device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Returns wgpu's queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Returns the description of the device.
    pub fn about(&self) -> &DeviceInfo {
        &self.about
    }

    /// Returns what the device was opened with.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Returns what the device was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the capabilities for naga's validator.
    pub fn capabilities(&self) -> naga::valid::Capabilities {
        wgpu_naga_bridge::features_to_naga_capabilities(self.features, self.downlevel)
    }

    /// Returns the supported uses of a texture format.
    pub fn format_features(&self, format: wgpu::TextureFormat) -> wgpu::TextureFormatFeatures {
        match self.features.contains(Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES) {
            true => self.adapter.get_texture_format_features(format),
            false => format.guaranteed_format_features(self.features),
        }
    }

    /// Returns an error if the device was lost. Polls the device, because wgpu reports the loss then.
    pub fn check_alive(&self) -> Result<()> {
        let asked = scoped(&self.device, || {
            let _ = self.device.poll(PollType::Poll);
        });
        self.check_not_lost()?;
        asked
    }

    /// Returns an error if the device is known to be lost, without polling it.
    pub(crate) fn check_not_lost(&self) -> Result<()> {
        match &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(reason) => Err(Error::Lost { reason: reason.clone() }),
        }
    }

    pub(crate) fn mark_lost(&self, reason: String) {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
    }

    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rejects a device without support for compute shaders.
fn check_computes(flags: DownlevelFlags) -> Result<()> {
    match flags.contains(DownlevelFlags::COMPUTE_SHADERS) {
        true => Ok(()),
        false => Err(Error::NoCompute),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_compute_shaders_is_refused() {
        assert!(matches!(check_computes(DownlevelFlags::empty()), Err(Error::NoCompute)));
        assert!(check_computes(DownlevelFlags::COMPUTE_SHADERS).is_ok());
    }
}
