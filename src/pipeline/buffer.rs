//! Buffers with typed contents.

use hirace_gpu::wgpu;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A wgpu buffer that contains a value of type `T`. It dereferences to the wgpu buffer.
pub struct Buffer<T: ?Sized> {
    raw: wgpu::Buffer,
    /// The size of the value in bytes. The buffer itself has at least 4 bytes.
    bytes: u64,
    holds: PhantomData<fn(&T)>,
}

impl<T: ?Sized> Buffer<T> {
    /// Creates a typed buffer from a wgpu buffer that contains, or will contain, a `T` in WGSL's layout.
    pub fn from_raw(raw: wgpu::Buffer) -> Self {
        Self { bytes: raw.size(), raw, holds: PhantomData }
    }

    /// Creates a typed buffer of which only the first `bytes` bytes belong to the value.
    pub(super) fn of(raw: wgpu::Buffer, bytes: u64) -> Self {
        Self { bytes, ..Self::from_raw(raw) }
    }

    /// Returns the size of the value in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<T: ?Sized> Deref for Buffer<T> {
    type Target = wgpu::Buffer;

    fn deref(&self) -> &wgpu::Buffer {
        &self.raw
    }
}

impl<T: ?Sized> Clone for Buffer<T> {
    /// Returns a handle to the same buffer.
    fn clone(&self) -> Self {
        Self::of(self.raw.clone(), self.bytes)
    }
}

impl<T: ?Sized> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
