//! Lists the available devices and chooses one of them.

use crate::about::DeviceInfo;
use crate::error::{Error, Result};
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

/// Returns the device that `choice` selects: by its number, or by a part of its name in any case.
pub fn choose(choice: &str) -> Result<Adapter> {
    let mut adapters = adapters();
    if adapters.is_empty() {
        return Err(Error::NoAdapter);
    }
    match find_adapter(choice, adapters.iter().map(|adapter| adapter.about.name())) {
        Some(at) => Ok(adapters.swap_remove(at)),
        None => Err(Error::NoSuchAdapter { choice: choice.to_owned(), adapters }),
    }
}

/// Returns the index of the device that `choice` selects among these names.
fn find_adapter<'a>(
    choice: &str,
    mut names: impl ExactSizeIterator<Item = &'a str>,
) -> Option<usize> {
    match choice.parse::<usize>() {
        Ok(number) => (number < names.len()).then_some(number),
        Err(_) => {
            let part = choice.to_lowercase();
            names.position(|name| name.to_lowercase().contains(&part))
        }
    }
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

#[cfg(test)]
mod tests {
    use super::find_adapter;

    const NAMES: [&str; 3] =
        ["NVIDIA H100 80GB", "Intel(R) Arc", "llvmpipe (LLVM 15.0.6, 256 bits)"];

    fn chosen(choice: &str) -> Option<usize> {
        find_adapter(choice, NAMES.into_iter())
    }

    #[test]
    fn a_number_means_the_device_at_that_place() {
        assert_eq!([chosen("0"), chosen("2"), chosen("3")], [Some(0), Some(2), None]);
    }

    #[test]
    fn a_number_is_not_looked_for_in_names() {
        assert_eq!(chosen("100"), None);
    }

    #[test]
    fn a_part_of_a_name_means_the_first_that_has_it_in_any_case() {
        assert_eq!([chosen("LLVMpipe"), chosen("arc"), chosen("i")], [Some(2), Some(1), Some(0)]);
        assert_eq!([chosen("abacus"), chosen("-1")], [None, None]);
    }
}
