//! Facts about the device that a launch ran on.

use std::fmt;

/// A description of the device, or of the engine, on which an executor runs launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The name: `embedded`, or the name that the driver reports.
    pub name: String,
    /// The kind of device, if it is a device: `discrete GPU`.
    pub kind: Option<String>,
    /// The API through which the device is driven: `Vulkan`.
    pub backend: Option<String>,
    /// The driver and its version.
    pub driver: Option<String>,
}

/// Writes the name, the backend and the driver: `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan, llvmpipe Mesa 22.3.6`.
impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let parts = [&self.backend, &self.driver];
        parts.into_iter().flatten().try_for_each(|part| write!(f, ", {part}"))
    }
}

/// The device that a launch ran on, and the configuration that was used there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// The description of the device.
    pub about: DeviceInfo,
    /// The number of lanes of a subgroup.
    pub subgroup_size: u32,
    /// The layouts of the shadow memory; more than one if launches of different sizes were tried.
    pub shadow: Vec<Shadow>,
}

/// The shadow memory that a dispatch had on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shadow {
    /// Shadow words of the monitor.
    Words(ShadowWords),
    /// No shadow memory: everything was known without the kernel's data, so the kernel ran uninstrumented.
    NotNeeded,
}

/// The layout of the monitor's shadow words on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShadowWords {
    /// The number of bits of a shadow word: 32 or 64.
    pub word_bits: u32,
    /// The number of bits that count barriers of storage memory; `None` if the kernel has no such barriers.
    pub storage_clock: Option<u32>,
    /// The number of bits that count barriers of workgroup memory; `None` if the kernel has no such barriers.
    pub workgroup_clock: Option<u32>,
    /// The number of buffers over which the shadow memory is split, if it is split.
    pub buffers: Option<usize>,
    /// The number of workgroups that have shadow words for their workgroup memory at the same time, if they share them.
    pub slots: Option<u32>,
}
