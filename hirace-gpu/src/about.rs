//! The description of a device, which is known before it is opened.

use wgpu::{AdapterInfo, Backend, DeviceType};

/// The description that a driver gives of its device, with known properties of the driver.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    info: AdapterInfo,
}

impl DeviceInfo {
    pub(crate) fn new(info: AdapterInfo) -> Self {
        Self { info }
    }

    /// Returns the name that the driver gives it.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Returns the vendor in lower case, as in WebGPU; empty if it is unknown.
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

    /// Returns the type of device.
    pub fn kind(&self) -> DeviceType {
        self.info.device_type
    }

    /// Returns the backend.
    pub fn backend(&self) -> Backend {
        self.info.backend
    }

    /// Returns the driver with its version; empty if the driver does not report them.
    pub fn driver(&self) -> String {
        [&*self.info.driver, &*self.info.driver_info].join(" ").trim().to_owned()
    }

    /// Returns the minimum and the maximum subgroup size.
    pub fn subgroup_sizes(&self) -> [u32; 2] {
        [self.info.subgroup_min_size, self.info.subgroup_max_size]
    }

    /// Returns the maximum number of loop iterations of an invocation, if there is a limit. Mesa's llvmpipe silently
    /// ends loops after 65,535 iterations of a subgroup in total. Half of that leaves room for lanes that do not
    /// iterate together.
    pub fn max_loop_iterations(&self) -> Option<u32> {
        self.info.name.contains("llvmpipe").then_some(32_000)
    }
}
