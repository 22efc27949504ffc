//! A device with its queue, and what is done with them in most programs.

use super::buffer::Buffer;
use super::error::{Error, Result};
use crate::HostShareable;
use hirace_gpu::{application, wgpu};
use hirace_runtime::Layout;

/// A device and its queue. Both are wgpu's and can be those that a program has: `Gpu { device, queue }`.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// wgpu's device.
    pub device: wgpu::Device,
    /// The queue to it.
    pub queue: wgpu::Queue,
}

impl Gpu {
    /// Opens the fastest kind of device that there is, with all that it has room for.
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

    /// Opens the device that has this number, or this as a part of its name in any case, as `hirace devices` shows them.
    pub fn named(choice: &str) -> Result<Self> {
        Self::of(&hirace_gpu::choose(choice)?)
    }

    fn of(adapter: &hirace_gpu::Adapter) -> Result<Self> {
        let (device, queue) =
            application::open(adapter, hirace_gpu::compute_features(), adapter.limits())?;
        Ok(Self { device, queue })
    }

    /// A buffer that holds a value, as storage or uniform memory. Its type says what can be bound to it.
    pub fn buffer<T: HostShareable + ?Sized>(&self, value: &T) -> Result<Buffer<T>> {
        let bytes = value.to_bytes()?;
        let raw = application::zeros(&self.device, "hirace", bytes.len() as u64)?;
        application::write(&self.device, &self.queue, &raw, &bytes)?;
        Ok(Buffer::of(raw, bytes.len() as u64))
    }

    /// A buffer of so many zeros.
    pub fn zeros<T: HostShareable>(&self, count: usize) -> Result<Buffer<[T]>> {
        let stride = Layout::of(&T::shape()).stride();
        let bytes = stride.saturating_mul(count as u64);
        Ok(Buffer::of(application::zeros(&self.device, "hirace", bytes)?, bytes))
    }

    /// Puts another value into a buffer, before all that is submitted later.
    pub fn write<T: HostShareable + ?Sized>(&self, buffer: &Buffer<T>, value: &T) -> Result<()> {
        let bytes = value.to_bytes()?;
        Ok(application::write(&self.device, &self.queue, buffer, &bytes)?)
    }

    /// Does `work` in a compute pass, and submits it.
    pub fn compute<E: From<Error>>(
        &self,
        work: impl FnOnce(&mut wgpu::ComputePass<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let done = application::guarded(&self.device, || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let done = work(&mut encoder.begin_compute_pass(&Default::default()));
            if done.is_ok() {
                self.queue.submit([encoder.finish()]);
            }
            done
        });
        done.map_err(Error::from)?
    }

    /// What a buffer holds after all that was submitted.
    pub fn read<T>(&self, buffer: &Buffer<T>) -> Result<T::Owned>
    where
        T: ToOwned + ?Sized,
        T::Owned: HostShareable,
    {
        let mut bytes = application::read(&self.device, &self.queue, buffer)?;
        bytes.truncate(usize::try_from(buffer.bytes()).unwrap_or(usize::MAX));
        Ok(T::Owned::from_bytes(&bytes)?)
    }

    /// What a buffer of wgpu's, from which can be copied, holds after all that was submitted.
    pub fn read_as<T: HostShareable>(&self, buffer: &wgpu::Buffer) -> Result<T> {
        Ok(T::from_bytes(&application::read(&self.device, &self.queue, buffer)?)?)
    }
}
