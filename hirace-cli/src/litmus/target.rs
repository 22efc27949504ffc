//! What tests run on.

use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::run::Runner;
use hirace_litmus::simulated::{NAMED, NoSuchModel, PREFIX, Simulated};

/// What tests run on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct TargetArgs {
    /// The number or a part of the name of a device that `hirace devices` shows, or a simulated one: simulated:relaxed,busy=0.01
    #[arg(long, value_name = "DEVICE", default_value = "0")]
    device: String,
}

impl TargetArgs {
    /// Opens it.
    pub fn open(&self) -> Result<Box<dyn Runner>> {
        match self.device.starts_with(PREFIX) {
            true => self.simulated(),
            false => self.driven(),
        }
    }

    fn simulated(&self) -> Result<Box<dyn Runner>> {
        let model = self.device.parse().map_err(|error: NoSuchModel| {
            let names: Vec<String> =
                NAMED.iter().map(|known| format!("{PREFIX}{}", known.name)).collect();
            let error = Diagnostic::new(format!("`{}` is no device: {error}", self.device));
            Box::new(error.help(format!(
                "there are {}; behind a name may follow quiet=, busy=, half=, longest=, strength= and seed=",
                names.join(", ")
            )))
        })?;
        Ok(Box::new(Simulated::new(model)))
    }

    #[cfg(feature = "gpu")]
    fn driven(&self) -> Result<Box<dyn Runner>> {
        Ok(Box::new(self.device()?))
    }

    /// Opens the device of wgpu's that it is.
    #[cfg(feature = "gpu")]
    pub fn device(&self) -> Result<hirace_litmus::run::Device> {
        use hirace_core::exec::wgpu::about::{about, choose};
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
        let error = format!("`{}` is no device that this hirace can drive", self.device);
        let error = Diagnostic::new(error);
        let help = "build it with the feature `gpu`, or give a simulated device: simulated:relaxed";
        Err(Box::new(error.help(help).of_device()))
    }
}
