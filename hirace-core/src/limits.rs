//! What kernels are to fit in.

use crate::diagnostic::{Diagnostic, Result};
use std::str::FromStr;

/// Limits that kernels are to fit in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// Those that WebGPU guarantees: `webgpu`.
    WebGpu,
}

impl FromStr for Limits {
    type Err = Box<Diagnostic>;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "webgpu" => Ok(Self::WebGpu),
            _ => {
                let error = Diagnostic::new(format!("there are no limits `{name}`"));
                Err(Box::new(error.help("give `webgpu`: those that every device has")))
            }
        }
    }
}
