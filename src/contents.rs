//! The contents of buffers and textures at one point in time.

use crate::error::Result;
use crate::host_shareable::{HostShareable, Scalars, Shape};
use crate::type_name::type_name;
use bytemuck::AnyBitPattern;
use hirace_core::check::memory::FinalMemory;
use hirace_core::diagnostic::Diagnostic;
use std::borrow::Cow;

/// The contents of buffers and textures between two dispatches, or under another schedule:
/// [`Checked::contents_after`](crate::Checked::contents_after), [`Checked::schedules`](crate::Checked::schedules).
#[derive(Clone, Debug)]
pub struct Contents<'a>(Cow<'a, FinalMemory>);

impl<'a> Contents<'a> {
    pub(crate) fn of(memory: &'a FinalMemory) -> Self {
        Self(Cow::Borrowed(memory))
    }

    pub(crate) fn owned(memory: FinalMemory) -> Self {
        Self(Cow::Owned(memory))
    }

    /// Returns the value in a buffer, like [`Checked::buffer`](crate::Checked::buffer).
    pub fn buffer<T: HostShareable>(&self, name: &str) -> Result<T> {
        let bytes = self.0.values(name, &T::shape().unplaced(), &type_name::<T>())?;
        Ok(T::read(&mut Scalars::new(&bytes)))
    }

    /// Returns the memory of a buffer as plain old data.
    pub fn bytes<T: AnyBitPattern>(&self, name: &str) -> Result<Vec<T>> {
        let bytes = self.0.bytes(name)?;
        let size = size_of::<T>();
        if size == 0 || !bytes.len().is_multiple_of(size) {
            let (name, ty) = (format!("`{name}`"), type_name::<T>());
            let error = format!("{name} has {} bytes, `{ty}` has {size}", bytes.len());
            return Err(Box::new(Diagnostic::new(error)).into());
        }
        Ok(bytes.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Returns the value in a buffer as a type with `encase::ShaderType`.
    #[cfg(feature = "encase")]
    pub fn encased<T>(&self, name: &str) -> Result<T>
    where
        T: encase::ShaderType + encase::internal::CreateFrom,
    {
        let bytes = self.0.bytes(name)?;
        encase::StorageBuffer::new(bytes).create().map_err(|error| {
            let message = format!("`{name}` cannot be read as `{}`", type_name::<T>());
            Box::new(Diagnostic::new(message).note(error.to_string())).into()
        })
    }

    /// Returns the texels of a texture, like [`Checked::texture`](crate::Checked::texture).
    pub fn texture<T: HostShareable>(&self, name: &str) -> Result<Vec<T>> {
        let shape = Shape::array(T::shape().unplaced(), None);
        let bytes = self.0.texels(name, &shape, &type_name::<T>())?;
        Ok(Vec::read(&mut Scalars::new(&bytes)))
    }

    /// Returns all bits of a buffer or texture.
    pub(crate) fn bits(&self, name: &str) -> Result<Vec<u8>> {
        Ok(self.0.contents(name)?)
    }
}
