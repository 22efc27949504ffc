//! What tests run on.

use clap::Args;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_litmus::run::Runner;

/// What tests run on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct TargetArgs {
    /// The number or a part of the name of a device that `hirace devices` shows
    #[arg(long, value_name = "DEVICE", default_value = "0")]
    device: String,
}

impl TargetArgs {
    /// Opens it.
    #[cfg(feature = "gpu")]
    pub fn open(&self) -> Result<Box<dyn Runner>> {
        Ok(Box::new(self.device()?))
    }

    /// Opens the device that it is.
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

    /// Opens it.
    #[cfg(not(feature = "gpu"))]
    pub fn open(&self) -> Result<Box<dyn Runner>> {
        let error = format!("`{}` is no device that this hirace can drive", self.device);
        let error = Diagnostic::new(error);
        Err(Box::new(error.help("build it with the feature `gpu`").of_device()))
    }
}
