//! Lists the available devices.

use crate::about::DeviceInfo;
use wgpu::{Backends, Features, InstanceDescriptor, InstanceFlags, Limits};

/// A device that can be opened.
#[derive(Clone, Debug)]
pub struct Adapter {
    pub(crate) inner: wgpu::Adapter,
    about: DeviceInfo,
    index: usize,
}

/// Returns the devices that drivers offer, in the drivers' order; possibly none.
pub fn adapters() -> Vec<Adapter> {
    let instance = wgpu::Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN | Backends::METAL | Backends::DX12,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    });
    let all = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    let numbered = all.into_iter().enumerate();
    let adapter = |(index, inner): (usize, wgpu::Adapter)| {
        let about = DeviceInfo::new(inner.get_info());
        Adapter { inner, about, index }
    };
    numbered.map(adapter).collect()
}

impl Adapter {
    /// Returns its index in [`adapters`].
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns a description of the device.
    pub fn about(&self) -> &DeviceInfo {
        &self.about
    }

    /// Returns the maximum limits that it supports.
    pub fn limits(&self) -> Limits {
        self.inner.limits()
    }

    /// Returns all features that it supports.
    pub fn features(&self) -> Features {
        self.inner.features()
    }
}
