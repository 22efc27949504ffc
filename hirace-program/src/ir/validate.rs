//! naga's validator, with its errors as diagnostics whose message is the innermost reason.

use super::guard;
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};
use naga::valid::{
    Capabilities, EntryPointError, GlobalVariableError, ModuleInfo, ValidationError,
    ValidationFlags, Validator,
};
use naga::{AddressSpace, Module, StorageAccess, WithSpan};
use std::error::Error;

/// Returns the capabilities that programs may use: everything that naga supports except ray tracing and cooperative matrices,
/// which no executor runs. An executor rejects other unsupported features itself, with a name and a span.
pub fn capabilities() -> Capabilities {
    Capabilities::all()
        - Capabilities::RAY_QUERY
        - Capabilities::RAY_HIT_VERTEX_POSITION
        - Capabilities::RAY_TRACING_PIPELINE
        - Capabilities::COOPERATIVE_MATRIX
}

/// The layouts that buffers may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layouts {
    /// Those of WGSL.
    Wgsl,
    /// Scalars may also follow one another without padding, as SPIR-V permits (`scalarBlockLayout`) and WGSL cannot express.
    Scalar,
}

/// Validates `module`, which was built from `source`.
pub fn validate(module: &Module, source: &SourceMap, layouts: Layouts) -> Result<ModuleInfo> {
    validate_for(module, source, capabilities(), layouts)
}

/// Validates `module`, which was built from `source`, for a device with these capabilities.
pub fn validate_for(
    module: &Module,
    source: &SourceMap,
    capabilities: Capabilities,
    layouts: Layouts,
) -> Result<ModuleInfo> {
    let _span = tracing::trace_span!("validate").entered();
    let validated = guard::run(|| {
        let all = Validator::new(ValidationFlags::all(), capabilities).validate(module);
        all.map_err(Box::new)
            .or_else(|error| with_other_layouts(module, capabilities, layouts, error))
    });
    match validated {
        Ok(Ok(info)) => Ok(info),
        Ok(Err(error)) => Err(Box::new(diagnostic(&error, source))),
        Err(panic) => Err(Box::new(naga_failed(source, &panic))),
    }
}

/// Validates a module that naga rejected because of the layout of a buffer. WGSL permits the layout of a storage buffer for a
/// uniform buffer (`uniform_buffer_standard_layout`), and naga does not. Returns the given error if there is another reason.
fn with_other_layouts(
    module: &Module,
    capabilities: Capabilities,
    layouts: Layouts,
    error: Box<WithSpan<ValidationError>>,
) -> std::result::Result<ModuleInfo, Box<WithSpan<ValidationError>>> {
    let space = match error.as_inner() {
        ValidationError::GlobalVariable {
            source: GlobalVariableError::Alignment(space, ..),
            ..
        } => *space,
        _ => return Err(error),
    };
    let validate = |flags, module: &Module| {
        Validator::new(flags, capabilities).validate(module).map_err(Box::new)
    };
    if layouts == Layouts::Wgsl {
        if space != AddressSpace::Uniform {
            return Err(error);
        }
        let mut as_storage = module.clone();
        for (_, variable) in as_storage.global_variables.iter_mut() {
            if variable.space == AddressSpace::Uniform {
                variable.space = AddressSpace::Storage { access: StorageAccess::LOAD };
            }
        }
        validate(ValidationFlags::all(), &as_storage)?;
    }
    validate(ValidationFlags::all() - ValidationFlags::STRUCT_LAYOUTS, module)
}

/// Creates the diagnostic for a panic of naga.
pub fn naga_failed(source: &SourceMap, panic: &str) -> Diagnostic {
    let mut failed = Diagnostic::new(format!("naga failed on `{}`", source.name()))
        .note(format!("the panic message is: {panic}"))
        .help("this is a bug in naga, the WGSL compiler that hirace builds on; reduce the file until it passes");
    failed.source_map = Some(source.clone());
    failed
}

