//! Parses the WGSL that was generated for kernels in Rust, and gives declarations their Rust names again.

use super::map::Map;
use super::origin::Origin;
use crate::diagnostic::{Diagnostic, Result};
use crate::front::{ParsedModule, wgsl};
use crate::program::Origin as _;
use crate::source_map::SourceMap;
use std::sync::Arc;

/// Parses `text`, the WGSL that was generated for the Rust `source`. `map` maps the text to the Rust, and `names` has the name of
/// each declaration in WGSL and in Rust.
pub fn parse_printed<S: AsRef<str>>(
    source: &SourceMap,
    text: &str,
    map: Map,
    names: &[(S, S)],
) -> Result<ParsedModule> {
    let origin = Origin::new(source, text, map);
    let mut parsed = match wgsl::parse(source.name(), text) {
        Ok(parsed) => parsed,
        Err(error) => return Err(invalid_wgsl(*origin.diagnostic(error))),
    };
    origin.make_fences(&mut parsed.module);
    rename(&mut parsed.module, names);
    Ok(ParsedModule { source: source.clone(), origin: Arc::new(origin), ..parsed })
}

/// Returns the diagnostic for generated WGSL that naga rejects.
fn invalid_wgsl(error: Diagnostic) -> Box<Diagnostic> {
    let message = format!("the WGSL generated for this is invalid: {}", error.message);
    let error = Diagnostic { message, ..error };
    Box::new(error.help("if this is valid Rust, it is a bug in hirace: report it"))
}

/// Renames the declarations of a module to their names in the Rust source.
fn rename<S: AsRef<str>>(module: &mut naga::Module, names: &[(S, S)]) {
    let rust = |wgsl: &str| {
        let pair = names.iter().find(|(name, _)| name.as_ref() == wgsl);
        pair.map(|(_, rust)| rust.as_ref().to_owned())
    };
    let change = |name: &mut Option<String>| {
        if let Some(rust) = name.as_deref().and_then(rust) {
            *name = Some(rust);
        }
    };
    module.global_variables.iter_mut().for_each(|(_, global)| change(&mut global.name));
    module.overrides.iter_mut().for_each(|(_, declared)| change(&mut declared.name));
    module.constants.iter_mut().for_each(|(_, constant)| change(&mut constant.name));
    module.functions.iter_mut().for_each(|(_, function)| change(&mut function.name));
    for entry in &mut module.entry_points {
        if let Some(rust) = rust(&entry.name) {
            entry.name = rust;
        }
    }
    let structs = module.types.iter().map(|(handle, _)| handle).collect::<Vec<_>>();
    for handle in structs {
        let mut ty = module.types[handle].clone();
        let type_name = ty.name.clone().unwrap_or_default();
        let naga::TypeInner::Struct { members, .. } = &mut ty.inner else { continue };
        for member in members {
            let name = member.name.as_deref().map(|name| format!("{type_name}.{name}"));
            if let Some(rust) = name.as_deref().and_then(rust) {
                member.name = Some(rust);
            }
        }
        if ty != module.types[handle] {
            module.types.replace(handle, ty);
        }
    }
}
