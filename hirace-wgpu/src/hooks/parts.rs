//! An encoder that is split into several command buffers.

use super::Record;
use crate::inner_errors::caught;
use std::fmt;

/// The command buffers of an encoder that was split.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) done: Vec<(wgpu::CommandBuffer, Record)>,
    /// The first error of a part, which is reported when the encoder is finished.
    pub(crate) error: Option<wgpu::Error>,
    /// The open debug groups.
    pub(crate) debug_groups: Vec<String>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("done", &self.done.len()).finish_non_exhaustive()
    }
}

impl Parts {
    /// Finishes the commands in `encoder` and begins a new encoder. No pass may be open.
    pub(crate) fn part(
        &mut self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        step: Record,
    ) {
        let next = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut done = std::mem::replace(encoder, next);
        self.debug_groups.iter().for_each(|_| done.pop_debug_group());
        let (done, error) = caught(device, || done.finish());
        self.error = self.error.take().or(error);
        self.done.push((done, step));
        self.debug_groups.iter().for_each(|group| encoder.push_debug_group(group));
    }
}
