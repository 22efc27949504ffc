//! Texts with naga_oil's directives: `#import`, `#define_import_path`, `#ifdef`, `#if`, `#{NAME}`; and `{{NAME}}`.
//!
//! naga_oil's preprocessor, with the feature `preprocess`, evaluates conditions and substitutes values, and preserves line
//! numbers. Its outputs for a file and for all imported files are concatenated to one WGSL text of several files, so that
//! findings refer to lines of the user's files.
//!
//! - `filled` substitutes values for `{{NAME}}`, as template engines do, before that;
//! - `made` preprocesses the files and finds their imports;
//! - `names` gives the declarations of modules unique names, and substitutes them for paths.
//!
//! naga_oil's own composer is not used, because it returns modules whose spans refer to generated text.

#[cfg(feature = "preprocess")]
mod build;
#[cfg(feature = "preprocess")]
mod names;
#[cfg(feature = "preprocess")]
mod substitute;

use super::ParsedModule;
use crate::diagnostic::{Diagnostic, Result};

/// A file that a text imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportRequest<'a> {
    /// The file with `#define_import_path` and this path.
    Module(&'a str),
    /// The file with this name, for `#import "name"`.
    File(&'a str),
    /// A file with this name, without its extension, that does not declare a path. This is the meaning of `#import name` in
    /// vello's own preprocessor, which includes the text verbatim.
    Part(&'a str),
}

/// An imported file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name that reports show.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Finds an imported file.
pub type Find<'a> = &'a (dyn Fn(ImportRequest<'_>) -> Option<File> + Sync);

/// Parses a file with naga_oil's directives, with these names defined.
#[cfg(feature = "preprocess")]
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    defines: &[(String, String)],
    find: Find<'_>,
) -> Result<ParsedModule> {
    let text = super::decode(name, bytes)?;
    let made = crate::ir::guard::run(|| build::source(name, text, defines, find));
    let source = made.map_err(|panic| {
        let error = Diagnostic::new(format!("naga_oil failed on `{name}`: {panic}"));
        Box::new(error.help("preprocess the file with the program that it is written for"))
    })??;
    super::wgsl::parse_source(source)
}

/// Returns an error, because the feature is not enabled.
#[cfg(not(feature = "preprocess"))]
pub fn parse_bytes(
    name: &str,
    _: &[u8],
    _: &[(String, String)],
    _: Find<'_>,
) -> Result<ParsedModule> {
    let error = Diagnostic::new(format!(
        "`{name}` needs preprocessing, which this build of hirace does not support"
    ));
    Err(Box::new(error.help("build hirace with the feature `preprocess`")))
}

/// Returns the import path that a text declares with `#define_import_path`, if any. Comments at the end of lines are ignored.
pub fn import_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        rest.strip_prefix("define_import_path")?.split_whitespace().next()
    })
}

#[cfg(all(test, feature = "preprocess"))]
mod tests;
