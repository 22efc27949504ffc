//! Render bundles.
//!
//! wgpu's bundle encoder stays on its thread and borrows the objects that are set in it. A wrapper can do neither. The
//! commands are therefore recorded here, and replayed in an inner encoder when the bundle is finished. wgpu validates
//! them at the same point.

use super::object::{Fault, Object, Outer};
use super::render_pass::slice;
use super::shared::Shared;
use crate::hooks::BoundGroup;
use crate::inner_errors::caught;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;
use wgpu::custom::{
    DispatchBindGroup, DispatchBuffer, DispatchRenderBundle, DispatchRenderPipeline,
    RenderBundleEncoderInterface, RenderBundleInterface,
};
use wgpu::{BufferAddress, BufferSize};

impl RenderBundleInterface for Object<wgpu::RenderBundle> {}

/// A part of a buffer.
#[derive(Debug)]
struct Part {
    buffer: wgpu::Buffer,
    offset: BufferAddress,
    size: Option<BufferSize>,
}

impl Part {
    fn slice(&self) -> wgpu::BufferSlice<'_> {
        slice(&self.buffer, self.offset, self.size)
    }
}

#[derive(Debug)]
enum Command {
    Pipeline(wgpu::RenderPipeline),
    BindGroup(u32, Option<Arc<BoundGroup>>, Vec<wgpu::DynamicOffset>),
    IndexBuffer(Part, wgpu::IndexFormat),
    VertexBuffer(u32, Option<Part>),
    Immediates(u32, Vec<u8>),
    Draw(Range<u32>, Range<u32>),
    DrawIndexed(Range<u32>, i32, Range<u32>),
    DrawIndirect(wgpu::Buffer, BufferAddress),
    DrawIndexedIndirect(wgpu::Buffer, BufferAddress),
}

/// An encoder of a render bundle.
#[derive(Debug)]
pub(crate) struct BundleEncoder {
    shared: Arc<Shared>,
    label: Option<String>,
    color_formats: Vec<Option<wgpu::TextureFormat>>,
    depth_stencil: Option<wgpu::RenderBundleDepthStencil>,
    sample_count: u32,
    multiview: Option<NonZeroU32>,
    commands: Vec<Command>,
    fault: Option<Fault>,
}

impl BundleEncoder {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        descriptor: &wgpu::RenderBundleEncoderDescriptor<'_>,
    ) -> Self {
        // Errors in the descriptor must be reported at this point.
        let ((), error) = caught(&shared.device, || {
            drop(shared.device.create_render_bundle_encoder(descriptor));
        });
        let fault = error.map(|error| {
            let fault = Fault::new(error.to_string());
            shared.raise(error);
            fault
        });
        Self {
            shared: Arc::clone(shared),
            label: descriptor.label.map(str::to_owned),
            color_formats: descriptor.color_formats.to_vec(),
            depth_stencil: descriptor.depth_stencil,
            sample_count: descriptor.sample_count,
            multiview: descriptor.multiview,
            commands: Vec::new(),
            fault,
        }
    }

    /// Returns an inner object for a command to keep, or `None` if the bundle is invalid.
    fn open<O: Outer>(&mut self, outer: &O) -> Option<O::Inner>
    where
        O::Inner: Clone,
    {
        let found = self.shared.home.open(outer).cloned();
        found.map_err(|fault| self.fault.get_or_insert(fault).clone()).ok()
    }

    /// Like `open`, for an optional object.
    fn open_some<O: Outer>(&mut self, outer: Option<&O>) -> Option<Option<O::Inner>>
    where
        O::Inner: Clone,
    {
        match outer {
            Some(outer) => self.open(outer).map(Some),
            None => Some(None),
        }
    }

    fn bundle(&self, descriptor: &wgpu::RenderBundleDescriptor<'_>) -> wgpu::RenderBundle {
        let device = &self.shared.device;
        let mut inner = device.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
            label: self.label.as_deref(),
            color_formats: &self.color_formats,
            depth_stencil: self.depth_stencil,
            sample_count: self.sample_count,
            multiview: self.multiview,
        });
        for command in &self.commands {
            match command {
                Command::Pipeline(pipeline) => inner.set_pipeline(pipeline),
                Command::BindGroup(index, group, offsets) => {
                    let group = group.as_ref().map(|group| &group.inner);
                    inner.set_bind_group(*index, group, offsets);
                }
                Command::IndexBuffer(part, format) => {
                    inner.set_index_buffer(part.slice(), *format);
                }
                Command::VertexBuffer(slot, part) => {
                    inner.set_vertex_buffer(*slot, part.as_ref().map(Part::slice));
                }
                Command::Immediates(offset, data) => inner.set_immediates(*offset, data),
                Command::Draw(vertices, instances) => {
                    inner.draw(vertices.clone(), instances.clone());
                }
                Command::DrawIndexed(indices, base, instances) => {
                    inner.draw_indexed(indices.clone(), *base, instances.clone());
                }
                Command::DrawIndirect(buffer, offset) => inner.draw_indirect(buffer, *offset),
                Command::DrawIndexedIndirect(buffer, offset) => {
                    inner.draw_indexed_indirect(buffer, *offset);
                }
            }
        }
        inner.finish(descriptor)
    }
}

