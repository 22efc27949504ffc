//! What is bound to the parameters of a kernel.

use super::buffer::Buffer;
use hirace_gpu::wgpu::{self, BindingResource};
use std::num::NonZeroU64;

/// The arguments of the kernel `E`: what its `Args` are.
pub trait Arguments<E> {
    /// What each parameter is bound to, by its name.
    fn resources(&self) -> Vec<(&'static str, BindingResource<'_>)>;
}

/// What a parameter of type `&T`, `&mut T` or `#[uniform] T` can be bound to: a [`Buffer`] of such values, or a buffer
/// of wgpu's, all of it or a part.
///
/// A slice is bound to buffers made of slices, `Vec`s and arrays; an atomic to one of plain numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to a parameter of type `{T}`",
    label = "no buffer of `{T}`",
    note = "bind `&Buffer<{T}>`, as `Gpu::buffer` makes it, or any `&wgpu::Buffer`, `BufferBinding` or `BufferSlice`"
)]
pub trait BufferArgument<T: ?Sized> {
    /// As a bind group takes it.
    fn resource(&self) -> BindingResource<'_>;
}

/// What the parameter holds that is the `AT`th of those of a kernel that something is bound to, from 0: of a texture or a
/// sampler, what wgpu calls it. For code that the macro makes.
pub trait Holds<const AT: usize> {
    /// What.
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
