//! Limits that kernels have to fit in.

use crate::diagnostic::{Diagnostic, Result};
use std::str::FromStr;

/// Limits that kernels have to fit in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// The limits that WebGPU guarantees: `webgpu`.
    WebGpu,
}

impl FromStr for Limits {
    type Err = Box<Diagnostic>;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "webgpu" => Ok(Self::WebGpu),
            _ => {
                let error = Diagnostic::new(format!("unknown limits `{name}`"));
                Err(Box::new(error.help("give `webgpu`, the limits that every device guarantees")))
            }
        }
    }
}
