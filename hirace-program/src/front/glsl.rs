//! GLSL compute shaders: naga's front end, with additions for the parts of GLSL that it does not support.
//!
//! Atomic functions and fences are declared for naga (`prelude`), and calls of them are replaced in the resulting module
//! (`calls`). Memory that atomics access gets atomic types (`types`), and loads are narrowed (`narrow`) to the parts that are
//! used. `barrier()` synchronizes the workgroup and orders shared variables and the memory that a preceding fence names; naga
//! would make it order all memory, also among subgroups.

mod calls;
mod lines;
mod macros;
mod narrow;
pub mod origin;
mod prelude;
mod tokens;
mod types;

use super::{BrokenText, ParsedModule, inputs, limits};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::{guard, validate};
use crate::pass::specialise::specialise;
use crate::program::{Origin as _, UnmodelledOrdering};
use crate::source_map::{SourceMap, Span};
use naga::front::glsl::{Error, ErrorKind, Frontend, Options};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};
use origin::Origin;
use prelude::DeclaredText;
use std::sync::Arc;

/// Parses a GLSL file, which reports call `name`.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<ParsedModule> {
    parse(name, super::decode(name, bytes)?)
}

/// Parses GLSL text, which reports call `name`.
pub fn parse(name: &str, text: &str) -> Result<ParsedModule> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = SourceMap::new(name, text);
    let mut origin = Origin::new(DeclaredText::new(text), source.clone());
    let mut module = module(&DeclaredText::new(text).text, &origin, &source)?;
    let (info, unfollowed) = finished(&mut module, &source).map_err(|error| {
        let error = origin.diagnostic(error);
        Box::new(if error.help.is_none() { error.help(instead(&source)) } else { *error })
    })?;
    origin.unfollowed = unfollowed;
    Ok(ParsedModule { module, info, source, origin: Arc::new(origin), warnings: Vec::new() })
}

fn module(text: &str, origin: &Origin, source: &SourceMap) -> Result<Module> {
    let options = Options::from(ShaderStage::Compute);
    let parsed = guard::run(|| -> Result<Module> {
        tokens::check(text, origin, source)?;
        let parsed = Frontend::default().parse(&options, text);
        let module = parsed.map_err(|errors| refused(errors.errors.first(), origin, source))?;
        limits::check(&module, source).map_err(|error| origin.diagnostic(error))?;
        Ok(module)
    });
    match parsed {
        Ok(module) => module,
        Err(panic) => {
            let error = Diagnostic::new(format!("cannot parse `{}`", source.name()));
            let error = error.note(format!("naga, which hirace parses GLSL with, failed: {panic}"));
            Err(Box::new(error.help(instead(source))))
        }
    }
}

/// Names that only shaders of other stages use.
const OTHER_STAGES: [&str; 7] = [
    "gl_Position",
    "gl_PointSize",
    "gl_VertexI",
    "gl_InstanceI",
    "gl_Frag",
    "gl_PointCoord",
    "gl_TessCoord",
];

/// Returns whether an error is about a name that the text does not define.
fn is_undefined(kind: &ErrorKind) -> bool {
    match kind {
        ErrorKind::UnknownVariable(_) | ErrorKind::UnknownType(_) => true,
        ErrorKind::SemanticError(message) => message.starts_with("Unknown function"),
        _ => false,
    }
}

/// Creates the diagnostic for a text that naga cannot parse.
fn refused(error: Option<&Error>, origin: &Origin, source: &SourceMap) -> Box<Diagnostic> {
    let message = error.map_or("invalid GLSL".to_owned(), |error| error.kind.to_string());
    let mut characters = message.chars();
    let first = characters.next().map(|c| c.to_ascii_lowercase());
    let message: String = first.into_iter().chain(characters).collect();
    let span = error.map_or(Span::default(), |error| origin.span(Span::from(error.meta)));
    let mut refused = match span.is_empty() {
        true => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
        false => Diagnostic::at(source, span, message),
    };
    let text = source.text();
    let broken = BrokenText {
        has_kernel: text.contains("local_size_"),
        has_other_stage: OTHER_STAGES.iter().any(|name| text.contains(name)),
        is_undefined: error.is_some_and(|error| is_undefined(&error.kind)),
    };
    if broken.is_skipped_in_folders() {
        refused = refused.of_no_kernel();
    }
    Box::new(refused.help(instead(source)))
}

/// Returns the help text that recommends compiling to SPIR-V, which supports all of GLSL.
fn instead(source: &SourceMap) -> String {
    let name = source.name();
    format!(
        "naga, which hirace parses GLSL with, supports only part of the language; compile the shader to \
         SPIR-V: `glslangValidator -V -g {name} -o shader.spv`, then check shader.spv"
    )
}

fn finished(
    module: &mut Module,
    source: &SourceMap,
) -> Result<(naga::valid::ModuleInfo, Option<UnmodelledOrdering>)> {
    let at = |span: naga::Span, message: &str| {
        Box::new(Diagnostic::at(source, Span::from(span), message))
    };
    blocks(module);
    inputs::restore(module);
    let rewritten = guard::run(|| {
        let unfollowed = calls::rewrite(module)?;
        types::upgrade(module).map(|()| unfollowed)
    });
    let unfollowed = match rewritten {
        Ok(Ok(unfollowed)) => unfollowed,
        Ok(Err(span)) => return Err(at(span, "unsupported call")),
        Err(panic) => return Err(Box::new(validate::naga_failed(source, &panic))),
    };
    specialise(module, source)?;
    Ok((validate::validate(module, source, validate::Layouts::Wgsl)?, unfollowed))
}

/// Gives unnamed blocks the name of their type, and makes all buffers readable.
fn blocks(module: &mut Module) {
    let types = &module.types;
    for (_, variable) in module.global_variables.iter_mut() {
        if variable.name.is_none() {
            variable.name.clone_from(&types[variable.ty].name);
        }
        // naga's validator rejects write-only buffers.
        if let AddressSpace::Storage { access } = &mut variable.space {
            *access |= StorageAccess::LOAD;
        }
    }
}
