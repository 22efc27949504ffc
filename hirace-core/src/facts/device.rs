//! What launches run on.

use std::fmt;

/// What an executor runs launches on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its name: `embedded`, or what its driver calls it.
    pub name: String,
    /// What kind of device it is, if it is one: `discrete GPU`.
    pub kind: Option<String>,
    /// What it is driven through: `Vulkan`.
    pub backend: Option<String>,
    /// Its driver, with the version.
    pub driver: Option<String>,
}

/// `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan, llvmpipe Mesa 22.3.6`.
impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let parts = [&self.backend, &self.driver];
        parts.into_iter().flatten().try_for_each(|part| write!(f, ", {part}"))
    }
}

/// What a launch ran on, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// What it is.
    pub about: About,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// How the shadow's words were laid out there; several ways, if launches of different sizes were tried.
    pub shadow: Vec<Shadow>,
}

/// What shadow memory a dispatch had on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shadow {
    /// The monitor's.
    Words(ShadowWords),
    /// None: all was known without the kernel's data, and it ran as it is.
    Needless,
}

/// How the words of the monitor's shadow memory are laid out on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShadowWords {
    /// Bits of a word: 32 or 64.
    pub word_bits: u32,
    /// Bits that count barriers of storage memory, where there are such barriers.
    pub storage_clock: Option<u32>,
    /// Likewise for workgroup memory.
    pub workgroup_clock: Option<u32>,
    /// Over how many buffers it is spread, if it is.
    pub buffers: Option<usize>,
    /// How many workgroups have a shadow of their memory at a time, if they share.
    pub slots: Option<u32>,
}