impl RenderBundleEncoderInterface for BundleEncoder {
    fn set_pipeline(&mut self, pipeline: &DispatchRenderPipeline) {
        if let Some(pipeline) = self.open(pipeline) {
            self.commands.push(Command::Pipeline(pipeline));
        }
    }

    fn set_bind_group(
        &mut self,
        index: u32,
        bind_group: Option<&DispatchBindGroup>,
        offsets: &[wgpu::DynamicOffset],
    ) {
        if let Some(group) = self.open_some(bind_group) {
            self.commands.push(Command::BindGroup(index, group, offsets.to_vec()));
        }
    }

    fn set_index_buffer(
        &mut self,
        buffer: &DispatchBuffer,
        format: wgpu::IndexFormat,
        offset: BufferAddress,
        size: Option<BufferSize>,
    ) {
        if let Some(buffer) = self.open(buffer) {
            self.commands.push(Command::IndexBuffer(Part { buffer, offset, size }, format));
        }
    }

    fn set_vertex_buffer(
        &mut self,
        slot: u32,
        buffer: Option<&DispatchBuffer>,
        offset: BufferAddress,
        size: Option<BufferSize>,
    ) {
        if let Some(buffer) = self.open_some(buffer) {
            let part = buffer.map(|buffer| Part { buffer, offset, size });
            self.commands.push(Command::VertexBuffer(slot, part));
        }
    }

    fn set_immediates(&mut self, offset: u32, data: &[u8]) {
        self.commands.push(Command::Immediates(offset, data.to_vec()));
    }

    fn draw(&mut self, vertices: Range<u32>, instances: Range<u32>) {
        self.commands.push(Command::Draw(vertices, instances));
    }

    fn draw_indexed(&mut self, indices: Range<u32>, base_vertex: i32, instances: Range<u32>) {
        self.commands.push(Command::DrawIndexed(indices, base_vertex, instances));
    }

    fn draw_indirect(&mut self, buffer: &DispatchBuffer, offset: BufferAddress) {
        if let Some(buffer) = self.open(buffer) {
            self.commands.push(Command::DrawIndirect(buffer, offset));
        }
    }

    fn draw_indexed_indirect(&mut self, buffer: &DispatchBuffer, offset: BufferAddress) {
        if let Some(buffer) = self.open(buffer) {
            self.commands.push(Command::DrawIndexedIndirect(buffer, offset));
        }
    }

    fn finish(self, descriptor: &wgpu::RenderBundleDescriptor<'_>) -> DispatchRenderBundle {
        let made = match &self.fault {
            None => Ok(self.bundle(descriptor)),
            Some(fault) => Err(fault.clone()),
        };
        let inner = self.shared.reported(made, "RenderBundleEncoder::finish");
        let inner = inner.map_err(|fault| fault.makes_invalid("RenderBundle", descriptor.label));
        DispatchRenderBundle::custom(Object { home: self.shared.home, inner, own: () })
    }

    fn finish_boxed(
        self: Box<Self>,
        descriptor: &wgpu::RenderBundleDescriptor<'_>,
    ) -> DispatchRenderBundle {
        self.finish(descriptor)
    }
}
