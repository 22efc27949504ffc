//! A device with its queue, and common operations on them.

use super::buffer::Buffer;
use super::error::{Error, Result};
use crate::HostShareable;
use hirace_gpu::{application, wgpu};
use hirace_runtime::Layout;

/// A device and its queue. Both are wgpu's, and can be those of an existing program: `Gpu { device, queue }`.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The wgpu device.
    pub device: wgpu::Device,
    /// The queue of the device.
    pub queue: wgpu::Queue,
}

impl Gpu {
    /// Opens the fastest kind of device that is available, with all its features and limits.
    pub fn open() -> Result<Self> {
        let mut all = hirace_gpu::adapters();
        all.sort_by_key(|adapter| match adapter.about().kind() {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        });
        Self::of(&all.into_iter().next().ok_or(hirace_gpu::Error::NoAdapter)?)
    }

    /// Opens the device with this number, or with this part of its name in any case, as listed by `hirace devices`.
    pub fn named(choice: &str) -> Result<Self> {
        Self::of(&hirace_gpu::choose(choice)?)
    }

    fn of(adapter: &hirace_gpu::Adapter) -> Result<Self> {
        let (device, queue) =
            application::open(adapter, hirace_gpu::compute_features(), adapter.limits())?;
        Ok(Self { device, queue })
    }

    /// Creates a storage or uniform buffer that contains a value. Its type determines the parameters to which it can be bound.
    pub fn buffer<T: HostShareable + ?Sized>(&self, value: &T) -> Result<Buffer<T>> {
        let bytes = value.to_bytes()?;
        let raw = application::zeros(&self.device, "hirace", bytes.len() as u64)?;
        application::write(&self.device, &self.queue, &raw, &bytes)?;
        Ok(Buffer::of(raw, bytes.len() as u64))
    }

    /// Creates a buffer of `count` zeros.
    pub fn zeros<T: HostShareable>(&self, count: usize) -> Result<Buffer<[T]>> {
        let stride = Layout::of(&T::shape()).stride();
        let bytes = stride.saturating_mul(count as u64);
        Ok(Buffer::of(application::zeros(&self.device, "hirace", bytes)?, bytes))
    }

    /// Writes another value to a buffer, before all later submissions.
    pub fn write<T: HostShareable + ?Sized>(&self, buffer: &Buffer<T>, value: &T) -> Result<()> {
        let bytes = value.to_bytes()?;
        Ok(application::write(&self.device, &self.queue, buffer, &bytes)?)
    }

    /// Calls `work` with a compute pass, and submits the pass.
    pub fn compute<E: From<Error>>(
        &self,
        work: impl FnOnce(&mut wgpu::ComputePass<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let done = application::with_error_check(&self.device, || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let done = work(&mut encoder.begin_compute_pass(&Default::default()));
            if done.is_ok() {
                self.queue.submit([encoder.finish()]);
            }
            done
        });
        done.map_err(Error::from)?
    }

    /// Returns the contents of a buffer after all earlier submissions.
    pub fn read<T>(&self, buffer: &Buffer<T>) -> Result<T::Owned>
    where
        T: ToOwned + ?Sized,
        T::Owned: HostShareable,
    {
        let mut bytes = application::read(&self.device, &self.queue, buffer)?;
        bytes.truncate(usize::try_from(buffer.bytes()).unwrap_or(usize::MAX));
        Ok(T::Owned::from_bytes(&bytes)?)
    }

    /// Returns the contents of a wgpu buffer, which must allow copies from it, after all earlier submissions.
    pub fn read_as<T: HostShareable>(&self, buffer: &wgpu::Buffer) -> Result<T> {
        Ok(T::from_bytes(&application::read(&self.device, &self.queue, buffer)?)?)
    }
}
