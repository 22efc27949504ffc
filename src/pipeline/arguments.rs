//! The arguments that are bound to the parameters of a kernel.

use super::buffer::Buffer;
use hirace_gpu::wgpu::{self, BindingResource};
use std::num::NonZeroU64;

/// The arguments of the kernel `E`, implemented by its `Args`.
///
/// Only generated code implements this trait, so a later version may add methods.
pub trait Arguments<E> {
    /// Returns the resource of each parameter, by its name.
    fn resources(&self) -> Vec<(&'static str, BindingResource<'_>)>;
}

/// An argument for a parameter of type `&T`, `&mut T` or `#[uniform] T`: a [`Buffer`] of such values, or a whole wgpu buffer or a
/// part of one.
///
/// A slice can be bound to buffers of slices, `Vec`s and arrays, and an atomic to a buffer of plain numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to a parameter of type `{T}`",
    label = "not a buffer of `{T}`",
    note = "bind `&Buffer<{T}>`, as created by `Gpu::buffer`, or any `&wgpu::Buffer`, `BufferBinding` or `BufferSlice`"
)]
pub trait BufferArgument<T: ?Sized> {
    /// Returns the resource for a bind group.
    fn resource(&self) -> BindingResource<'_>;
}

/// The type of the `AT`th bound parameter of a kernel, counted from 0. For a texture or a sampler, this is wgpu's type. For
/// generated code.
#[doc(hidden)]
pub trait ParameterType<const AT: usize> {
    /// The type.
    type T: ?Sized;
}

impl BufferArgument<wgpu::TextureView> for &wgpu::TextureView {
    fn resource(&self) -> BindingResource<'_> {
        BindingResource::TextureView(self)
    }
}

impl BufferArgument<wgpu::Sampler> for &wgpu::Sampler {
    fn resource(&self) -> BindingResource<'_> {
        BindingResource::Sampler(self)
    }
}

impl<T: ?Sized> BufferArgument<T> for &wgpu::Buffer {
    fn resource(&self) -> BindingResource<'_> {
        self.as_entire_binding()
    }
}

impl<T: ?Sized> BufferArgument<T> for wgpu::BufferBinding<'_> {
    fn resource(&self) -> BindingResource<'_> {
        BindingResource::Buffer(self.clone())
    }
}

impl<T: ?Sized> BufferArgument<T> for wgpu::BufferSlice<'_> {
    fn resource(&self) -> BindingResource<'_> {
        BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.buffer(),
            offset: self.offset(),
            size: NonZeroU64::new(self.size()),
        })
    }
}

impl<T: ?Sized> BufferArgument<T> for &Buffer<T> {
    fn resource(&self) -> BindingResource<'_> {
        self.as_entire_binding()
    }
}

impl<T> BufferArgument<[T]> for &Buffer<Vec<T>> {
    fn resource(&self) -> BindingResource<'_> {
        self.as_entire_binding()
    }
}

impl<T, const N: usize> BufferArgument<[T]> for &Buffer<[T; N]> {
    fn resource(&self) -> BindingResource<'_> {
        self.as_entire_binding()
    }
}
