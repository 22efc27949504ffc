//! Compute passes, whose dispatches are shown to watchers.

use super::lock;
use super::recorder::{Recorder, State};
use crate::hooks::{Bound, Dispatch, OpenPass, Workgroups};
use std::sync::Arc;
use wgpu::custom::{
    ComputePassInterface, DispatchBindGroup, DispatchBuffer, DispatchComputePipeline,
    DispatchQuerySet, DispatchTextureView,
};

/// A compute pass that wraps an inner one.
#[derive(Debug)]
pub(crate) struct ComputePass {
    recorder: Arc<Recorder>,
    /// Has no inner pass if the encoder is invalid.
    open: OpenPass,
}

impl ComputePass {
    pub(crate) fn begin(
        recorder: Arc<Recorder>,
        descriptor: &wgpu::ComputePassDescriptor<'_>,
    ) -> Self {
        let timestamp_writes = descriptor.timestamp_writes.as_ref().map(|writes| {
            let query_set = recorder.shared.home.open(writes.query_set)?;
            Ok(wgpu::ComputePassTimestampWrites { query_set, ..writes.clone() })
        });
        let inner = recorder.noted(timestamp_writes.transpose()).and_then(|timestamp_writes| {
            recorder.watched(|watcher, encoder, records| watcher.pass_begins(encoder, records));
            let descriptor =
                wgpu::ComputePassDescriptor { label: descriptor.label, timestamp_writes };
            recorder.with_inner(|encoder| encoder.begin_compute_pass(&descriptor).forget_lifetime())
        });
        let open = OpenPass::new(inner, descriptor, recorder.shared.most_groups);
        Self { recorder, open }
    }

    fn record(&mut self, act: impl FnOnce(&mut wgpu::ComputePass<'static>)) {
        if let Some(pass) = &mut self.open.inner {
            act(pass);
        }
    }

    fn dispatch(&mut self, workgroups: Workgroups) {
        let Self { recorder, open } = self;
        // Without a pipeline, the dispatch is an error that wgpu reports.
        if let (Some(_), Some(pipeline)) = (&open.inner, &open.pipeline) {
            let pipeline = Arc::clone(pipeline);
            if let Some(watcher) = &recorder.shared.watcher {
                let State { inner, records, parts, .. } = &mut *lock(&recorder.state);
                if let Some(encoder) = inner {
                    let device = &recorder.shared.device;
                    let mut dispatch =
                        Dispatch { device, encoder, parts, open, pipeline, workgroups };
                    watcher.dispatch(&mut dispatch, records);
                    return;
                }
            }
        }
        self.record(|pass| workgroups.record(pass));
    }
}

impl Drop for ComputePass {
    fn drop(&mut self) {
        let ended = self.open.inner.take().is_some();
        if ended && !std::thread::panicking() {
            self.recorder.watched(|watcher, encoder, records| watcher.pass_ended(encoder, records));
        }
    }
}

impl ComputePassInterface for ComputePass {
    fn set_pipeline(&mut self, pipeline: &DispatchComputePipeline) {
        if let Some(pipeline) = self.recorder.open(pipeline) {
            self.open.set_pipeline(Arc::clone(pipeline));
        }
    }

    fn set_bind_group(
        &mut self,
        index: u32,
        bind_group: Option<&DispatchBindGroup>,
        offsets: &[wgpu::DynamicOffset],
    ) {
        let Some(group) = self.recorder.noted(self.recorder.shared.home.open_some(bind_group))
        else {
            return;
        };
        self.record(|pass| {
            pass.set_bind_group(index, group.map(|group| &group.inner), offsets);
        });
        if self.recorder.shared.watcher.is_some() {
            let bound =
                group.map(|group| Bound { group: Arc::clone(group), offsets: offsets.to_vec() });
            self.open.bind(index, bound);
        }
    }

    fn set_immediates(&mut self, offset: u32, data: &[u8]) {
        self.record(|pass| pass.set_immediates(offset, data));
        if self.recorder.shared.watcher.is_some() {
            self.open.set_immediates(offset, data);
        }
    }

    fn insert_debug_marker(&mut self, label: &str) {
        self.record(|pass| pass.insert_debug_marker(label));
    }

    fn push_debug_group(&mut self, label: &str) {
        self.record(|pass| pass.push_debug_group(label));
        self.open.debug_groups.push(label.to_owned());
    }

    fn pop_debug_group(&mut self) {
        self.record(wgpu::ComputePass::pop_debug_group);
        self.open.debug_groups.pop();
    }

    fn write_timestamp(&mut self, query_set: &DispatchQuerySet, index: u32) {
        if let Some(set) = self.recorder.open(query_set) {
            self.record(|pass| pass.write_timestamp(set, index));
        }
    }

    fn begin_pipeline_statistics_query(&mut self, query_set: &DispatchQuerySet, index: u32) {
        if let Some(set) = self.recorder.open(query_set) {
            self.record(|pass| pass.begin_pipeline_statistics_query(set, index));
            self.open.counting = true;
        }
    }

    fn end_pipeline_statistics_query(&mut self) {
        self.record(wgpu::ComputePass::end_pipeline_statistics_query);
        self.open.counting = false;
    }

    fn dispatch_workgroups(&mut self, x: u32, y: u32, z: u32) {
        self.dispatch(Workgroups::Direct([x, y, z]));
    }

    fn dispatch_workgroups_indirect(
        &mut self,
        buffer: &DispatchBuffer,
        offset: wgpu::BufferAddress,
    ) {
        if let Some(buffer) = self.recorder.open(buffer) {
            self.dispatch(Workgroups::Indirect { buffer: buffer.clone(), offset });
        }
    }

    fn transition_resources<'a>(
        &mut self,
        buffers: &mut dyn Iterator<Item = wgpu::BufferTransition<&'a DispatchBuffer>>,
        views: &mut dyn Iterator<Item = wgpu::TextureTransition<&'a DispatchTextureView>>,
    ) {
        let buffers: Option<Vec<_>> = buffers
            .map(|wgpu::BufferTransition { buffer, state }| {
                Some(wgpu::BufferTransition { buffer: self.recorder.open(buffer)?, state })
            })
            .collect();
        let views: Option<Vec<_>> = views
            .map(|wgpu::TextureTransition { texture, selector, state }| {
                let texture = self.recorder.open(texture)?;
                Some(wgpu::TextureTransition { texture, selector, state })
            })
            .collect();
        if let (Some(buffers), Some(views)) = (buffers, views) {
            self.record(|pass| pass.transition_resources(buffers.into_iter(), views.into_iter()));
        }
    }
}
