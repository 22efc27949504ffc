//! Creates, writes and reads back buffers.

use crate::error::{Error, Result};
use crate::fits;
use crate::opened::OpenDevice;
use crate::scope::scoped;
use crate::wait::{TIME_LIMIT, WaitLimit};
use std::ops::Range;
use std::sync::mpsc;
use wgpu::{
    Buffer, BufferUsages, COPY_BUFFER_ALIGNMENT, CommandEncoder, CommandEncoderDescriptor, MapMode,
};

impl OpenDevice {
    /// Creates a buffer of zeros. A buffer that exceeds the limits is rejected before memory is allocated.
    pub fn zeros(&self, label: &str, bytes: u64, usage: BufferUsages) -> Result<Buffer> {
        fits::buffer(self.limits(), bytes)?;
        scoped(self.device(), || {
            self.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        })
    }

    /// Creates a buffer with `contents`, padded with zeros to whole words.
    pub fn buffer(&self, label: &str, contents: &[u8], usage: BufferUsages) -> Result<Buffer> {
        let bytes = (contents.len() as u64).next_multiple_of(COPY_BUFFER_ALIGNMENT);
        // The buffer is not mapped at creation, because wgpu panics in that case if the device was lost.
        let buffer = self.zeros(label, bytes, usage | BufferUsages::COPY_DST)?;
        let (words, rest) = contents.split_at(contents.len() - contents.len() % 4);
        self.write(&buffer, 0, words)?;
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.write(&buffer, words.len() as u64, &last)?;
        }
        Ok(buffer)
    }

    /// Writes `bytes`, whole words, to a buffer at offset `first`, before everything submitted later.
    pub fn write(&self, buffer: &Buffer, first: u64, bytes: &[u8]) -> Result<()> {
        scoped(self.device(), || self.queue().write_buffer(buffer, first, bytes))
    }

    /// Reads these bytes, whole words, of a buffer after everything submitted so far.
    pub fn read(&self, buffer: &Buffer, bytes: Range<u64>) -> Result<Vec<u8>> {
        let _span =
            tracing::debug_span!("read back", bytes = bytes.end.saturating_sub(bytes.start))
                .entered();
        let length = bytes.end.saturating_sub(bytes.start);
        self.read_back(length, |encoder, to| {
            encoder.copy_buffer_to_buffer(buffer, bytes.start, to, 0, length);
        })
    }

    /// Reads these words of a buffer after everything submitted so far.
    pub fn read_words(&self, buffer: &Buffer, words: Range<u64>) -> Result<Vec<u32>> {
        let bytes = self.read(buffer, words.start * 4..words.end * 4)?;
        let words = bytes.chunks_exact(4);
        Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    /// Returns the `bytes` bytes that `copy` copies to a staging buffer, after everything submitted so far.
    pub(crate) fn read_back(
        &self,
        bytes: u64,
        copy: impl FnOnce(&mut CommandEncoder, &Buffer),
    ) -> Result<Vec<u8>> {
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let staging = self.zeros("hirace staging", bytes, usage)?;
        let (sender, receiver) = mpsc::channel();
        let submission = scoped(self.device(), || {
            let descriptor = CommandEncoderDescriptor { label: Some("hirace read") };
            let mut encoder = self.device().create_command_encoder(&descriptor);
            copy(&mut encoder, &staging);
            let submission = self.queue().submit([encoder.finish()]);
            staging.map_async(MapMode::Read, .., move |mapped| {
                let _ = sender.send(mapped.is_ok());
            });
            submission
        })?;
        self.wait(&submission, WaitLimit::default())?;
        // The callback may run on another thread that polls the device, a moment later.
        let mapped = receiver.recv_timeout(TIME_LIMIT).unwrap_or(false);
        let view = mapped.then(|| staging.get_mapped_range(..).ok()).flatten();
        view.map(|view| view.to_vec()).ok_or(Error::NotReadable)
    }
}
