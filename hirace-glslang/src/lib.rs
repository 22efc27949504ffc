//! Compiles GLSL compute shaders to SPIR-V with glslang.
//!
//! [`preprocess`] expands macros and includes, and [`compile`] translates a text to SPIR-V with line information. With the feature
//! `bundled`, glslang is a part of this crate. It keeps state per process, which is initialized once and never changed, and per
//! thread, so any number of threads may call these functions. Without the feature, they run the program `glslangValidator`.
//!
//! glslang recurses over the nesting of a text and expands macros without a limit. Callers must limit both, and call these
//! functions on a large stack.

#[cfg(feature = "bundled")]
mod bundled;
mod include;
mod message;
mod target;
#[cfg(any(not(feature = "bundled"), test))]
mod tool;

pub use include::{FindFile, IncludeRequest, IncludedFile};
pub use message::Message;
pub use target::{TargetEnvironment, UnknownTarget};

#[cfg(feature = "bundled")]
use bundled as backend;
#[cfg(not(feature = "bundled"))]
use tool as backend;

/// What a text is preprocessed for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The environment.
    pub target: TargetEnvironment,
    /// Definitions of macros: names and replacements.
    pub defines: Vec<(String, String)>,
}

/// Expands the macros and includes of `text`, and removes comments. Tokens keep their lines: a `#line` directive marks where the
/// text of a file begins and where it is continued. `find` returns the files that the text includes.
///
/// # Errors
/// The directives are invalid, the text contains a zero byte, or a definition is not a name with a value on one line.
pub fn preprocess(
    text: &str,
    options: &Options,
    find: &mut FindFile<'_>,
) -> Result<String, Vec<Message>> {
    check_bytes(text)?;
    if let Some((name, value)) = options.defines.iter().find(|define| !is_definition(define)) {
        return Err(vec![Message::new(format!("`{name}={value}` does not define a macro"))]);
    }
    backend::preprocess(text, options, find)
}

/// Returns whether a name and a value can be defined without changing the meaning of the lines that follow.
fn is_definition((name, value): &(String, String)) -> bool {
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| !c.is_ascii_digit());
    is_name && !["\n", "\r", "\0", "\\", "//", "/*"].iter().any(|part| value.contains(part))
}

/// Compiles a text that includes no files to SPIR-V with the lines of its statements (`OpLine`), which are in a file called `name`.
///
/// # Errors
/// The text is not a valid compute shader, or contains a zero byte.
pub fn compile(
    name: &str,
    text: &str,
    target: TargetEnvironment,
) -> Result<Vec<u32>, Vec<Message>> {
    check_bytes(text)?;
    backend::compile(name, text, target)
}

/// Rejects a text with a zero byte, which ends a text for glslang.
fn check_bytes(text: &str) -> Result<(), Vec<Message>> {
    let Some(at) = text.find('\0') else { return Ok(()) };
    let line = text[..at].matches('\n').count() + 1;
    let text = "the text contains a zero byte".to_owned();
    Err(vec![Message {
        file: Some(Message::MAIN.to_owned()),
        line: u32::try_from(line).unwrap_or_default(),
        text,
    }])
}

#[cfg(test)]
mod tests;
