//! Front ends: from the user's source to a valid module. The one for Rust is in the crate hirace-rust.
//!
//! Each front end returns a [`ParsedModule`]. [`crate::program::Program::new`] creates a program from it, and calls its
//! [`Origin`](crate::program::Origin) to map sites to the source. Errors in the input are diagnostics; no input may cause a panic
//! or an overflow.

#[cfg(feature = "spirv")]
pub mod glsl;
#[cfg(feature = "spirv")]
mod inputs;
#[cfg(feature = "spirv")]
mod lexer;
pub mod limits;
pub mod nesting;
pub mod preprocess;
#[cfg(feature = "spirv")]
pub mod spirv;
#[cfg(feature = "spirv")]
mod statements;
pub mod wgsl;

use crate::diagnostic::{Diagnostic, Result};

pub use crate::program::ParsedModule;

/// What is known about a text that cannot be parsed.
struct BrokenText {
    /// Whether it contains what each kernel has.
    has_kernel: bool,
    /// Whether it contains what only shaders of other stages have.
    has_other_stage: bool,
    /// Whether the error is that the text does not define a name.
    is_undefined: bool,
}

impl BrokenText {
    /// Returns whether a check of a folder skips the text, with a warning: a shader of another stage, or a part of others, which
    /// uses a name that they define. A file without a stage that has any other error is broken, and the check of its folder
    /// reports it. This is one rule for all languages and verbs.
    fn is_skipped_in_folders(&self) -> bool {
        !self.has_kernel && (self.is_undefined || self.has_other_stage)
    }
}

/// The kind of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// WGSL, and files whose name does not indicate another kind.
    Wgsl,
    /// Rust.
    Rust,
    /// SPIR-V.
    Spirv,
    /// GLSL compute shaders.
    Glsl,
    /// Programs in other languages than Rust, which may contain WGSL in strings.
    Host,
}

impl Kind {
    /// The supported file extensions.
    pub const EXTENSIONS: &[&str] = &[
        "wgsl",
        "rs",
        #[cfg(feature = "spirv")]
        "spv",
        #[cfg(feature = "spirv")]
        "comp",
        #[cfg(feature = "spirv")]
        "glsl",
        #[cfg(feature = "host")]
        "ts",
        #[cfg(feature = "host")]
        "tsx",
        #[cfg(feature = "host")]
        "mts",
        #[cfg(feature = "host")]
        "cts",
        #[cfg(feature = "host")]
        "js",
        #[cfg(feature = "host")]
        "jsx",
        #[cfg(feature = "host")]
        "mjs",
        #[cfg(feature = "host")]
        "cjs",
        #[cfg(feature = "host")]
        "html",
        #[cfg(feature = "host")]
        "htm",
        #[cfg(feature = "host")]
        "vue",
        #[cfg(feature = "host")]
        "svelte",
        #[cfg(feature = "host")]
        "py",
    ];

    /// Returns whether files of this kind may contain several programs: Rust, and programs with shaders in strings.
    pub fn is_host(self) -> bool {
        matches!(self, Self::Rust | Self::Host)
    }

    /// Returns the kind of a file with this name and these contents.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        // SPIR-V is recognized by its magic number, whatever its name.
        let magic = [0x0723_0203_u32.to_le_bytes(), 0x0723_0203_u32.to_be_bytes()];
        match ending.to_ascii_lowercase().as_str() {
            "rs" => Self::Rust,
            "spv" => Self::Spirv,
            "comp" | "glsl" => Self::Glsl,
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" | "html" | "htm"
            | "vue" | "svelte" | "py" => Self::Host,
            _ if magic.iter().any(|magic| bytes.starts_with(magic)) => Self::Spirv,
            _ => Self::Wgsl,
        }
    }
}

/// Parses a file that contains one program: of any kind except Rust, whose files contain several. `lookup` returns the texts of
/// files that the file refers to but does not contain.
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    lookup: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<ParsedModule> {
    let kind = Kind::of(name, bytes);
    let _span = tracing::info_span!("front", language = ?kind, bytes = bytes.len()).entered();
    match kind {
        #[cfg(feature = "spirv")]
        Kind::Spirv => spirv::parse_bytes(name, bytes, lookup),
        #[cfg(not(feature = "spirv"))]
        Kind::Spirv => {
            let _ = lookup;
            Err(Box::new(not_built(name, "SPIR-V", "spirv")))
        }
        #[cfg(feature = "spirv")]
        Kind::Glsl => glsl::parse_bytes(name, bytes, lookup),
        #[cfg(not(feature = "spirv"))]
        Kind::Glsl => Err(Box::new(not_built(name, "GLSL", "glsl"))),
        Kind::Wgsl | Kind::Rust | Kind::Host => wgsl::parse_bytes(name, bytes),
    }
}

#[cfg(not(feature = "spirv"))]
fn not_built(name: &str, language: &str, feature: &str) -> Diagnostic {
    let error = Diagnostic::new(format!(
        "`{name}` is {language}, which this build of hirace does not support"
    ));
    error.help(format!("build hirace with the feature `{feature}`"))
}

/// Returns the text of a file called `name`.
pub fn decode<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let line = bytes[..offset].iter().filter(|&&b| b == b'\n').count() + 1;
        Box::new(Diagnostic::new(format!(
            "`{name}` is not UTF-8: invalid byte at offset {offset} (0x{:02x}) in line {line}",
            bytes[offset]
        )))
    })
}
