//! Surfaces.

use super::adapter::Adapter;
use super::device::Device;
use super::object::{Fault, Object};
use super::surface_output::Output;
use std::sync::Mutex;
use wgpu::custom::{
    DispatchAdapter, DispatchDevice, DispatchSurfaceOutputDetail, DispatchTexture, SurfaceInterface,
};

type Surface = Object<wgpu::Surface<'static>>;

/// Returns the error for an adapter request with a surface of another instance. wgpu has no more specific error.
pub(crate) fn foreign_surface() -> wgpu::RequestAdapterError {
    let all = wgpu::Instance::enabled_backend_features();
    let none = wgpu::Backends::empty();
    wgpu::RequestAdapterError::NotFound {
        active_backends: all,
        requested_backends: wgpu::Backends::all(),
        supported_backends: all,
        no_fallback_backends: none,
        no_adapter_backends: none,
        incompatible_surface_backends: all,
    }
}

impl Surface {
    /// Queries the surface about an adapter. wgpu's methods for this cannot report an error.
    fn about<T: Default>(
        &self,
        adapter: &DispatchAdapter,
        ask: impl FnOnce(&wgpu::Surface<'static>, &wgpu::Adapter) -> T,
    ) -> T {
        let own = adapter.as_custom::<Adapter>().filter(|adapter| adapter.home == self.home);
        match (&self.inner, own) {
            (Ok(surface), Some(adapter)) => ask(surface, &adapter.inner),
            (Err(fault), _) => {
                tracing::error!("{fault}");
                T::default()
            }
            (Ok(_), None) => {
                tracing::error!("{}", Fault::foreign("adapter"));
                T::default()
            }
        }
    }
}

impl SurfaceInterface for Surface {
    fn get_capabilities(&self, adapter: &DispatchAdapter) -> wgpu::SurfaceCapabilities {
        self.about(adapter, wgpu::Surface::get_capabilities)
    }

    fn display_hdr_info(&self, adapter: &DispatchAdapter) -> wgpu::DisplayHdrInfo {
        self.about(adapter, wgpu::Surface::display_hdr_info)
    }

    fn configure(&self, device: &DispatchDevice, configuration: &wgpu::SurfaceConfiguration) {
        let Some(device) = device.as_custom::<Device>() else {
            tracing::error!("{}", Fault::foreign("device"));
            return;
        };
        if device.shared.home != self.home {
            device.shared.fail(&Fault::foreign("surface"), "Surface::configure");
        } else if let Ok(surface) = &self.inner {
            surface.configure(&device.shared.device, configuration);
        }
    }

    fn get_current_texture(
        &self,
    ) -> (Option<DispatchTexture>, wgpu::SurfaceStatus, DispatchSurfaceOutputDetail) {
        use wgpu::CurrentSurfaceTexture as Current;
        let current = match &self.inner {
            Ok(surface) => surface.get_current_texture(),
            Err(_) => Current::Lost,
        };
        let (lent, status) = match current {
            Current::Success(lent) => (Some(lent), wgpu::SurfaceStatus::Good),
            Current::Suboptimal(lent) => (Some(lent), wgpu::SurfaceStatus::Suboptimal),
            Current::Timeout => (None, wgpu::SurfaceStatus::Timeout),
            Current::Occluded => (None, wgpu::SurfaceStatus::Occluded),
            Current::Outdated => (None, wgpu::SurfaceStatus::Outdated),
            Current::Lost => (None, wgpu::SurfaceStatus::Lost),
            Current::Validation => (None, wgpu::SurfaceStatus::Validation),
        };
        let texture = lent.as_ref().map(|lent| self.home.wrap(lent.texture.clone()));
        let output = Output { home: self.home, lent: Mutex::new(lent) };
        (texture.map(DispatchTexture::custom), status, DispatchSurfaceOutputDetail::custom(output))
    }
}