/// Creates the diagnostic for an error of naga's validator. naga's outer errors name the invalid function and become notes. The
/// innermost error gives the reason and becomes the message.
pub fn diagnostic(error: &WithSpan<ValidationError>, source: &SourceMap) -> Diagnostic {
    let mut reasons = vec![error.as_inner().to_string()];
    let mut cause: Option<&dyn Error> = error.as_inner().source();
    while let Some(inner) = cause {
        reasons.push(inner.to_string());
        cause = inner.source();
    }
    let message = reasons.pop().unwrap_or_default();
    let missing = message.strip_prefix("Capability Capabilities(");
    let mut result = Diagnostic::new(match missing.and_then(|rest| rest.split(')').next()) {
        Some(capability) => format!("hirace does not run programs that need {capability}"),
        None => without_handles(&message),
    });
    result.source_map = Some(source.clone());
    let mut places = places(error);
    if let (true, ValidationError::EntryPoint { name, source: error, .. }) =
        (places.is_empty(), error.as_inner())
    {
        let is_size = matches!(error, EntryPointError::OutOfRangeWorkgroupSize);
        let place = entry_point(source.text(), name, is_size);
        places.extend(place.map(|span| (span, String::new())));
    }
    for (span, text) in places {
        result = result.label(span, text);
    }
    // Drops naga's `Expression [5] is invalid`, because a label shows the expression.
    reasons.retain(|reason| !reason.starts_with("Expression ["));
    for outer in reasons.into_iter().rev() {
        result = result.note(without_handles(&outer));
    }
    result
}

/// Returns the spans of an error, inner ones first, without unlabeled spans that only enclose others.
fn places(error: &WithSpan<ValidationError>) -> Vec<(Span, String)> {
    let all: Vec<(Span, String)> =
        error.spans().map(|(span, text)| (Span::from(*span), label(text))).collect();
    let holds = |outer: Span, inner: Span| {
        outer != inner && outer.start <= inner.start && inner.end <= outer.end
    };
    let mut places: Vec<(Span, String)> = Vec::new();
    for (span, text) in all.iter().rev() {
        let only_holds = text.is_empty() && all.iter().any(|(inner, _)| holds(*span, *inner));
        if !only_holds && !places.contains(&(*span, text.clone())) {
            places.push((*span, text.clone()));
        }
    }
    places
}

/// Finds an entry point in WGSL or GLSL: its name, or the attribute with its workgroup size. naga has no span for either.
fn entry_point(text: &str, name: &str, is_size: bool) -> Option<Span> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (at, _) = text.match_indices(name).find(|&(at, _)| {
        let before = text[..at].trim_end();
        let declares = ["fn", "void"].iter().any(|word| before.ends_with(word));
        declares && before.len() < at && !text[at + name.len()..].starts_with(is_word)
    })?;
    let span = |start: usize, end: usize| Span::new(start as u32, end as u32);
    let attribute = || {
        let start = text[..at].rfind("@workgroup_size")?;
        let end = start + text[start..at].find(')')? + 1;
        Some(span(start, end))
    };
    is_size.then(attribute).flatten().or(Some(span(at, at + name.len())))
}

/// Returns the label text for a span. naga labels some spans with the names of its own types and handles (`naga::ir::Expression
/// [5]`), which are meaningless to a user and are dropped.
fn label(text: &str) -> String {
    if text.starts_with("naga::") { String::new() } else { without_handles(text) }
}

/// Removes the numbers of handles from a message of naga such as `Function [0] 'f' is invalid`.
fn without_handles(message: &str) -> String {
    let mut words = Vec::new();
    for word in message.split(' ') {
        let handle = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if !handle.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
            words.push(word);
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::entry_point;

    #[test]
    fn an_entry_point_is_found_by_its_name() {
        let text = "fn mainly() {}\n@compute @workgroup_size(70000, N)\nfn main() { mainly(); }";
        let shown = |name, is_size| {
            entry_point(text, name, is_size)
                .map(|span| &text[span.start as usize..span.end as usize])
        };
        assert_eq!(shown("main", true), Some("@workgroup_size(70000, N)"));
        assert_eq!(shown("main", false), Some("main"));
        assert_eq!(shown("mainly", true), Some("mainly"));
        assert_eq!(shown("other", false), None);
    }
}
