//! What a program was made from, if that is not WGSL, and how what is known of it is moved there.

use super::{Parsed, rust, wgsl};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::sites::Sites;
use crate::program::{Guess, Language};
use crate::source_map::SourceMap;
use naga::Module;
use std::collections::BTreeMap;

/// Where spans of a parsed module lead, until it is a [`Program`](crate::program::Program).
#[derive(Clone, Debug)]
pub enum Origin {
    /// The WGSL that was printed for Rust.
    Rust(rust::origin::Origin),
    /// The words of a SPIR-V module.
    #[cfg(feature = "spirv")]
    Spirv(super::spirv::origin::Origin),
    /// A text of GLSL, with declarations.
    #[cfg(feature = "glsl")]
    Glsl(super::glsl::origin::Origin),
}

impl Origin {
    /// The WGSL that was printed.
    pub fn wgsl(&self) -> Option<&SourceMap> {
        match self {
            Self::Rust(origin) => Some(&origin.wgsl),
            #[cfg(feature = "spirv")]
            Self::Spirv(_) => None,
            #[cfg(feature = "glsl")]
            Self::Glsl(_) => None,
        }
    }

    /// What the source is written in.
    pub fn language(&self) -> Language {
        match self {
            Self::Rust(_) => Language::Rust,
            #[cfg(feature = "spirv")]
            Self::Spirv(origin) => origin.language(),
            #[cfg(feature = "glsl")]
            Self::Glsl(_) => Language::GlslLines,
        }
    }

    /// Why races that are found may be none.
    pub fn doubt(&self) -> Option<String> {
        match self {
            #[cfg(feature = "spirv")]
            Self::Spirv(origin) => origin.doubt(),
            _ => None,
        }
    }

    /// What was guessed of the program itself.
    pub fn guessed(&self) -> Option<Guess> {
        match self {
            #[cfg(feature = "spirv")]
            Self::Spirv(origin) => origin.guessed(),
            _ => None,
        }
    }

    /// The program under these values of its overrides, where the parsed module has none of them left open.
    pub fn specialised(&self, values: &BTreeMap<String, f64>) -> Option<Result<Parsed>> {
        match self {
            #[cfg(feature = "spirv")]
            Self::Spirv(origin) if !values.is_empty() => Some(origin.specialised(values)),
            _ => {
                let _ = values;
                None
            }
        }
    }

    /// A diagnostic whose labels are spans of the parsed module, as one of the source.
    pub fn diagnostic(&self, diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
        match self {
            Self::Rust(origin) => origin.diagnostic(diagnostic),
            #[cfg(feature = "spirv")]
            Self::Spirv(origin) => origin.diagnostic(diagnostic),
            #[cfg(feature = "glsl")]
            Self::Glsl(origin) => origin.diagnostic(diagnostic),
        }
    }

    /// Moves `sites` and `module` to the source, and says of accesses and barriers what they are there.
    pub fn place(&self, sites: &mut Sites, module: &mut Module) {
        match self {
            Self::Rust(origin) => {
                wgsl::spans::mend(sites, module, &origin.wgsl);
                origin.move_sites(sites);
                origin.move_module(module);
            }
            #[cfg(feature = "spirv")]
            Self::Spirv(origin) => origin.place(sites, module),
            #[cfg(feature = "glsl")]
            Self::Glsl(origin) => origin.place(sites, module),
        }
    }
}
