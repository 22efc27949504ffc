//! GLSL compute shaders: naga's front end, and around it what it does not know of GLSL.
//!
//! Atomics and fences are declared (`prelude`) for it and put right (`calls`) in what it makes; memory that
//! atomics touch gets `types` for that, and loads are narrowed (`narrow`) to what is used. `barrier()`
//! gathers the workgroup and orders shared variables, and what a fence before it names: naga would have it order everything, among subgroups.

mod calls;
mod lines;
mod macros;
mod narrow;
pub mod origin;
mod prelude;
mod tokens;
mod types;

use super::{Parsed, inputs, limits};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::{guard, validate};
use crate::pass::specialise::specialise;
use crate::program::{Origin as _, Unfollowed};
use crate::source_map::{SourceMap, Span};
use naga::front::glsl::{Error, Frontend, Options};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};
use origin::Origin;
use prelude::Declared;
use std::sync::Arc;

/// Parses a GLSL file. `name` is what reports call it.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Parsed> {
    parse(name, super::decode(name, bytes)?)
}

/// Parses GLSL text. `name` is what reports call it.
pub fn parse(name: &str, text: &str) -> Result<Parsed> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = SourceMap::new(name, text);
    let mut origin = Origin::new(Declared::new(text), source.clone());
    let mut module = module(&Declared::new(text).text, &origin, &source)?;
    let (info, unfollowed) = finished(&mut module, &source).map_err(|error| {
        let error = origin.diagnostic(error);
        Box::new(if error.help.is_none() { error.help(instead(&source)) } else { *error })
    })?;
    origin.unfollowed = unfollowed;
    Ok(Parsed { module, info, source, origin: Arc::new(origin), warnings: Vec::new() })
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
            let error = Diagnostic::new(format!("hirace cannot read `{}`", source.name()));
            let error = error.note(format!("naga, which it reads GLSL with, says: {panic}"));
            Err(Box::new(error.help(instead(source))))
        }
    }
}

/// What to say of a text that naga does not parse.
fn refused(error: Option<&Error>, origin: &Origin, source: &SourceMap) -> Box<Diagnostic> {
    let message = error.map_or("this is not GLSL".to_owned(), |error| error.kind.to_string());
    let mut characters = message.chars();
    let first = characters.next().map(|c| c.to_ascii_lowercase());
    let message: String = first.into_iter().chain(characters).collect();
    let span = error.map_or(Span::default(), |error| origin.span(Span::from(error.meta)));
    let mut refused = match span.is_empty() {
        true => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
        false => Diagnostic::at(source, span, message),
    };
    // A part of others, or a shader of another stage.
    if !source.text().contains("local_size_") {
        refused = refused.of_no_kernel();
    }
    Box::new(refused.help(instead(source)))
}

/// The way that takes all of GLSL.
fn instead(source: &SourceMap) -> String {
    let name = source.name();
    format!(
        "hirace reads GLSL through naga, which does not know all of it; what compilers take, it takes as \
         SPIR-V: `glslangValidator -V -g {name} -o shader.spv`, then check shader.spv"
    )
}

fn finished(
    module: &mut Module,
    source: &SourceMap,
) -> Result<(naga::valid::ModuleInfo, Option<Unfollowed>)> {
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
        Ok(Err(span)) => return Err(at(span, "hirace does not understand this call")),
        Err(panic) => return Err(Box::new(validate::naga_failed(source, &panic))),
    };
    specialise(module, source)?;
    Ok((validate::validate(module, source)?, unfollowed))
}

/// A block without a name of its own goes by that of its type, and all buffers may be read.
fn blocks(module: &mut Module) {
    let types = &module.types;
    for (_, variable) in module.global_variables.iter_mut() {
        if variable.name.is_none() {
            variable.name.clone_from(&types[variable.ty].name);
        }
        // naga's validator knows no buffer that is only written.
        if let AddressSpace::Storage { access } = &mut variable.space {
            *access |= StorageAccess::LOAD;
        }
    }
}
