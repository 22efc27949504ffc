//! Render passes, which are forwarded. Their shaders may write storage, and are not watched.

use super::object::{Fault, Home};
use super::recorder::Recorder;
use std::ops::Range;
use std::sync::Arc;
use wgpu::custom::{
    DispatchBindGroup, DispatchBuffer, DispatchQuerySet, DispatchRenderBundle,
    DispatchRenderPipeline, RenderPassInterface,
};
use wgpu::{BufferAddress, BufferSize};

/// A render pass that wraps an inner one.
#[derive(Debug)]
pub(crate) struct RenderPass {
    recorder: Arc<Recorder>,
    /// The inner pass; `None` if the encoder is invalid.
    inner: Option<wgpu::RenderPass<'static>>,
}

/// Begins the inner pass.
pub(crate) fn begin(
    recorder: &Recorder,
    descriptor: &wgpu::RenderPassDescriptor<'_>,
) -> Option<wgpu::RenderPass<'static>> {
    let home = recorder.shared.home;
    let begin = || {
        let colors = descriptor.color_attachments.iter();
        let colors =
            colors.map(|attachment| attachment.as_ref().map(|one| color(home, one)).transpose());
        let colors = colors.collect::<Result<Vec<_>, Fault>>()?;
        let depth_stencil = descriptor.depth_stencil_attachment.as_ref().map(|attachment| {
            let view = home.open(attachment.view)?;
            Ok(wgpu::RenderPassDepthStencilAttachment { view, ..attachment.clone() })
        });
        let timestamp_writes = descriptor.timestamp_writes.as_ref().map(|writes| {
            let query_set = home.open(writes.query_set)?;
            Ok(wgpu::RenderPassTimestampWrites { query_set, ..writes.clone() })
        });
        let inner = wgpu::RenderPassDescriptor {
            label: descriptor.label,
            color_attachments: &colors,
            depth_stencil_attachment: depth_stencil.transpose()?,
            timestamp_writes: timestamp_writes.transpose()?,
            occlusion_query_set: home.open_some(descriptor.occlusion_query_set)?,
            multiview_mask: descriptor.multiview_mask,
        };
        Ok(recorder.with_inner(|encoder| encoder.begin_render_pass(&inner).forget_lifetime()))
    };
    recorder.noted(begin()).flatten()
}

fn color<'a>(
    home: Home,
    attachment: &wgpu::RenderPassColorAttachment<'a>,
) -> Result<wgpu::RenderPassColorAttachment<'a>, Fault> {
    Ok(wgpu::RenderPassColorAttachment {
        view: home.open(attachment.view)?,
        resolve_target: home.open_some(attachment.resolve_target)?,
        depth_slice: attachment.depth_slice,
        ops: attachment.ops,
    })
}

impl RenderPass {
    pub(crate) fn new(recorder: Arc<Recorder>, inner: Option<wgpu::RenderPass<'static>>) -> Self {
        Self { recorder, inner }
    }

