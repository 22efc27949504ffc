//! Front ends: from what the user wrote to a valid module with its source.
//!
//! Each front end ends in a [`Parsed`]; [`crate::program::Program::new`] makes a program of it. Whatever
//! is wrong with the input is a diagnostic by then; nothing in an input may panic or overflow.

pub mod guard;
pub mod limits;
pub mod overrides;
pub mod rust;
pub mod validate;
pub mod wgsl;

use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::SourceMap;
use std::sync::Arc;

/// What a front end makes of an input: a valid module whose overrides are still open.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The module. No function takes pointers to storage or workgroup memory, or textures.
    pub module: naga::Module,
    /// What naga's validator found out about it.
    pub info: naga::valid::ModuleInfo,
    /// The text it came from.
    pub source: SourceMap,
    /// The WGSL that was printed for it, if it is Rust. Until overrides have their values
    /// ([`Program`](crate::program::Program)), spans in `module` are those of this text.
    pub origin: Option<Arc<rust::origin::Origin>>,
}

impl Parsed {
    /// The WGSL text: the source itself, or what was printed for it.
    pub fn wgsl(&self) -> &SourceMap {
        self.origin.as_ref().map_or(&self.source, |origin| &origin.wgsl)
    }

    /// The names of its compute entry points.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let entries = self.module.entry_points.iter();
        let compute = entries.filter(|entry| entry.stage == naga::ShaderStage::Compute);
        compute.map(|entry| entry.name.as_str())
    }
}

/// The text of a file called `name`.
pub fn decode<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let line = bytes[..offset].iter().filter(|&&b| b == b'\n').count() + 1;
        Box::new(Diagnostic::new(format!(
            "`{name}` is not UTF-8: byte {offset} (0x{:02x}), in line {line}",
            bytes[offset]
        )))
    })
}
