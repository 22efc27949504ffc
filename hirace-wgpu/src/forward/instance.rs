//! The instance.

use super::adapter::Adapter;
use super::object::Home;
use super::surface::foreign_surface;
use crate::hooks::{Hooks, NoHooks};
use std::pin::Pin;
use std::sync::Arc;
use wgpu::custom::{
    DispatchAdapter, DispatchSurface, EnumerateAdapterFuture, InstanceInterface,
    RequestAdapterFuture,
};

/// An instance that wraps an inner one.
#[derive(Debug)]
pub(crate) struct Instance {
    home: Home,
    inner: wgpu::Instance,
    hooks: Arc<dyn Hooks>,
}

impl Instance {
    pub(crate) fn new(inner: wgpu::Instance, hooks: Arc<dyn Hooks>) -> Self {
        Self { home: Home::new(), inner, hooks }
    }
}

impl InstanceInterface for Instance {
    fn new(descriptor: wgpu::InstanceDescriptor) -> Self {
        Self::new(wgpu::Instance::new(descriptor), Arc::new(NoHooks))
    }

    #[expect(unsafe_code, reason = "the trait's method is unsafe, and so is the inner one")]
    unsafe fn create_surface(
        &self,
        target: wgpu::SurfaceTargetUnsafe,
    ) -> Result<DispatchSurface, wgpu::CreateSurfaceError> {
        // SAFETY: the caller promises the same for the same target.
        let surface = unsafe { self.inner.create_surface_unsafe(target) }?;
        Ok(DispatchSurface::custom(self.home.wrap::<wgpu::Surface<'static>>(surface)))
    }

    fn request_adapter(
        &self,
        options: &wgpu::RequestAdapterOptions<'_, '_>,
    ) -> Pin<Box<dyn RequestAdapterFuture>> {
        let surface = match self.home.open_some(options.compatible_surface) {
            Ok(surface) => surface,
            Err(fault) => {
                tracing::error!("{fault}");
                return Box::pin(std::future::ready(Err(foreign_surface())));
            }
        };
        let asked = self.inner.request_adapter(&wgpu::RequestAdapterOptions {
            compatible_surface: surface,
            power_preference: options.power_preference,
            force_fallback_adapter: options.force_fallback_adapter,
            apply_limit_buckets: options.apply_limit_buckets,
        });
        let (home, hooks) = (self.home, Arc::clone(&self.hooks));
        Box::pin(async move {
            let adapter = asked.await?;
            Ok(DispatchAdapter::custom(Adapter::new(home, adapter, hooks)))
        })
    }

    fn poll_all_devices(&self, force_wait: bool) -> bool {
        self.inner.poll_all(force_wait)
    }

    fn wgsl_language_features(&self) -> wgpu::WgslLanguageFeatures {
        self.inner.wgsl_language_features()
    }

    fn enumerate_adapters(&self, backends: wgpu::Backends) -> Pin<Box<dyn EnumerateAdapterFuture>> {
        let asked = self.inner.enumerate_adapters(backends);
        let (home, hooks) = (self.home, Arc::clone(&self.hooks));
        Box::pin(async move {
            let adapters = asked.await.into_iter();
            let wrap = |inner| Adapter::new(home, inner, Arc::clone(&hooks));
            adapters.map(|inner| DispatchAdapter::custom(wrap(inner))).collect()
        })
    }
}
