//! Pipeline overrides: given values, and the module in which they are constants.

use super::{Parsed, guard, validate};
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{self, PipelineConstantError};
use naga::proc::IndexableLength;
use naga::valid::ModuleInfo;
use naga::{ArraySize, Handle, Module, Override, Type, TypeInner};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The module of `parsed` with every override replaced by its value. Names in `values` are those of
/// the source; an override with an `@id` may be given by its number too.
pub fn resolve(parsed: &Parsed, values: &BTreeMap<String, f64>) -> Result<(Module, ModuleInfo)> {
    let _span = tracing::trace_span!("resolve", values = values.len()).entered();
    let constants = keys(parsed, values)?;
    resolved(parsed, values, &constants).map_err(|error| match &parsed.origin {
        Some(origin) => origin.diagnostic(error),
        None => error,
    })
}

fn resolved(
    parsed: &Parsed,
    values: &BTreeMap<String, f64>,
    constants: &PipelineConstants,
) -> Result<(Module, ModuleInfo)> {
    let source = parsed.wgsl();
    let processed = guard::run(|| {
        let (module, info) =
            pipeline_constants::process_overrides(&parsed.module, &parsed.info, None, constants)
                .map_err(Box::new)?;
        Ok::<_, Box<PipelineConstantError>>((module.into_owned(), info.into_owned()))
    });
    let (mut module, info) = match processed {
        Ok(Ok(resolved)) => resolved,
        Ok(Err(error)) => return Err(Box::new(failed(&error, parsed, values))),
        Err(panic) => return Err(Box::new(validate::naga_failed(source, &panic))),
    };
    if module.overrides.is_empty() {
        return Ok((module, info));
    }
    fix_sizes(&mut module, source)?;
    module.overrides = naga::Arena::new();
    let info = validate::validate(&module, source)?;
    Ok((module, info))
}

/// `values` by the keys that naga wants: the `@id` of an override that has one, else its name.
fn keys(parsed: &Parsed, values: &BTreeMap<String, f64>) -> Result<PipelineConstants> {
    let mut constants = PipelineConstants::default();
    for (name, value) in values {
        let found = parsed.module.overrides.iter().find(|(_, o)| {
            o.name.as_deref() == Some(name) || o.id.is_some_and(|id| id.to_string() == *name)
        });
        let Some((_, found)) = found else {
            let overrides = parsed.module.overrides.iter();
            let names: Vec<&str> = overrides.filter_map(|(_, o)| o.name.as_deref()).collect();
            return Err(Box::new(unknown(parsed.source.name(), name, &names)));
        };
        let key = found.id.map_or_else(|| name.clone(), |id| id.to_string());
        constants.insert(key, *value);
    }
    Ok(constants)
}

/// The diagnostic for a value that is given to an override of `file` that it does not have, but `names`.
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

fn failed(
    error: &PipelineConstantError,
    parsed: &Parsed,
    values: &BTreeMap<String, f64>,
) -> Diagnostic {
    let source = parsed.wgsl();
    match error {
        PipelineConstantError::MissingValue(key) => {
            let (handle, name) = declared(&parsed.module, key);
            let span = handle.map(|h| Span::from(parsed.module.overrides.get_span(h)));
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

/// The override that naga calls `key`, and the name to show for it.
fn declared(module: &Module, key: &str) -> (Option<Handle<Override>>, String) {
    let found = module.overrides.iter().find(|(_, o)| match o.id {
        Some(id) => id.to_string() == key,
        None => o.name.as_deref() == Some(key),
    });
    let name = found.and_then(|(_, o)| o.name.clone()).unwrap_or_else(|| key.to_owned());
    (found.map(|(handle, _)| handle), name)
}

/// naga leaves `array<T, N>` with the override `N` in the types: writes the sizes there, so that
/// nobody after this meets one that is not known.
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
        // A type with the same length may exist: types must differ, so this one gets a name.
        ty.name.get_or_insert_with(|| format!("override_sized_{}", handle.index()));
        module.types.replace(handle, ty);
    }
    Ok(())
}
