//! Adapters, and requests for devices.

use super::device::Device;
use super::object::Home;
use super::queue::Queue;
use super::shared::SharedDevice;
use crate::hooks::Hooks;
use std::pin::Pin;
use std::sync::Arc;
use wgpu::custom::{
    AdapterInterface, DispatchDevice, DispatchQueue, DispatchSurface, RequestDeviceFuture,
};

/// An adapter that wraps an inner one.
#[derive(Debug)]
pub(crate) struct Adapter {
    pub(crate) home: Home,
    pub(crate) inner: wgpu::Adapter,
    hooks: Arc<dyn Hooks>,
}

impl Adapter {
    pub(crate) fn new(home: Home, inner: wgpu::Adapter, hooks: Arc<dyn Hooks>) -> Self {
        Self { home, inner, hooks }
    }
}

impl AdapterInterface for Adapter {
    fn request_device(
        &self,
        descriptor: &wgpu::DeviceDescriptor<'_>,
    ) -> Pin<Box<dyn RequestDeviceFuture>> {
        let mut changed = descriptor.clone();
        self.hooks.requesting(&self.inner, &mut changed);
        let asked = self.inner.request_device(&changed);
        let (home, hooks) = (self.home, Arc::clone(&self.hooks));
        let label = descriptor.label.map(str::to_owned);
        let descriptor = descriptor.map_label(|_| None::<()>);
        Box::pin(async move {
            let (device, queue) = asked.await?;
            let descriptor = descriptor.map_label(|_| label.as_deref());
            let watcher = hooks.device(&device, &queue, &descriptor);
            let shared = SharedDevice::new(home, device, queue, watcher);
            Ok((
                DispatchDevice::custom(Device::new(Arc::clone(&shared))),
                DispatchQueue::custom(Queue::new(shared)),
            ))
        })
    }

    fn is_surface_supported(&self, surface: &DispatchSurface) -> bool {
        // A surface of another instance is not supported by the adapters of this one.
        let surface = self.home.open(surface);
        surface.is_ok_and(|surface| self.inner.is_surface_supported(surface))
    }

    fn features(&self) -> wgpu::Features {
        self.inner.features()
    }

    fn limits(&self) -> wgpu::Limits {
        self.hooks.limits(&self.inner, self.inner.limits())
    }

    fn downlevel_capabilities(&self) -> wgpu::DownlevelCapabilities {
        self.inner.get_downlevel_capabilities()
    }

    fn get_info(&self) -> wgpu::AdapterInfo {
        self.hooks.info(self.inner.get_info())
    }

    fn get_texture_format_features(
        &self,
        format: wgpu::TextureFormat,
    ) -> wgpu::TextureFormatFeatures {
        self.inner.get_texture_format_features(format)
    }

    fn get_presentation_timestamp(&self) -> wgpu::PresentationTimestamp {
        self.inner.get_presentation_timestamp()
    }

    fn cooperative_matrix_properties(&self) -> Vec<wgpu::CooperativeMatrixProperties> {
        self.inner.cooperative_matrix_properties()
    }
}
