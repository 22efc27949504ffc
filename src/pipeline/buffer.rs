//! Buffers that know what they hold.

use hirace_gpu::wgpu;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A buffer of wgpu's, to which it derefs, with a value of type `T` in it.
pub struct Buffer<T: ?Sized> {
    raw: wgpu::Buffer,
    /// How many of its bytes the value has; a buffer has at least 4.
    bytes: u64,
    holds: PhantomData<fn(&T)>,
}

impl<T: ?Sized> Buffer<T> {
    /// A buffer that holds, or will hold, a `T` as WGSL lays it out.
    pub fn from_raw(raw: wgpu::Buffer) -> Self {
        Self { bytes: raw.size(), raw, holds: PhantomData }
    }

    /// The same of which only the first bytes are the value's.
    pub(super) fn of(raw: wgpu::Buffer, bytes: u64) -> Self {
        Self { bytes, ..Self::from_raw(raw) }
    }

    /// How many of its bytes the value has.
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
    /// The same buffer.
    fn clone(&self) -> Self {
        Self::of(self.raw.clone(), self.bytes)
    }
}

impl<T: ?Sized> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
