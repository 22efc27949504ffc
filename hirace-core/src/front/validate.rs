//! naga's validator, with its errors as diagnostics that say the innermost reason.

use super::guard;
use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Module, WithSpan};
use std::error::Error;

/// What programs may use: all that naga knows. What an executor cannot run it refuses itself, by
/// name and place.
pub fn capabilities() -> Capabilities {
    Capabilities::all()
}

/// Validates `module`, which came from `source`.
pub fn validate(module: &Module, source: &SourceMap) -> Result<ModuleInfo> {
    let validated = guard::run(|| {
        Validator::new(ValidationFlags::all(), capabilities()).validate(module).map_err(Box::new)
    });
    match validated {
        Ok(Ok(info)) => Ok(info),
        Ok(Err(error)) => Err(Box::new(diagnostic(&error, source))),
        Err(panic) => Err(Box::new(naga_failed(source, &panic))),
    }
}

/// The diagnostic for a panic of naga.
pub fn naga_failed(source: &SourceMap, panic: &str) -> Diagnostic {
    let mut failed = Diagnostic::new(format!("naga failed on `{}`", source.name()))
        .note(format!("it said: {panic}"))
        .help("this is a bug in naga, the WGSL compiler that hirace builds on; reduce the file until it passes");
    failed.source_map = Some(source.clone());
    failed
}

/// The diagnostic for an error of naga's validator. Its outer errors say which function is invalid,
/// the innermost says why: that is the message, the others are notes.
pub fn diagnostic(error: &WithSpan<ValidationError>, source: &SourceMap) -> Diagnostic {
    let mut reasons = vec![error.as_inner().to_string()];
    let mut cause: Option<&dyn Error> = error.as_inner().source();
    while let Some(inner) = cause {
        reasons.push(inner.to_string());
        cause = inner.source();
    }
    reasons.dedup();
    let message = reasons.pop().unwrap_or_default();
    let mut result = Diagnostic::new(message);
    result.source_map = Some(source.clone());
    for (span, text) in error.spans() {
        result = result.label(Span::from(*span), label(text));
    }
    for outer in reasons.into_iter().rev() {
        result = result.note(format!("because of this: {outer}"));
    }
    result
}

/// naga labels places with the names of its own types and handles (`naga::ir::Expression [5]`), which say
/// nothing to a user; those with words are kept.
fn label(text: &str) -> String {
    if text.starts_with("naga::") { String::new() } else { text.to_owned() }
}
