//! Devices, and the creation of their objects.

use super::buffer::Buffer;
use super::bundle::BundleEncoder;
use super::encoder::Encoder;
use super::object::{Fault, Object};
use super::shared::SharedDevice;
use super::{bind_group, compute_pipeline, lock, render_pipeline, scope, shader};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use wgpu::custom::*;

/// A device that wraps an inner one.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) shared: Arc<SharedDevice>,
}

impl Device {
    pub(crate) fn new(shared: Arc<SharedDevice>) -> Self {
        Self { shared }
    }

    fn inner(&self) -> &wgpu::Device {
        &self.shared.device
    }

    fn closing(&self) {
        if let Some(watcher) = &self.shared.watcher {
            watcher.closing();
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.closing();
        }
    }
}

impl DeviceInterface for Device {
    fn features(&self) -> wgpu::Features {
        let features = self.inner().features();
        self.shared.watcher.as_ref().map_or(features, |watcher| watcher.features(features))
    }

    fn limits(&self) -> wgpu::Limits {
        let limits = self.inner().limits();
        match &self.shared.watcher {
            Some(watcher) => watcher.limits(limits),
            None => limits,
        }
    }

    fn adapter_info(&self) -> wgpu::AdapterInfo {
        let info = self.inner().adapter_info();
        match &self.shared.watcher {
            Some(watcher) => watcher.info(info),
            None => info,
        }
    }

    fn create_shader_module(
        &self,
        descriptor: wgpu::ShaderModuleDescriptor<'_>,
        checks: wgpu::ShaderRuntimeChecks,
    ) -> DispatchShaderModule {
        shader::module(&self.shared, descriptor, checks)
    }

    #[expect(unsafe_code, reason = "the trait's method is unsafe, and so is the inner one")]
    unsafe fn create_shader_module_passthrough(
        &self,
        descriptor: &wgpu::ShaderModuleDescriptorPassthrough<'_>,
    ) -> DispatchShaderModule {
        // SAFETY: the caller promises the same of the same source.
        unsafe { shader::passthrough(&self.shared, descriptor) }
    }

    fn create_bind_group_layout(
        &self,
        descriptor: &wgpu::BindGroupLayoutDescriptor<'_>,
    ) -> DispatchBindGroupLayout {
        bind_group::group_layout(&self.shared, descriptor)
    }

    fn create_bind_group(&self, descriptor: &wgpu::BindGroupDescriptor<'_>) -> DispatchBindGroup {
        bind_group::group(&self.shared, descriptor)
    }

    fn create_pipeline_layout(
        &self,
        descriptor: &wgpu::PipelineLayoutDescriptor<'_>,
    ) -> DispatchPipelineLayout {
        bind_group::pipeline_layout(&self.shared, descriptor)
    }

    fn create_render_pipeline(
        &self,
        descriptor: &wgpu::RenderPipelineDescriptor<'_>,
    ) -> DispatchRenderPipeline {
        render_pipeline::render(&self.shared, descriptor)
    }

    fn create_mesh_pipeline(
        &self,
        descriptor: &wgpu::MeshPipelineDescriptor<'_>,
    ) -> DispatchRenderPipeline {
        render_pipeline::mesh(&self.shared, descriptor)
    }

    fn create_compute_pipeline(
        &self,
        descriptor: &wgpu::ComputePipelineDescriptor<'_>,
    ) -> DispatchComputePipeline {
        compute_pipeline::pipeline(&self.shared, descriptor)
    }

    #[expect(unsafe_code, reason = "the trait's method is unsafe, and so is the inner one")]
    unsafe fn create_pipeline_cache(
        &self,
        descriptor: &wgpu::PipelineCacheDescriptor<'_>,
    ) -> DispatchPipelineCache {
        // SAFETY: the caller promises the same of the same data.
        let cache = unsafe { self.inner().create_pipeline_cache(descriptor) };
        DispatchPipelineCache::custom(self.shared.home.wrap(cache))
    }

    fn create_buffer(&self, descriptor: &wgpu::BufferDescriptor<'_>) -> DispatchBuffer {
        let usage = match &self.shared.watcher {
            Some(watcher) => watcher.buffer_usage(descriptor.usage),
            None => descriptor.usage,
        };
        let buffer =
            self.inner().create_buffer(&wgpu::BufferDescriptor { usage, ..descriptor.clone() });
        DispatchBuffer::custom(Buffer::new(self.shared.home, buffer))
    }

    fn create_texture(&self, descriptor: &wgpu::TextureDescriptor<'_>) -> DispatchTexture {
        let usage = match &self.shared.watcher {
            Some(watcher) => watcher.texture_usage(descriptor).map_err(Fault::new),
            None => Ok(descriptor.usage),
        };
        let usage = self.shared.reported(usage, "Device::create_texture");
        let made = usage.map(|usage| {
            let descriptor = wgpu::TextureDescriptor { usage, ..descriptor.clone() };
            self.inner().create_texture(&descriptor)
        });
        let inner = made.map_err(|fault| fault.makes_invalid("Texture", descriptor.label));
        DispatchTexture::custom(Object { home: self.shared.home, inner, own: () })
    }

