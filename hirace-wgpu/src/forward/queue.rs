//! The wrapper of a queue, which runs the steps of the watcher between submissions.

use super::command_buffer::{CommandBuffer, RecordedCommands};
use super::object::Fault;
use super::shared::SharedDevice;
use super::surface_output::Output;
use super::{lock, scope};
use crate::hooks::{Step, Submission, Watcher};
use crate::inner_errors::caught;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use wgpu::custom::{
    BoxSubmittedWorkDoneCallback, DispatchBlas, DispatchBuffer, DispatchCommandBuffer,
    DispatchQueueWriteBuffer, DispatchSurfaceOutputDetail, QueueInterface,
    QueueWriteBufferInterface,
};

/// A queue that wraps an inner one.
#[derive(Debug)]
pub(crate) struct Queue {
    shared: Arc<SharedDevice>,
    /// The result of [`QueueInterface::validate_write_buffer`] for each thread, until the same thread calls
    /// [`QueueInterface::create_staging_buffer`]. wgpu calls them in this order, and the inner queue has one method for
    /// both.
    staged: Mutex<HashMap<ThreadId, wgpu::QueueWriteBufferView>>,
}

impl Queue {
    pub(crate) fn new(shared: Arc<SharedDevice>) -> Self {
        Self { shared, staged: Mutex::default() }
    }

    /// Takes the contents of all command buffers, even if one of them is invalid.
    fn take_commands(
        &self,
        command_buffers: &mut dyn Iterator<Item = DispatchCommandBuffer>,
    ) -> Result<Vec<RecordedCommands>, Fault> {
        let mut taken = Ok(Vec::new());
        for buffer in command_buffers {
            let custom = buffer.as_custom::<CommandBuffer>();
            let custom = custom.filter(|buffer| buffer.home() == self.shared.home);
            let commands = match custom {
                Some(buffer) => buffer.take(),
                None => Err(Fault::foreign("command buffer")),
            };
            match (&mut taken, commands) {
                (Ok(taken), Ok(recorded)) => taken.push(recorded),
                (Ok(_), Err(fault)) => taken = Err(fault),
                (Err(_), _) => {}
            }
        }
        taken
    }

    /// Submits the commands, with the watcher's steps between the parts. Returns the last submission and the error, if
    /// there was one.
    fn submit_watched(
        &self,
        watcher: &dyn Watcher,
        all: Vec<RecordedCommands>,
    ) -> (wgpu::SubmissionIndex, Result<(), wgpu::Error>) {
        let SharedDevice { device, queue, .. } = &*self.shared;
        // A rejected submission does not run, so there is nothing to wait for.
        let submit = |buffers: Vec<wgpu::CommandBuffer>| {
            let (index, error) = caught(device, || queue.submit(buffers));
            (index, error.map_or(Ok(()), Err))
        };
        let (mut next_buffers, mut all_records) = (Vec::new(), Vec::new());
        for RecordedCommands { parts, rest, records } in all {
            for (part, record) in parts {
                next_buffers.push(part);
                let (index, submitted) = submit(std::mem::take(&mut next_buffers));
                let stepped = submitted.and_then(|()| {
                    let step = Step { device, queue, index: &index, record };
                    watcher.between(step).map_err(scope::internal)
                });
                if stepped.is_err() {
                    return (index, stepped);
                }
            }
            next_buffers.push(rest);
            all_records.extend(records);
        }
        let (index, submitted) = submit(next_buffers);
        if submitted.is_ok() {
            let index = &index;
            watcher.submitted(Submission { device, queue, index, records: all_records });
        }
        (index, submitted)
    }
}

impl QueueInterface for Queue {
    fn write_buffer(&self, buffer: &DispatchBuffer, offset: wgpu::BufferAddress, data: &[u8]) {
        match self.shared.home.open(buffer) {
            Ok(buffer) => self.shared.queue.write_buffer(buffer, offset, data),
            Err(fault) => self.shared.fail(&fault, "Queue::write_buffer"),
        }
    }

    fn create_staging_buffer(&self, _size: wgpu::BufferSize) -> Option<DispatchQueueWriteBuffer> {
        let view = lock(&self.staged).remove(&thread::current().id())?;
        Some(DispatchQueueWriteBuffer::custom(StagedWrite { view: Mutex::new(Some(view)) }))
    }

