//! Command encoders.

use super::acceleration::{build_entry, with_instances};
use super::command_buffer::{CommandBuffer, Content, Recorded};
use super::compute_pass::ComputePass;
use super::object::Fault;
use super::recorder::{Recorder, State};
use super::render_pass::{self, RenderPass};
use super::shared::Shared;
use super::{copies, lock};
use crate::hooks::{Parts, Record};
use crate::inner_errors::caught;
use std::mem::take;
use std::sync::{Arc, Mutex};
use wgpu::custom::{
    CommandEncoderInterface, DispatchBuffer, DispatchCommandBuffer, DispatchComputePass,
    DispatchQuerySet, DispatchRenderPass, DispatchTexture,
};

/// A command encoder that wraps an inner one.
#[derive(Debug)]
pub(crate) struct Encoder {
    recorder: Arc<Recorder>,
}

impl Encoder {
    pub(crate) fn new(
        shared: Arc<Shared>,
        inner: wgpu::CommandEncoder,
        label: Option<String>,
    ) -> Self {
        let parts = Parts::default();
        let state = State { inner: Some(inner), records: Vec::new(), parts, label, fault: None };
        Self { recorder: Arc::new(Recorder { shared, state: Mutex::new(state) }) }
    }

    /// Records a command if all its objects were found.
    fn command<T>(&self, parts: Result<T, Fault>, act: impl FnOnce(&mut wgpu::CommandEncoder, T)) {
        if let Some(parts) = self.recorder.noted(parts) {
            self.recorder.with_inner(|inner| act(inner, parts));
        }
    }

    fn home(&self) -> super::object::Home {
        self.recorder.shared.home
    }
}

impl CommandEncoderInterface for Encoder {
    fn copy_buffer_to_buffer(
        &self,
        source: &DispatchBuffer,
        source_offset: wgpu::BufferAddress,
        destination: &DispatchBuffer,
        destination_offset: wgpu::BufferAddress,
        size: Option<wgpu::BufferAddress>,
    ) {
        let both = (|| Ok((self.home().open(source)?, self.home().open(destination)?)))();
        self.command(both, |inner, (source, destination)| {
            inner.copy_buffer_to_buffer(
                source,
                source_offset,
                destination,
                destination_offset,
                size,
            );
        });
    }

    fn copy_buffer_to_texture(
        &self,
        source: wgpu::TexelCopyBufferInfo<'_>,
        destination: wgpu::TexelCopyTextureInfo<'_>,
        size: wgpu::Extent3d,
    ) {
        let home = self.home();
        let both =
            (|| Ok((copies::buffer(home, &source)?, copies::texture(home, &destination)?)))();
        self.command(both, |inner, (source, destination)| {
            inner.copy_buffer_to_texture(source, destination, size);
        });
    }

    fn copy_texture_to_buffer(
        &self,
        source: wgpu::TexelCopyTextureInfo<'_>,
        destination: wgpu::TexelCopyBufferInfo<'_>,
        size: wgpu::Extent3d,
    ) {
        let home = self.home();
        let both =
            (|| Ok((copies::texture(home, &source)?, copies::buffer(home, &destination)?)))();
        self.command(both, |inner, (source, destination)| {
            inner.copy_texture_to_buffer(source, destination, size);
        });
    }

    fn copy_texture_to_texture(
        &self,
        source: wgpu::TexelCopyTextureInfo<'_>,
        destination: wgpu::TexelCopyTextureInfo<'_>,
        size: wgpu::Extent3d,
    ) {
        let home = self.home();
        let both =
            (|| Ok((copies::texture(home, &source)?, copies::texture(home, &destination)?)))();
        self.command(both, |inner, (source, destination)| {
            inner.copy_texture_to_texture(source, destination, size);
        });
    }

    fn begin_compute_pass(
        &self,
        descriptor: &wgpu::ComputePassDescriptor<'_>,
    ) -> DispatchComputePass {
        DispatchComputePass::custom(ComputePass::begin(Arc::clone(&self.recorder), descriptor))
    }

    fn begin_render_pass(&self, descriptor: &wgpu::RenderPassDescriptor<'_>) -> DispatchRenderPass {
        let inner = render_pass::begin(&self.recorder, descriptor);
        DispatchRenderPass::custom(RenderPass::new(Arc::clone(&self.recorder), inner))
    }

    fn finish(&mut self) -> DispatchCommandBuffer {
        let recorder = &self.recorder;
        if lock(&recorder.state).fault.is_none() {
            recorder.watched(|watcher, inner, records| watcher.finishing(inner, records));
        }
        let (inner, records, parts, label, fault) = {
            let mut state = lock(&recorder.state);
            let (records, parts) = (take(&mut state.records), take(&mut state.parts));
            (state.inner.take(), records, parts, state.label.take(), state.fault.take())
        };
        let content = match (inner, fault) {
            (Some(inner), None) => Ok(inner),
            (None, None) => Err(Fault::new("the encoder has already been finished")),
            (_, Some(fault)) => Err(fault),
        };
        let content = recorder.shared.reported(content, "CommandEncoder::finish");
        let content = content.and_then(|inner| finished(&recorder.shared, inner, parts, records));
        let content =
            content.map_err(|fault| fault.makes_invalid("CommandBuffer", label.as_deref()));
        DispatchCommandBuffer::custom(CommandBuffer::new(recorder.shared.home, content))
    }