    fn create_external_texture(
        &self,
        descriptor: &wgpu::ExternalTextureDescriptor<'_>,
        planes: &[&wgpu::TextureView],
    ) -> DispatchExternalTexture {
        let home = self.shared.home;
        let planes: Result<Vec<_>, Fault> = planes.iter().map(|plane| home.open(*plane)).collect();
        let made = planes.map(|planes| self.inner().create_external_texture(descriptor, &planes));
        let inner = self.shared.reported(made, "Device::create_external_texture");
        let label = descriptor.label;
        let inner = inner.map_err(|fault| fault.makes_invalid("ExternalTexture", label));
        DispatchExternalTexture::custom(Object { home, inner, own: () })
    }

    fn create_blas(
        &self,
        descriptor: &wgpu::CreateBlasDescriptor<'_>,
        sizes: wgpu::BlasGeometrySizeDescriptors,
    ) -> (Option<u64>, DispatchBlas) {
        let blas = self.inner().create_blas(descriptor, sizes);
        (blas.handle(), DispatchBlas::custom(self.shared.home.wrap(blas)))
    }

    fn create_tlas(&self, descriptor: &wgpu::CreateTlasDescriptor<'_>) -> DispatchTlas {
        DispatchTlas::custom(self.shared.home.wrap(self.inner().create_tlas(descriptor)))
    }

    fn create_sampler(&self, descriptor: &wgpu::SamplerDescriptor<'_>) -> DispatchSampler {
        let inner = Ok(self.inner().create_sampler(descriptor));
        let own = wgpu::SamplerDescriptor { label: None, ..descriptor.clone() };
        DispatchSampler::custom(Object { home: self.shared.home, inner, own })
    }

    fn create_query_set(&self, descriptor: &wgpu::QuerySetDescriptor<'_>) -> DispatchQuerySet {
        DispatchQuerySet::custom(self.shared.home.wrap(self.inner().create_query_set(descriptor)))
    }

    fn create_command_encoder(
        &self,
        descriptor: &wgpu::CommandEncoderDescriptor<'_>,
    ) -> DispatchCommandEncoder {
        let encoder = self.inner().create_command_encoder(descriptor);
        let label = descriptor.label.map(str::to_owned);
        DispatchCommandEncoder::custom(Encoder::new(Arc::clone(&self.shared), encoder, label))
    }

    fn create_render_bundle_encoder(
        &self,
        descriptor: &wgpu::RenderBundleEncoderDescriptor<'_>,
    ) -> DispatchRenderBundleEncoder {
        DispatchRenderBundleEncoder::custom(BundleEncoder::new(&self.shared, descriptor))
    }

    fn set_device_lost_callback(&self, callback: BoxDeviceLostCallback) {
        // wgpu passes a callback that may be called once, and expects one that may be called several times.
        let once = Mutex::new(Some(callback));
        self.inner().set_device_lost_callback(move |reason, words| {
            let callback = lock(&once).take();
            if let Some(callback) = callback {
                callback(reason, words);
            }
        });
    }

    fn on_uncaptured_error(&self, handler: Arc<dyn wgpu::UncapturedErrorHandler>) {
        self.shared.on_uncaptured_error(handler);
    }

    fn push_error_scope(&self, filter: wgpu::ErrorFilter) -> u32 {
        scope::push(&self.shared, filter)
    }

    fn pop_error_scope(&self, index: u32) -> Pin<Box<dyn PopErrorScopeFuture>> {
        Box::pin(scope::pop(&self.shared, index))
    }

    #[expect(unsafe_code, reason = "the trait's method is unsafe, and so is the inner one")]
    unsafe fn start_graphics_debugger_capture(&self) {
        // SAFETY: the caller promises the same.
        unsafe { self.inner().start_graphics_debugger_capture() }
    }

    #[expect(unsafe_code, reason = "the trait's method is unsafe, and so is the inner one")]
    unsafe fn stop_graphics_debugger_capture(&self) {
        // SAFETY: the caller promises the same.
        unsafe { self.inner().stop_graphics_debugger_capture() }
    }

    fn poll(
        &self,
        poll_type: wgpu::wgt::PollType<u64>,
    ) -> Result<wgpu::PollStatus, wgpu::PollError> {
        let poll_type = match poll_type {
            wgpu::wgt::PollType::Poll => wgpu::PollType::Poll,
            wgpu::wgt::PollType::Wait { submission_index, timeout } => {
                let find = |number| {
                    let found = lock(&self.shared.submissions).find(number);
                    found.map_err(|last| wgpu::PollError::WrongSubmissionIndex(number, last))
                };
                let submission_index = submission_index.map(find).transpose()?;
                wgpu::PollType::Wait { submission_index, timeout }
            }
        };
        self.inner().poll(poll_type)
    }

    fn get_internal_counters(&self) -> wgpu::InternalCounters {
        self.inner().get_internal_counters()
    }

    fn generate_allocator_report(&self) -> Option<wgpu::AllocatorReport> {
        self.inner().generate_allocator_report()
    }

    fn destroy(&self) {
        self.closing();
        self.inner().destroy();
    }
}
