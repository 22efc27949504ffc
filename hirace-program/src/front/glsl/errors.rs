//! Diagnostics for texts that glslang rejects.

use super::files::Files;
use crate::diagnostic::Diagnostic;
use crate::front::BrokenText;
use crate::front::statements::PlacedToken;
use crate::source_map::{SourceMap, Span};
use hirace_glslang::Message;

/// Creates the diagnostic for messages of the preprocessor. Lines are those of `files`.
pub fn of_lines(messages: &[Message], files: &Files, source: &SourceMap) -> Diagnostic {
    rejected(messages, source, |message| {
        let file = files.index(message.file.as_deref()?)?;
        files.line(file, message.line)
    })
}

/// Creates the diagnostic for messages of the compiler, in which the number of a line is that of a token.
pub fn of_tokens(
    messages: &[Message],
    tokens: &[PlacedToken<'_>],
    source: &SourceMap,
) -> Diagnostic {
    rejected(messages, source, |message| {
        let number = (message.line as usize).checked_sub(1)?;
        // An error after the last token is about the end of the file.
        let token = tokens.get(number).or(tokens.last())?;
        message.file.as_ref().map(|_| token.span)
    })
}

/// Creates the diagnostic for a failure that is not an error in the text.
pub fn failed(source: &SourceMap, reason: &str) -> Diagnostic {
    let error = Diagnostic::new(format!("cannot compile `{}`", source.name()));
    error.note(format!("glslang, which hirace compiles GLSL with, failed: {reason}"))
}

/// Creates the diagnostic for a text that exceeds a limit.
pub fn beyond(source: &SourceMap, span: Span, limit: &str) -> Diagnostic {
    located(source, span, limit)
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

/// Parts of the messages about a name that the text does not define.
const UNDEFINED: [&str; 3] =
    ["undeclared identifier", "no matching overloaded function found", "Could not process include"];

fn rejected(
    messages: &[Message],
    source: &SourceMap,
    place: impl Fn(&Message) -> Option<Span>,
) -> Diagnostic {
    let Some(first) = messages.first() else { return failed(source, "it gave no reason") };
    let mut error = located(source, place(first).unwrap_or_default(), &cleaned(&first.text));
    let text = source.text();
    let broken = BrokenText {
        has_kernel: text.contains("local_size_"),
        has_other_stage: OTHER_STAGES.iter().any(|name| text.contains(name)),
        // A part of other shaders has no entry point.
        is_undefined: UNDEFINED.iter().any(|part| first.text.contains(part))
            || first.text.contains("Missing entry point"),
    };
    if broken.is_skipped_in_folders() {
        error = error.of_no_kernel();
    }
    error
}

/// Returns a message without what glslang repeats.
fn cleaned(text: &str) -> String {
    let text = text.strip_prefix("'' : ").unwrap_or(text).trim();
    let text = text.strip_prefix("Linking compute stage: ").unwrap_or(text);
    // The limit of its parser.
    if text == "memory exhausted" {
        return "statements and expressions nest too deeply for glslang".to_owned();
    }
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}

fn located(source: &SourceMap, span: Span, message: &str) -> Diagnostic {
    match span.is_empty() {
        true => Diagnostic { source_map: Some(source.clone()), ..Diagnostic::new(message) },
        false => Diagnostic::at(source, span, message),
    }
}