    fn clear_texture(&self, texture: &DispatchTexture, range: &wgpu::ImageSubresourceRange) {
        self.command(self.home().open(texture), |inner, texture| {
            inner.clear_texture(texture, range);
        });
    }

    fn clear_buffer(
        &self,
        buffer: &DispatchBuffer,
        offset: wgpu::BufferAddress,
        size: Option<wgpu::BufferAddress>,
    ) {
        self.command(self.home().open(buffer), |inner, buffer| {
            inner.clear_buffer(buffer, offset, size);
        });
    }

    fn insert_debug_marker(&self, label: &str) {
        self.recorder.with_inner(|inner| inner.insert_debug_marker(label));
    }

    fn push_debug_group(&self, label: &str) {
        self.recorder.with_inner(|inner| inner.push_debug_group(label));
        lock(&self.recorder.state).parts.debug_groups.push(label.to_owned());
    }

    fn pop_debug_group(&self) {
        self.recorder.with_inner(wgpu::CommandEncoder::pop_debug_group);
        lock(&self.recorder.state).parts.debug_groups.pop();
    }

    fn write_timestamp(&self, query_set: &DispatchQuerySet, index: u32) {
        self.command(self.home().open(query_set), |inner, set| inner.write_timestamp(set, index));
    }

    fn resolve_query_set(
        &self,
        query_set: &DispatchQuerySet,
        first: u32,
        count: u32,
        destination: &DispatchBuffer,
        offset: wgpu::BufferAddress,
    ) {
        let both = (|| Ok((self.home().open(query_set)?, self.home().open(destination)?)))();
        self.command(both, |inner, (set, destination)| {
            // wgpu created these arguments from a range.
            inner.resolve_query_set(set, first..first.wrapping_add(count), destination, offset);
        });
    }

    #[expect(unsafe_code, reason = "the inner method is unsafe")]
    fn mark_acceleration_structures_built<'a>(
        &self,
        blas: &mut dyn Iterator<Item = &'a wgpu::Blas>,
        tlas: &mut dyn Iterator<Item = &'a wgpu::Tlas>,
    ) {
        let home = self.home();
        let blas: Result<Vec<_>, Fault> = blas.map(|blas| home.open(blas)).collect();
        let tlas: Result<Vec<_>, Fault> = tlas.map(|tlas| home.open(tlas)).collect();
        self.command((|| Ok((blas?, tlas?)))(), |inner, (blas, tlas)| {
            // SAFETY: wgpu calls this from its own unsafe method of the same name, whose caller promises the same.
            unsafe { inner.mark_acceleration_structures_built(blas, tlas) }
        });
    }

    fn build_acceleration_structures<'a>(
        &self,
        blas: &mut dyn Iterator<Item = &'a wgpu::BlasBuildEntry<'a>>,
        tlas: &mut dyn Iterator<Item = &'a wgpu::Tlas>,
    ) {
        let home = self.home();
        let blas: Result<Vec<_>, Fault> = blas.map(|entry| build_entry(home, entry)).collect();
        let tlas: Result<Vec<_>, Fault> = tlas.map(|tlas| with_instances(home, tlas)).collect();
        self.command((|| Ok((blas?, tlas?)))(), |inner, (blas, tlas)| {
            inner.build_acceleration_structures(&blas, &tlas);
        });
    }

    fn transition_resources<'a>(
        &mut self,
        buffers: &mut dyn Iterator<Item = wgpu::BufferTransition<&'a DispatchBuffer>>,
        textures: &mut dyn Iterator<Item = wgpu::TextureTransition<&'a DispatchTexture>>,
    ) {
        let home = self.home();
        let buffers: Result<Vec<_>, Fault> = buffers
            .map(|wgpu::BufferTransition { buffer, state }| {
                Ok(wgpu::BufferTransition { buffer: home.open(buffer)?, state })
            })
            .collect();
        let textures: Result<Vec<_>, Fault> = textures
            .map(|wgpu::TextureTransition { texture, selector, state }| {
                Ok(wgpu::TextureTransition { texture: home.open(texture)?, selector, state })
            })
            .collect();
        self.command((|| Ok((buffers?, textures?)))(), |inner, (buffers, textures)| {
            inner.transition_resources(buffers.into_iter(), textures.into_iter());
        });
    }
}

/// Finishes an encoder. If one part is invalid, everything is.
fn finished(
    shared: &Shared,
    inner: wgpu::CommandEncoder,
    parts: Parts,
    records: Vec<Record>,
) -> Content {
    let Parts { done, error, .. } = parts;
    if done.is_empty() {
        return Ok(Recorded { parts: done, rest: inner.finish(), records });
    }
    let (rest, of_rest) = caught(&shared.device, || inner.finish());
    match error.or(of_rest) {
        None => Ok(Recorded { parts: done, rest, records }),
        Some(error) => {
            let fault = Fault::new(error.to_string());
            shared.raise(error);
            Err(fault)
        }
    }
}
