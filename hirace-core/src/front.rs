//! All front ends, and files that contain several programs.

pub use hirace_program::front::*;
pub use hirace_rust as rust;

use crate::diagnostic::{Cause, Diagnostic, Result};
use crate::source_map::{SourceMap, Span};
use rust::File;

/// The text that every compute shader in a string contains.
const MARK: &str = "@compute";

/// Returns whether a host file with these contents can contain kernels. Most contain none, and need not be parsed.
pub fn may_have_kernels(name: &str, bytes: &[u8]) -> bool {
    let has_shader = cfg!(feature = "host") && contains(bytes, MARK.as_bytes());
    match Kind::of(name, bytes) {
        Kind::Rust => {
            has_shader || std::str::from_utf8(bytes).is_ok_and(rust::find::may_have_items)
        }
        Kind::Host => has_shader,
        _ => true,
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else { return true };
    let mut at = bytes;
    while let Some(found) = at.iter().position(|byte| byte == first) {
        at = &at[found + 1..];
        if at.starts_with(rest) {
            return true;
        }
    }
    false
}

/// Reads the programs of a host file: the monitored items of a Rust file, and the shaders in strings. `defines` gives values to
/// names that parts of these strings depend on. A file with neither is an error of the cause [`Cause::NoKernel`].
pub fn parse_file(name: &str, bytes: &[u8], defines: &[(String, String)]) -> Result<File> {
    let is_rust = Kind::of(name, bytes) == Kind::Rust;
    let is_text = std::str::from_utf8(bytes).is_ok();
    if is_text && !is_rust && !may_have_kernels(name, bytes) {
        let named = SourceMap::new(name, "");
        return Err(Box::new(no_shader(&named)));
    }
    let text = decode(name, bytes).map_err(|error| not_unicode(name, bytes, *error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = SourceMap::new(name, text);
    let found = match text.contains(MARK) {
        true => embedded::read(&source, defines)?,
        false => embedded::Shaders::default(),
    };
    let items = match is_rust {
        true => rust::parse_file(name, text),
        false => Err(Box::new(no_shader(&source))),
    };
    let mut file = match items {
        Err(error) if error.cause == Cause::NoKernel => {
            if found.items.is_empty() {
                return Err(joined(found.unread).unwrap_or(error));
            }
            let labels = error.labels.into_iter();
            let unseen = labels.map(|(span, label)| Diagnostic::at(&source, span, label)).collect();
            File { source, unseen, ..File::default() }
        }
        items => items?,
    };
    file.items.extend(found.items);
    file.unseen.extend(found.unread);
    Ok(file)
}

/// Returns the text of a host file with everything except the text of its shaders replaced with blanks, so that offsets stay the
/// same. Returns `None` if it has no shaders in strings.
pub fn shader_text(name: &str, text: &str, defines: &[(String, String)]) -> Option<String> {
    let source = SourceMap::new(name, text);
    let found = text.contains(MARK).then(|| embedded::shader_text(&source, defines));
    found.filter(|found| found.contains(MARK))
}

/// Returns one diagnostic with the labels of all.
fn joined(all: Vec<Diagnostic>) -> Option<Box<Diagnostic>> {
    let mut all = all.into_iter();
    let mut first = all.next()?;
    for other in all {
        first.labels.extend(other.labels.first().map(|(span, _)| (*span, other.message)));
        if other.help != first.help {
            first.notes.extend(other.help.map(|help| format!("for another shader: {help}")));
        }
    }
    first.notes.dedup();
    Some(Box::new(first.of_no_kernel()))
}

/// Returns `error` with its source location. Its cause is [`Cause::NoKernel`], because folders may contain programs that are not
/// UTF-8.
fn not_unicode(name: &str, bytes: &[u8], error: Diagnostic) -> Box<Diagnostic> {
    let text = String::from_utf8_lossy(bytes);
    let at = text.find(char::REPLACEMENT_CHARACTER).unwrap_or_default();
    let span = Span::new(at as u32, (at + char::REPLACEMENT_CHARACTER.len_utf8()) as u32);
    let placed = Diagnostic::at(&SourceMap::new(name, &*text), span, error.message);
    Box::new(placed.help("save the file as UTF-8").of_no_kernel())
}

fn no_shader(source: &SourceMap) -> Diagnostic {
    let error = Diagnostic::new(format!("`{}` contains no compute shader", source.name()));
    let error = Diagnostic { source_map: Some(source.clone()), ..error };
    let note = "looked for strings and template literals with WGSL that contains `@compute`";
    error.note(note).of_no_kernel()
}

#[cfg(feature = "host")]
mod embedded {
    pub use hirace_host::HostFile as Shaders;
    pub use hirace_host::{parse_file as read, shader_text};
}

#[cfg(not(feature = "host"))]
mod embedded {
    use super::*;

    /// No shaders.
    #[derive(Default)]
    pub struct Shaders {
        pub items: Vec<Result<ParsedModule>>,
        pub unread: Vec<Diagnostic>,
    }

    pub fn shader_text(_: &SourceMap, _: &[(String, String)]) -> String {
        String::new()
    }

    /// Returns an error, because the feature is not enabled. Rust files have kernels without it.
    pub fn read(source: &SourceMap, _: &[(String, String)]) -> Result<Shaders> {
        if Kind::of(source.name(), b"") == Kind::Rust {
            return Ok(Shaders::default());
        }
        let name = source.name();
        let error = format!(
            "`{name}` is a program, and this build of hirace does not read shaders in programs"
        );
        let error = Diagnostic::new(error);
        Err(Box::new(error.help("build hirace with the feature `host`")))
    }
}
