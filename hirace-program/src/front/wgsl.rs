//! The WGSL front end: naga's parser, with checks that make it safe and helpful for arbitrary files.

mod atomics;
mod constants;
pub mod dereferences;
mod extensions;
mod internal;
pub mod origin;
mod rewrite;
pub mod spans;
pub mod template;
pub mod tokens;

use super::nesting::{self, Part, Reader};
use super::{BrokenText, ParsedModule, limits};
use crate::diagnostic::{Diagnostic, Result};
use crate::ir::spans::move_spans;
use crate::ir::{guard, validate};
use crate::pass::specialize::specialize;
use crate::source_map::{SourceMap, Span};
use naga::front::wgsl::ParseError;
use naga::{Module, ShaderStage};
use origin::Origin;
use rewrite::{Edit, Rewritten};
use std::sync::Arc;
use tokens::{TokenKind, Tokens};

/// Parses a WGSL file, which reports call `name`.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<ParsedModule> {
    parse(name, super::decode(name, bytes)?)
}

/// Parses WGSL text, which reports call `name`.
pub fn parse(name: &str, text: &str) -> Result<ParsedModule> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse_source(SourceMap::new(name, text))
}

/// Parses the WGSL text of a source, which may consist of several files.
pub fn parse_source(source: SourceMap) -> Result<ParsedModule> {
    let text = source.text();
    let tokens = Tokens::new(text);
    let parts = tokens.all().map(|index| (part(&tokens, index), index));
    nesting::check(Reader::Naga, parts, |index| tokens.span(index), &source)?;
    constants::check(&tokens, &source)?;
    let extensions = extensions::rewrite(&tokens, &source)?;
    let parsed = guard::run(|| -> Result<Module> {
        let module = parse_module(&tokens, extensions.edits, &source)?;
        limits::check(&module, &source)?;
        Ok(module)
    });
    let mut module = match parsed {
        Ok(module) => module?,
        Err(panic) => return Err(Box::new(validate::naga_failed(&source, &panic))),
    };
    require_compute(&module, &source)?;
    specialize(&mut module, &source)?;
    atomics::check(&module, &source)?;
    let info = validate::validate(&module, &source, validate::Layouts::Wgsl)?;
    let origin = Arc::new(Origin::new(source.clone(), extensions.subgroup_sizes));
    Ok(ParsedModule { module, info, source, origin, warnings: Vec::new() })
}

/// The maximum number of assignments to swizzles in a text. naga parses the text again after each of them.
const MAX_SWIZZLES: usize = 100;

/// Parses the text of a source with naga after these edits. Spans of the module are in the original text.
fn parse_module(tokens: &Tokens<'_>, mut edits: Vec<Edit>, source: &SourceMap) -> Result<Module> {
    for _ in 0..=MAX_SWIZZLES {
        if edits.is_empty() {
            match naga::front::wgsl::parse_str(source.text()) {
                Ok(module) => return Ok(module),
                Err(error) => match swizzle(&error, tokens, |span| span) {
                    Some(edit) => edits.push(edit),
                    None => return Err(refused(&error, tokens, source, |span| span)),
                },
            }
            continue;
        }
        let rewritten = Rewritten::new(source.text(), edits.clone());
        let original = |span| rewritten.original(span);
        match naga::front::wgsl::parse_str(&rewritten.text) {
            Ok(mut module) => {
                move_spans(&mut module, &|span| {
                    let Span { start, end } = original(Span::from(span));
                    naga::Span::new(start, end)
                });
                return Ok(module);
            }
            Err(error) => match swizzle(&error, tokens, original) {
                Some(edit) if !edits.contains(&edit) => edits.push(edit),
                _ => return Err(refused(&error, tokens, source, original)),
            },
        }
    }
    let message = format!("more than {MAX_SWIZZLES} assignments to swizzles");
    Err(Box::new(Diagnostic::new(message)))
}

/// Returns the edit for an assignment to a swizzle, if naga rejected a text because of one.
fn swizzle(
    error: &ParseError,
    tokens: &Tokens<'_>,
    original: impl Fn(Span) -> Span,
) -> Option<Edit> {
    let is_swizzle = error.notes().any(|note| note.contains("assignments to swizzles"));
    let (left, _) = error.labels().next().filter(|_| is_swizzle)?;
    extensions::swizzle_assignment(tokens, original(Span::from(left)))
}

/// Creates the diagnostic for a text that naga cannot parse. `original` maps spans of what naga parsed to the source.
fn refused(
    error: &ParseError,
    tokens: &Tokens<'_>,
    source: &SourceMap,
    original: impl Fn(Span) -> Span,
) -> Box<Diagnostic> {
    if let Some(template) = template::recognize(source, error.message()) {
        return Box::new(template);
    }
    let mut result = internal::recognize(error, tokens, source)
        .unwrap_or_else(|| parse_error(error, source, original));
    let is_undefined = error.message().starts_with("no definition in scope");
    let text = source.text();
    let broken = BrokenText {
        has_kernel: text.contains("@compute"),
        has_other_stage: text.contains("@vertex") || text.contains("@fragment"),
        is_undefined,
    };
    if broken.is_skipped_in_folders() {
        result = result.of_no_kernel();
    }
    if is_undefined {
        if broken.has_kernel {
            result = result.of_undefined();
        }
        result = result.help(
            "if another file defines it, check the text that the program passes to \
             `create_shader_module`: write it to a file",
        );
    }
    Box::new(result)
}

/// Returns the role of a token in the nesting of a text.
fn part(tokens: &Tokens<'_>, index: usize) -> Part {
    match tokens.text(index) {
        "(" | "[" => Part::Open,
        ")" | "]" => Part::Close,
        "{" => Part::Begin,
        "}" => Part::End,
        ";" => Part::Semicolon,
        "," => Part::Comma,
        "else" => Part::Else,
        "if" | "for" | "while" | "loop" | "switch" => Part::Condition,
        ":" | "@" | "->" => Part::Other,
        _ if tokens.kind(index) == TokenKind::Punctuation => Part::Operator,
        _ => Part::Other,
    }
}

fn parse_error(
    error: &ParseError,
    source: &SourceMap,
    original: impl Fn(Span) -> Span,
) -> Diagnostic {
    let mut result = Diagnostic::new(error.message());
    result.source_map = Some(source.clone());
    for (span, text) in error.labels() {
        result = result.label(original(Span::from(span)), text);
    }
    for note in error.notes() {
        result = result.note(note);
    }
    result
}

/// Returns an error if there is no compute entry point, listing the others, because only compute entry points can be checked.
fn require_compute(module: &Module, source: &SourceMap) -> Result<()> {
    if module.entry_points.iter().any(|entry| entry.stage == ShaderStage::Compute) {
        return Ok(());
    }
    let mut result = Diagnostic::new(format!("`{}` has no compute entry point", source.name()));
    if module.entry_points.is_empty() {
        result = result.note("it has no entry points, so it may be a part of other files");
    } else {
        let entries: Vec<String> = module
            .entry_points
            .iter()
            .map(|entry| {
                format!("`{}` ({})", entry.name, format!("{:?}", entry.stage).to_lowercase())
            })
            .collect();
        result = result.note(format!("its entry points are {}", entries.join(", ")));
    }
    let result = result.of_no_kernel();
    Err(Box::new(result.help("hirace checks functions marked `@compute @workgroup_size(…)`")))
}

#[cfg(test)]
mod tests;