    fn record(&mut self, act: impl FnOnce(&mut wgpu::RenderPass<'static>)) {
        if let Some(pass) = &mut self.inner {
            act(pass);
        }
    }

    /// Records a draw whose parameters are in a buffer.
    fn indirect(
        &mut self,
        buffer: &DispatchBuffer,
        draw: impl FnOnce(&mut wgpu::RenderPass<'static>, &wgpu::Buffer),
    ) {
        if let Some(buffer) = self.recorder.open(buffer) {
            self.record(|pass| draw(pass, buffer));
        }
    }

    /// Records a draw whose parameters are in a buffer, with the number of draws in another buffer.
    fn counted(
        &mut self,
        buffer: &DispatchBuffer,
        count: &DispatchBuffer,
        draw: impl FnOnce(&mut wgpu::RenderPass<'static>, &wgpu::Buffer, &wgpu::Buffer),
    ) {
        if let (Some(buffer), Some(count)) = (self.recorder.open(buffer), self.recorder.open(count))
        {
            self.record(|pass| draw(pass, buffer, count));
        }
    }
}

impl Drop for RenderPass {
    fn drop(&mut self) {
        drop(self.inner.take());
    }
}

/// Returns a slice of a buffer for wgpu's methods, which have split the application's slice into its parts.
pub(crate) fn slice(
    buffer: &wgpu::Buffer,
    offset: BufferAddress,
    size: Option<BufferSize>,
) -> wgpu::BufferSlice<'_> {
    match size {
        Some(size) => buffer.slice(offset..offset + size.get()),
        None => buffer.slice(offset..),
    }
}

impl RenderPassInterface for RenderPass {
    fn set_pipeline(&mut self, pipeline: &DispatchRenderPipeline) {
        if let Some(pipeline) = self.recorder.open(pipeline) {
            self.record(|pass| pass.set_pipeline(pipeline));
        }
    }

    fn set_bind_group(
        &mut self,
        index: u32,
        bind_group: Option<&DispatchBindGroup>,
        offsets: &[wgpu::DynamicOffset],
    ) {
        let group = self.recorder.noted(self.recorder.shared.home.open_some(bind_group));
        if let Some(group) = group {
            self.record(|pass| {
                pass.set_bind_group(index, group.map(|group| &group.inner), offsets);
            });
        }
    }

    fn set_index_buffer(
        &mut self,
        buffer: &DispatchBuffer,
        format: wgpu::IndexFormat,
        offset: BufferAddress,
        size: Option<BufferSize>,
    ) {
        if let Some(buffer) = self.recorder.open(buffer) {
            self.record(|pass| pass.set_index_buffer(slice(buffer, offset, size), format));
        }
    }

    fn set_vertex_buffer(
        &mut self,
        slot: u32,
        buffer: Option<&DispatchBuffer>,
        offset: BufferAddress,
        size: Option<BufferSize>,
    ) {
        let buffer = self.recorder.noted(self.recorder.shared.home.open_some(buffer));
        if let Some(buffer) = buffer {
            let part = buffer.map(|buffer| slice(buffer, offset, size));
            self.record(|pass| pass.set_vertex_buffer(slot, part));
        }
    }

    fn set_immediates(&mut self, offset: u32, data: &[u8]) {
        self.record(|pass| pass.set_immediates(offset, data));
    }

    fn set_blend_constant(&mut self, color: wgpu::Color) {
        self.record(|pass| pass.set_blend_constant(color));
    }

    fn set_scissor_rect(&mut self, x: u32, y: u32, width: u32, height: u32) {
        self.record(|pass| pass.set_scissor_rect(x, y, width, height));
    }

    fn set_viewport(
        &mut self,
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        min_depth: f32,
        max_depth: f32,
    ) {
        self.record(|pass| pass.set_viewport(x, y, width, height, min_depth, max_depth));
    }

    fn set_stencil_reference(&mut self, reference: u32) {
        self.record(|pass| pass.set_stencil_reference(reference));
    }

    fn draw(&mut self, vertices: Range<u32>, instances: Range<u32>) {
        self.record(|pass| pass.draw(vertices, instances));
    }

    fn draw_indexed(&mut self, indices: Range<u32>, base_vertex: i32, instances: Range<u32>) {
        self.record(|pass| pass.draw_indexed(indices, base_vertex, instances));
    }

    fn draw_mesh_tasks(&mut self, x: u32, y: u32, z: u32) {
        self.record(|pass| pass.draw_mesh_tasks(x, y, z));
    }

    fn draw_indirect(&mut self, buffer: &DispatchBuffer, offset: BufferAddress) {
        self.indirect(buffer, |pass, buffer| pass.draw_indirect(buffer, offset));
    }

    fn draw_indexed_indirect(&mut self, buffer: &DispatchBuffer, offset: BufferAddress) {
        self.indirect(buffer, |pass, buffer| pass.draw_indexed_indirect(buffer, offset));
    }

    fn draw_mesh_tasks_indirect(&mut self, buffer: &DispatchBuffer, offset: BufferAddress) {
        self.indirect(buffer, |pass, buffer| pass.draw_mesh_tasks_indirect(buffer, offset));
    }

    fn multi_draw_indirect(&mut self, buffer: &DispatchBuffer, offset: BufferAddress, count: u32) {
        self.indirect(buffer, |pass, buffer| pass.multi_draw_indirect(buffer, offset, count));
    }

    fn multi_draw_indexed_indirect(
        &mut self,
        buffer: &DispatchBuffer,
        offset: BufferAddress,
        count: u32,
    ) {
        self.indirect(buffer, |pass, buffer| {
            pass.multi_draw_indexed_indirect(buffer, offset, count)
        });
    }

    fn multi_draw_mesh_tasks_indirect(
        &mut self,
        buffer: &DispatchBuffer,
        offset: BufferAddress,
        count: u32,
    ) {
        self.indirect(buffer, |pass, buffer| {
            pass.multi_draw_mesh_tasks_indirect(buffer, offset, count)
        });
    }

    fn multi_draw_indirect_count(
        &mut self,
        buffer: &DispatchBuffer,
        offset: BufferAddress,
        count: &DispatchBuffer,
        count_offset: BufferAddress,
        most: u32,
    ) {
        self.counted(buffer, count, |pass, buffer, count| {
            pass.multi_draw_indirect_count(buffer, offset, count, count_offset, most);
        });
    }

    fn multi_draw_indexed_indirect_count(
        &mut self,
        buffer: &DispatchBuffer,
        offset: BufferAddress,
        count: &DispatchBuffer,
        count_offset: BufferAddress,
        most: u32,
    ) {
        self.counted(buffer, count, |pass, buffer, count| {
            pass.multi_draw_indexed_indirect_count(buffer, offset, count, count_offset, most);
        });
    }

    fn multi_draw_mesh_tasks_indirect_count(
        &mut self,
        buffer: &DispatchBuffer,
        offset: BufferAddress,
        count: &DispatchBuffer,
        count_offset: BufferAddress,
        most: u32,
    ) {
        self.counted(buffer, count, |pass, buffer, count| {
            pass.multi_draw_mesh_tasks_indirect_count(buffer, offset, count, count_offset, most);
        });
    }

    fn insert_debug_marker(&mut self, label: &str) {
        self.record(|pass| pass.insert_debug_marker(label));
    }

    fn push_debug_group(&mut self, label: &str) {
        self.record(|pass| pass.push_debug_group(label));
    }

    fn pop_debug_group(&mut self) {
        self.record(wgpu::RenderPass::pop_debug_group);
    }

    fn write_timestamp(&mut self, query_set: &DispatchQuerySet, index: u32) {
        if let Some(set) = self.recorder.open(query_set) {
            self.record(|pass| pass.write_timestamp(set, index));
        }
    }

    fn begin_occlusion_query(&mut self, index: u32) {
        self.record(|pass| pass.begin_occlusion_query(index));
    }

    fn end_occlusion_query(&mut self) {
        self.record(wgpu::RenderPass::end_occlusion_query);
    }

    fn begin_pipeline_statistics_query(&mut self, query_set: &DispatchQuerySet, index: u32) {
        if let Some(set) = self.recorder.open(query_set) {
            self.record(|pass| pass.begin_pipeline_statistics_query(set, index));
        }
    }

    fn end_pipeline_statistics_query(&mut self) {
        self.record(wgpu::RenderPass::end_pipeline_statistics_query);
    }

    fn execute_bundles(&mut self, bundles: &mut dyn Iterator<Item = &DispatchRenderBundle>) {
        let bundles: Option<Vec<_>> = bundles.map(|bundle| self.recorder.open(bundle)).collect();
        if let Some(bundles) = bundles {
            self.record(|pass| pass.execute_bundles(bundles));
        }
    }
}
