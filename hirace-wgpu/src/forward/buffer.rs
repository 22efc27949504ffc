//! Buffers, and what is mapped of them.

use super::lock;
use super::object::{Home, Object};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Mutex;
use wgpu::custom::{
    BufferInterface, BufferMapCallback, BufferMappedRangeInterface, DispatchBufferMappedRange,
};

/// The lock is held while a view of the inner buffer is made: two views at once of one place would be refused.
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
        // Every buffer has an inner one: none is made of other objects.
        let buffer = self.inner.as_ref().expect("a buffer is there");
        // Whether it is for reading or writing is known to the caller alone. wgpu has one pointer for both, and the view
        // for writing gives it.
        let _alone = lock(&self.own);
        let mut view = buffer.slice(range).get_mapped_range_mut()?;
        let mut bytes = view.slice(..);
        let mapped = Mapped {
            length: bytes.len(),
            bytes: bytes.as_raw_element_ptr(),
            _buffer: buffer.clone(),
        };
        // The application's view holds what it excludes; the inner one, which goes here, would exclude views that are
        // allowed beside it.
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

/// A part of a buffer that is mapped.
#[derive(Debug)]
struct Mapped {
    bytes: NonNull<u8>,
    length: usize,
    /// So that it is not dropped, which would unmap it.
    _buffer: wgpu::Buffer,
}

// SAFETY: as wgpu's own: a mapped range is memory of the process, which is not tied to a thread, and what may be read
// and written through this is ordered by the references that the methods take.
#[expect(
    unsafe_code,
    reason = "a pointer is neither Send nor Sync of itself, and the trait wants both"
)]
unsafe impl Send for Mapped {}
// SAFETY: see above.
#[expect(unsafe_code, reason = "see above")]
unsafe impl Sync for Mapped {}

#[expect(
    unsafe_code,
    reason = "the trait's methods are unsafe, since they make slices of a pointer"
)]
impl BufferMappedRangeInterface for Mapped {
    fn len(&self) -> usize {
        self.length
    }

    unsafe fn read_slice(&self) -> &[u8] {
        // SAFETY: the pointer is wgpu's, to this many bytes, which are mapped as long as the application's view is there
        // that holds this. wgpu's API calls this of views for reading alone, and gives no other for the same bytes.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.length) }
    }

    unsafe fn write_slice(&mut self) -> wgpu::WriteOnly<'_, [u8]> {
        let bytes = NonNull::slice_from_raw_parts(self.bytes, self.length);
        // SAFETY: as above, of views for writing, of which there is one for these bytes; it is borrowed for as long as
        // what is returned.
        unsafe { wgpu::WriteOnly::new(bytes) }
    }
}
