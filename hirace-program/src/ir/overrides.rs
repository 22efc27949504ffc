//! Pipeline-overridable constants: given values, and the module in which they are replaced by them.

use super::{guard, validate};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{self, PipelineConstantError};
use naga::proc::IndexableLength;
use naga::valid::ModuleInfo;
use naga::{ArraySize, Handle, Module, Override, Type, TypeInner};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Given override values, and the source that errors about them refer to.
#[derive(Clone, Copy, Debug)]
pub struct OverrideValues<'a> {
    /// Values by the override's name in the source. An override with an `@id` may also be given by its number.
    pub values: &'a BTreeMap<String, f64>,
    /// The name of the module.
    pub file: &'a str,
    /// The text that the module's spans refer to.
    pub source: &'a SourceMap,
}

impl OverrideValues<'_> {
    /// Returns the values by the keys that naga expects: the `@id` of an override that has one, otherwise its name. Returns an
    /// error for a value of an override that `module` does not have.
    pub fn keys(&self, module: &Module) -> Result<PipelineConstants> {
        let mut constants = PipelineConstants::default();
        for (name, value) in self.values {
            let found = module.overrides.iter().find(|(_, o)| {
                o.name.as_deref() == Some(name) || o.id.is_some_and(|id| id.to_string() == *name)
            });
            let Some((_, found)) = found else {
                let overrides = module.overrides.iter();
                let names: Vec<&str> = overrides.filter_map(|(_, o)| o.name.as_deref()).collect();
                return Err(Box::new(unknown(self.file, name, &names)));
            };
            let key = found.id.map_or_else(|| name.clone(), |id| id.to_string());
            constants.insert(key, *value);
        }
        Ok(constants)
    }
}

/// Returns `module` with every override replaced by its value. `keys` are the keys of the given values. naga rebuilds the
/// statements and expressions and keeps only their spans.
pub fn resolve(
    module: &Module,
    info: &ModuleInfo,
    given: OverrideValues<'_>,
    keys: &PipelineConstants,
) -> Result<(Module, ModuleInfo)> {
    let _span = tracing::trace_span!("resolve", values = given.values.len()).entered();
    let processed = guard::run(|| {
        let (module, info) =
            pipeline_constants::process_overrides(module, info, None, keys).map_err(Box::new)?;
        Ok::<_, Box<PipelineConstantError>>((module.into_owned(), info.into_owned()))
    });
    let (mut resolved, info) = match processed {
        Ok(Ok(resolved)) => resolved,
        Ok(Err(error)) => return Err(Box::new(failed(&error, module, given))),
        Err(panic) => return Err(Box::new(validate::naga_failed(given.source, &panic))),
    };
    if resolved.overrides.is_empty() {
        return Ok((resolved, info));
    }
    fix_sizes(&mut resolved, given.source)?;
    resolved.overrides = naga::Arena::new();
    let info = validate::validate(&resolved, given.source, validate::Layouts::Scalar)?;
    Ok((resolved, info))
}

/// Creates the diagnostic for a value of an unknown override of `file`, whose overrides are `names`.
pub fn unknown(file: &str, name: &str, names: &[&str]) -> Diagnostic {
    let result = Diagnostic::new(format!("`{file}` has no override `{name}`"));
    let nearest = names
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
    match nearest {
        None => result.note("it declares no overrides"),
        Some(near) if strsim::jaro_winkler(name, near) > 0.7 => {
            result.help(format!("did you mean `{near}`?"))
        }
        Some(_) => result.note(format!("its overrides are `{}`", names.join("`, `"))),
    }
}

fn failed(error: &PipelineConstantError, module: &Module, given: OverrideValues<'_>) -> Diagnostic {
    let OverrideValues { values, source, .. } = given;
    match error {
        PipelineConstantError::MissingValue(key) => {
            let (handle, name) = declared(module, key);
            let span = handle.map(|h| Span::from(module.overrides.get_span(h)));
            Diagnostic::at(
                source,
                span.unwrap_or_default(),
                format!("no value given for override `{name}`"),
            )
            .help(format!("give one: `--override {name}=VALUE`"))
        }
        PipelineConstantError::ValidationError(error) => validate::diagnostic(error, source),
        other => {
            let mut result =
                Diagnostic::new(format!("the overrides cannot have these values: {other}"));
            result.source_map = Some(source.clone());
            let given: Vec<_> =
                values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            if given.is_empty() {
                result
            } else {
                result.note(format!("given: {}", given.join(", ")))
            }
        }
    }
}

/// Returns the override that naga calls `key`, and the name to show for it.
fn declared(module: &Module, key: &str) -> (Option<Handle<Override>>, String) {
    let found = module.overrides.iter().find(|(_, o)| match o.id {
        Some(id) => id.to_string() == key,
        None => o.name.as_deref() == Some(key),
    });
    let name = found.and_then(|(_, o)| o.name.clone()).unwrap_or_else(|| key.to_owned());
    (found.map(|(handle, _)| handle), name)
}

/// Writes the override-dependent sizes of arrays into their types. naga leaves `array<T, N>` with the override `N` in the types,
/// and later code must not meet an unknown size.
fn fix_sizes(module: &mut Module, source: &SourceMap) -> Result<()> {
    let pending: Vec<(Handle<Type>, Type)> = module
        .types
        .iter()
        .filter(|(_, ty)| matches!(ty.inner, TypeInner::Array { size: ArraySize::Pending(_), .. }))
        .map(|(handle, ty)| (handle, ty.clone()))
        .collect();
    for (handle, mut ty) in pending {
        let TypeInner::Array { size: size @ ArraySize::Pending(_), .. } = &mut ty.inner else {
            continue;
        };
        let ArraySize::Pending(of) = *size else { continue };
        let known = match size.resolve(module.to_ctx()) {
            Ok(IndexableLength::Known(length)) => NonZeroU32::new(length),
            _ => None,
        };
        let Some(length) = known else {
            let span = Span::from(module.overrides.get_span(of));
            return Err(Box::new(Diagnostic::at(
                source,
                span,
                "this array length is not positive",
            )));
        };
        *size = ArraySize::Constant(length);
        // A type with the same length may exist, and types must be unique, so this one gets a name.
        ty.name.get_or_insert_with(|| format!("override_sized_{}", handle.index()));
        module.types.replace(handle, ty);
    }
    Ok(())
}
