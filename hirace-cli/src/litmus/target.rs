//! The argument that chooses the device for litmus tests.

use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::run::Runner;
use hirace_litmus::simulated::{ModelError, NAMED, PREFIX, SimulatedDevice};

/// The argument that chooses the device.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct TargetArgs {
    /// Run on this device: the number or part of the name of one that `hirace devices` lists, or a simulated one, for
    /// example simulated:relaxed,busy=0.01
    #[arg(long, value_name = "DEVICE", default_value = "0")]
    device: String,
}

impl TargetArgs {
    /// Opens the device.
    pub fn open(&self) -> Result<Box<dyn Runner>> {
        match self.device.starts_with(PREFIX) {
            true => self.simulated(),
            false => self.driven(),
        }
    }

    fn simulated(&self) -> Result<Box<dyn Runner>> {
        let model = self.device.parse().map_err(|error: ModelError| {
            let names: Vec<String> =
                NAMED.iter().map(|known| format!("{PREFIX}{}", known.name)).collect();
            let error = Diagnostic::new(format!("`{}` is not a device: {error}", self.device));
            Box::new(error.help(format!(
                "use one of {}, optionally followed by quiet=, busy=, half=, longest=, strength= and seed=",
                names.join(", ")
            )))
        })?;
        Ok(Box::new(SimulatedDevice::new(model)))
    }

    #[cfg(feature = "gpu")]
    fn driven(&self) -> Result<Box<dyn Runner>> {
        Ok(Box::new(self.device()?))
    }

    /// Opens the device through wgpu.
    #[cfg(feature = "gpu")]
    pub fn device(&self) -> Result<hirace_litmus::run::Device> {
        use hirace_core::exec::wgpu::device_info::{about, choose};
        let adapter = choose(&self.device)?;
        let device = hirace_litmus::run::Device::of(&adapter);
        device.map_err(|error| {
            let device = about(adapter.about());
            let error = Diagnostic::new(format!("{device} cannot be used: {error}"));
            Box::new(error.of_device())
        })
    }

    #[cfg(not(feature = "gpu"))]
    fn driven(&self) -> Result<Box<dyn Runner>> {
        let error = format!("this hirace cannot run on device `{}`", self.device);
        let error = Diagnostic::new(error);
        let help =
            "build hirace with the feature `gpu`, or use a simulated device: simulated:relaxed";
        Err(Box::new(error.help(help).of_device()))
    }
}
