//! Buffers and their mapped ranges.

use super::lock;
use super::object::{Home, Object};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Mutex;
use wgpu::custom::{
    BufferInterface, BufferMapCallback, BufferMappedRangeInterface, DispatchBufferMappedRange,
};

/// The lock is held while a view of the inner buffer is created, because two views of the same range at the same time
/// would be rejected.
pub(crate) type Buffer = Object<wgpu::Buffer, Mutex<()>>;

impl Buffer {
    pub(crate) fn new(home: Home, inner: wgpu::Buffer) -> Self {
        Self { home, inner: Ok(inner), own: Mutex::new(()) }
    }
}

impl BufferInterface for Buffer {
    fn map_async(
        &self,
        mode: wgpu::MapMode,
        range: Range<wgpu::BufferAddress>,
        callback: BufferMapCallback,
    ) {
        match &self.inner {
            Ok(buffer) => buffer.slice(range).map_async(mode, callback),
            Err(_) => callback(Err(wgpu::BufferAsyncError)),
        }
    }

    fn get_mapped_range(
        &self,
        range: Range<wgpu::BufferAddress>,
    ) -> Result<DispatchBufferMappedRange, wgpu::MapRangeError> {
        // A buffer always has an inner one, because it is not created from other objects.
        let buffer = self.inner.as_ref().expect("a buffer is there");
        // Only the caller knows whether the range is for reading or writing. wgpu uses one pointer for both, and the
        // view for writing provides it.
        let _alone = lock(&self.own);
        let mut view = buffer.slice(range).get_mapped_range_mut()?;
        let mut bytes = view.slice(..);
        let mapped = MappedRange {
            length: bytes.len(),
            bytes: bytes.as_raw_element_ptr(),
            _buffer: buffer.clone(),
        };
        // The application's view tracks which ranges are exclusive. Keeping the inner view would reject views that are
        // allowed.
        Ok(DispatchBufferMappedRange::custom(mapped))
    }

    fn unmap(&self) {
        if let Ok(buffer) = &self.inner {
            buffer.unmap();
        }
    }

    fn destroy(&self) {
        if let Ok(buffer) = &self.inner {
            buffer.destroy();
        }
    }
}

/// A mapped range of a buffer.
#[derive(Debug)]
struct MappedRange {
    bytes: NonNull<u8>,
    length: usize,
    /// Keeps the buffer alive, because dropping it would unmap it.
    _buffer: wgpu::Buffer,
}

// SAFETY: as in wgpu itself, a mapped range is memory of the process that is not tied to a thread. The references that
// the methods take order all reads and writes.
#[expect(unsafe_code, reason = "pointers are neither Send nor Sync, and the trait requires both")]
unsafe impl Send for MappedRange {}
// SAFETY: see above.
#[expect(unsafe_code, reason = "see above")]
unsafe impl Sync for MappedRange {}

#[expect(
    unsafe_code,
    reason = "the trait's methods are unsafe because they create slices from a pointer"
)]
impl BufferMappedRangeInterface for MappedRange {
    fn len(&self) -> usize {
        self.length
    }

    unsafe fn read_slice(&self) -> &[u8] {
        // SAFETY: the pointer is wgpu's and refers to this number of bytes. They are mapped as long as the
        // application's view, which holds this object, exists. wgpu calls this only for read-only views, and creates no
        // writable view of the same bytes.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.length) }
    }

    unsafe fn write_slice(&mut self) -> wgpu::WriteOnly<'_, [u8]> {
        let bytes = NonNull::slice_from_raw_parts(self.bytes, self.length);
        // SAFETY: as above, for a writable view, which is the only view of these bytes. It is borrowed for the lifetime
        // of the result.
        unsafe { wgpu::WriteOnly::new(bytes) }
    }
}
