//! GLSL compute shaders: glslang compiles them to SPIR-V, which the front end for SPIR-V parses.
//!
//! - glslang's preprocessor expands macros and includes. It has no limits, so its input is checked before (`macros`).
//! - The result is split into tokens (`tokens`), each with its place in the user's files. Their nesting is limited, because glslang
//!   recurses.
//! - glslang compiles these tokens, each on a line of its own. The line of an instruction is therefore the number of a token, and
//!   the expression of an access is found around it ([`spirv::marks`](super::spirv)).

mod compile;
mod errors;
mod files;
mod lines;
mod macros;
mod tokens;

use super::statements::Statements;
use super::{ParsedModule, spirv};
use crate::diagnostic::Result;
use crate::ir::guard;
use std::borrow::Cow;

pub use compile::Settings;
pub use files::SourceFile;
pub use hirace_glslang::{IncludeRequest, TargetEnvironment, UnknownTarget};

/// Finds a file that a shader includes. [`IncludeRequest::includer`] is the name of a [`SourceFile`], or of the shader.
pub type FindFile<'a> = dyn Fn(IncludeRequest<'_>) -> Option<SourceFile> + Sync + 'a;

/// Parses a GLSL file, which reports call `name`. `lookup` returns the texts of files that it includes.
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    lookup: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<ParsedModule> {
    let find = |request: IncludeRequest<'_>| {
        let text = lookup(request.name)?;
        Some(SourceFile { name: request.name.to_owned(), text })
    };
    parse_with(name, super::decode(name, bytes)?, &Settings::default(), &find)
}

/// Parses GLSL text that includes no files, which reports call `name`.
pub fn parse(name: &str, text: &str) -> Result<ParsedModule> {
    parse_with(name, text, &Settings::default(), &|_| None)
}

/// Parses GLSL text, which reports call `name`, with definitions and included files.
pub fn parse_with(
    name: &str,
    text: &str,
    settings: &Settings,
    find: &FindFile<'_>,
) -> Result<ParsedModule> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = &*with_line_feeds(text);
    let find = &|request: IncludeRequest<'_>| {
        let file = find(request)?;
        Some(SourceFile { text: with_line_feeds(&file.text).into_owned(), ..file })
    };
    let preprocessed = compile::preprocess(name, text, settings, find)?;
    let tokens = tokens::tokens(&preprocessed.text, &preprocessed.files);
    let source = preprocessed.files.source();
    let compiled = guard::run(|| {
        compile::check(&tokens, &source)?;
        compile::compile(&tokens, &source, settings)
    });
    let words = match compiled {
        Ok(words) => words?,
        Err(panic) => return Err(Box::new(errors::failed(&source, &panic))),
    };
    spirv::parse_compiled(source, &Statements::new(tokens), &words)
}

/// Replaces each carriage return that is the end of a line by itself. Places in the text stay the same.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let mut bytes = text.as_bytes().iter().peekable();
    let mut is_alone = false;
    while let Some(byte) = bytes.next() {
        is_alone |= *byte == b'\r' && bytes.peek() != Some(&&b'\n');
    }
    match is_alone {
        // A carriage return before a line feed is white space, so it may become an end of a line only where it is one.
        true => text.replace("\r\n", " \n").replace('\r', "\n").into(),
        false => text.into(),
    }
}
