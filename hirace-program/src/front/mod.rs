//! Front ends: from what the user wrote to a valid module with its source.
//!
//! Each front end ends in a [`Parsed`]; [`crate::program::Program::new`] makes a program of it, and asks
//! its [`Origin`](crate::program::Origin) where sites stand. Whatever is wrong with the input is a diagnostic by
//! then; nothing in an input may panic or overflow.

#[cfg(feature = "glsl")]
pub mod glsl;
#[cfg(any(feature = "glsl", feature = "spirv"))]
mod inputs;
pub mod limits;
mod nesting;
pub mod preprocess;
pub mod rust;
#[cfg(feature = "spirv")]
pub mod spirv;
pub mod wgsl;

use crate::diagnostic::{Diagnostic, Result};

pub use crate::program::Parsed;

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// WGSL, and what has no name that says otherwise.
    Wgsl,
    /// Rust.
    Rust,
    /// SPIR-V.
    Spirv,
    /// GLSL, of a compute shader.
    Glsl,
}

impl Kind {
    /// The endings of files that are taken.
    pub const ENDINGS: &[&str] = &[
        "wgsl",
        "rs",
        #[cfg(feature = "spirv")]
        "spv",
        #[cfg(feature = "glsl")]
        "comp",
        #[cfg(feature = "glsl")]
        "glsl",
    ];

    /// What a file of this name, and with these contents, is written in.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        // SPIR-V says so itself, wherever it comes from.
        let magic = [0x0723_0203_u32.to_le_bytes(), 0x0723_0203_u32.to_be_bytes()];
        match ending.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "spv" => Self::Spirv,
            "comp" | "glsl" => Self::Glsl,
            _ if magic.iter().any(|magic| bytes.starts_with(magic)) => Self::Spirv,
            _ => Self::Wgsl,
        }
    }
}

/// Parses a file that is a program: of any kind but Rust, whose files hold several. `beside` gives the texts
/// of files that it names and does not hold.
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    beside: &dyn Fn(&str) -> Option<String>,
) -> Result<Parsed> {
    let kind = Kind::of(name, bytes);
    let _span = tracing::info_span!("front", language = ?kind, bytes = bytes.len()).entered();
    match kind {
        #[cfg(feature = "spirv")]
        Kind::Spirv => spirv::parse_bytes(name, bytes, beside),
        #[cfg(not(feature = "spirv"))]
        Kind::Spirv => {
            let _ = beside;
            Err(Box::new(not_built(name, "SPIR-V", "spirv")))
        }
        #[cfg(feature = "glsl")]
        Kind::Glsl => glsl::parse_bytes(name, bytes),
        #[cfg(not(feature = "glsl"))]
        Kind::Glsl => Err(Box::new(not_built(name, "GLSL", "glsl"))),
        Kind::Wgsl | Kind::Rust => wgsl::parse_bytes(name, bytes),
    }
}

#[cfg(not(all(feature = "glsl", feature = "spirv")))]
fn not_built(name: &str, language: &str, feature: &str) -> Diagnostic {
    let error =
        Diagnostic::new(format!("`{name}` is {language}, for which this hirace was not built"));
    error.help(format!("build it with the feature `{feature}`"))
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
