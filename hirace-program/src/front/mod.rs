//! Front ends: from what the user wrote to a valid module with its source.
//!
//! Each front end ends in a [`Parsed`]; [`crate::program::Program::new`] makes a program of it. Whatever
//! is wrong with the input is a diagnostic by then; nothing in an input may panic or overflow.

#[cfg(feature = "glsl")]
pub mod glsl;
pub mod guard;
#[cfg(any(feature = "glsl", feature = "spirv"))]
mod inputs;
pub mod limits;
mod moved;
pub mod origin;
pub mod overrides;
pub mod rust;
#[cfg(feature = "spirv")]
pub mod spirv;
pub mod validate;
pub mod wgsl;

use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::SourceMap;
use origin::Origin;
use std::borrow::Cow;
use std::sync::Arc;

/// `f32::MAX`, exactly.
const F32_MAX: &str = "0x1.fffffep+127f";

/// What a front end makes of an input: a valid module whose overrides are still open.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The module. No function takes pointers to storage or workgroup memory, or textures.
    pub module: naga::Module,
    /// What naga's validator found out about it.
    pub info: naga::valid::ModuleInfo,
    /// The text it came from.
    pub source: SourceMap,
    /// What it was made from, if that is not WGSL. Until overrides have their values
    /// ([`Program`](crate::program::Program)), spans in `module` are those that this knows.
    pub origin: Option<Arc<Origin>>,
    /// What is to be known of the source before its findings are believed.
    pub warnings: Vec<Diagnostic>,
}

impl Parsed {
    /// The text that the module was parsed from: the source itself, or what was printed for it.
    pub fn wgsl(&self) -> &SourceMap {
        self.origin.as_ref().and_then(|origin| origin.wgsl()).unwrap_or(&self.source)
    }

    /// Its WGSL: the text that the module was parsed from, or if that was not WGSL, the module
    /// [`written`](Self::written).
    pub fn plain(&self) -> Result<Cow<'_, str>> {
        match self.origin.as_ref().is_none_or(|origin| origin.wgsl().is_some()) {
            true => Ok(Cow::Borrowed(self.wgsl().text())),
            false => self.written().map(Cow::Owned),
        }
    }

    /// The names of its compute entry points.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let entries = self.module.entry_points.iter();
        let compute = entries.filter(|entry| entry.stage == naga::ShaderStage::Compute);
        compute.map(|entry| entry.name.as_str())
    }

    /// The module as WGSL. naga's writer does not know all that its front ends do (ray queries, for one),
    /// and then panics; and it has no word for fences.
    pub fn written(&self) -> Result<String> {
        let mut module = self.module.clone();
        for (_, function) in module.functions.iter_mut() {
            without_fences(&mut function.body);
        }
        for entry in &mut module.entry_points {
            without_fences(&mut entry.function.body);
        }
        let flags = naga::back::wgsl::WriterFlags::empty();
        let written = guard::run(|| naga::back::wgsl::write_string(&module, &self.info, flags));
        let reason = match written {
            // As naga writes `f32::MAX` it is rounded up, and too large for other compilers.
            Ok(Ok(text)) => return Ok(text.replace(&format!("{}f", f32::MAX), F32_MAX)),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        let name = self.source.name();
        let error = Diagnostic::new(format!("`{name}` cannot be written as WGSL"));
        Err(Box::new(error.note(format!("naga's writer said: {reason}"))))
    }
}

/// Takes out memory barriers: WGSL has none, and naga's writer makes control barriers of them.
fn without_fences(block: &mut naga::Block) {
    let is_fence =
        |statement: &naga::Statement| matches!(statement, naga::Statement::MemoryBarrier(_));
    while let Some(at) = block.iter().position(is_fence) {
        block.cull(at..=at);
    }
    for statement in block.iter_mut() {
        for inner in crate::ir::operands::children(statement) {
            without_fences(inner);
        }
    }
}

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// WGSL, and what has no name that tells.
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