    fn validate_write_buffer(
        &self,
        buffer: &DispatchBuffer,
        offset: wgpu::BufferAddress,
        size: wgpu::BufferSize,
    ) -> Option<()> {
        let buffer = self.shared.home.open(buffer);
        let buffer = self.shared.reported(buffer, "Queue::write_buffer_with").ok()?;
        let view = self.shared.queue.write_buffer_with(buffer, offset, size)?;
        lock(&self.staged).insert(thread::current().id(), view);
        Some(())
    }

    fn write_staging_buffer(
        &self,
        _buffer: &DispatchBuffer,
        _offset: wgpu::BufferAddress,
        staged: &DispatchQueueWriteBuffer,
    ) {
        // The inner view knows its destination, and is written when it is dropped.
        if let Some(staged) = staged.as_custom::<StagedWrite>() {
            drop(lock(&staged.view).take());
        }
    }

    fn write_texture(
        &self,
        texture: wgpu::TexelCopyTextureInfo<'_>,
        data: &[u8],
        layout: wgpu::TexelCopyBufferLayout,
        size: wgpu::Extent3d,
    ) {
        match super::copies::texture(self.shared.home, &texture) {
            Ok(texture) => self.shared.queue.write_texture(texture, data, layout, size),
            Err(fault) => self.shared.fail(&fault, "Queue::write_texture"),
        }
    }

    fn submit(&self, command_buffers: &mut dyn Iterator<Item = DispatchCommandBuffer>) -> u64 {
        let shared = &self.shared;
        let commands = self.take_commands(command_buffers);
        let all = shared.reported(commands, "Queue::submit").unwrap_or_default();
        // No lock is held here, because wgpu may call back into the application during a submission.
        let Some(watcher) = &shared.watcher else {
            let index = shared.queue.submit(all.into_iter().map(|recorded| recorded.rest));
            return lock(&shared.submissions).number(index);
        };
        let (index, submitted) = self.submit_watched(watcher.as_ref(), all);
        let number = lock(&shared.submissions).number(index);
        if let Err(error) = submitted {
            shared.raise(error);
        }
        number
    }

    fn get_timestamp_period(&self) -> f32 {
        self.shared.queue.get_timestamp_period()
    }

    fn on_submitted_work_done(&self, callback: BoxSubmittedWorkDoneCallback) {
        self.shared.queue.on_submitted_work_done(callback);
    }

    fn compact_blas(&self, blas: &DispatchBlas) -> (Option<u64>, DispatchBlas) {
        let home = self.shared.home;
        let compacted = home.open(blas).map(|blas| self.shared.queue.compact_blas(blas));
        let inner = self.shared.reported(compacted, "Queue::compact_blas");
        let handle = inner.as_ref().ok().and_then(wgpu::Blas::handle);
        (handle, DispatchBlas::custom(super::object::Object { home, inner, own: () }))
    }

    fn present(&self, detail: &DispatchSurfaceOutputDetail) {
        let texture = match detail.as_custom::<Output>() {
            Some(output) => output.take(self.shared.home),
            None => Err(Fault::foreign("surface texture")),
        };
        match texture {
            Ok(Some(texture)) => self.shared.queue.present(texture),
            Ok(None) => {}
            Err(fault) => self.shared.fail(&fault, "Queue::present"),
        }
    }
}

/// Data that is written to a buffer when its view is dropped.
#[derive(Debug)]
struct StagedWrite {
    /// `None` once it has been written.
    view: Mutex<Option<wgpu::QueueWriteBufferView>>,
}

impl StagedWrite {
    fn view(&mut self) -> Option<&mut wgpu::QueueWriteBufferView> {
        self.view.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).as_mut()
    }
}

#[expect(unsafe_code, reason = "the trait's method is unsafe; this implementation is not")]
impl QueueWriteBufferInterface for StagedWrite {
    fn len(&self) -> usize {
        lock(&self.view).as_ref().map_or(0, wgpu::QueueWriteBufferView::len)
    }

    unsafe fn write_slice(&mut self) -> wgpu::WriteOnly<'_, [u8]> {
        match self.view() {
            Some(view) => view.slice(..),
            None => wgpu::WriteOnly::from_mut(&mut []),
        }
    }
}
