//! What is known of a device before it is used.

use wgpu::{AdapterInfo, Backend, DeviceType};

/// What a driver says of its device, and what is known of the driver.
#[derive(Clone, Debug)]
pub struct About {
    info: AdapterInfo,
}

impl About {
    pub(crate) fn new(info: AdapterInfo) -> Self {
        Self { info }
    }

    /// What its driver calls it.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Who makes it, in lower case as WebGPU has it; empty if that is not known.
    pub fn vendor(&self) -> &'static str {
        match self.info.vendor {
            0x1002 => "amd",
            0x1010 => "img-tec",
            0x106b => "apple",
            0x10de => "nvidia",
            0x13b5 => "arm",
            0x1414 => "microsoft",
            0x5143 => "qualcomm",
            0x8086 => "intel",
            0x1_0005 => "mesa",
            _ => "",
        }
    }

    /// What kind of device it is.
    pub fn kind(&self) -> DeviceType {
        self.info.device_type
    }

    /// What it is driven through.
    pub fn backend(&self) -> Backend {
        self.info.backend
    }

    /// Its driver, with the version; empty if the driver says nothing of itself.
    pub fn driver(&self) -> String {
        [&*self.info.driver, &*self.info.driver_info].join(" ").trim().to_owned()
    }

    /// The fewest and the most lanes that a subgroup of it has.
    pub fn subgroup_sizes(&self) -> [u32; 2] {
        [self.info.subgroup_min_size, self.info.subgroup_max_size]
    }

    /// The most turns of loops that an invocation can take there, if there is such a limit: Mesa's llvmpipe ends
    /// loops after 65,535 turns of all that a subgroup does, without a word. Half of that leaves room for lanes
    /// that do not take their turns together.
    pub fn max_loop_turns(&self) -> Option<u32> {
        self.info.name.contains("llvmpipe").then_some(32_000)
    }
}
