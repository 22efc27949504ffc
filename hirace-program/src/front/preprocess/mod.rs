//! Texts that become WGSL by naga_oil's directives: `#import`, `#define_import_path`, `#ifdef`, `#if`, `#{NAME}`; and `{{NAME}}`.
//!
//! naga_oil's preprocessor, with the feature `preprocess`, decides what is left out and put in, and keeps lines where
//! they are. What it makes of a file and of those that it imports is put one behind the other, as one WGSL text of
//! several files: so a finding stands at the line of the file that the user wrote.
//!
//! - `filled` puts in values for `{{NAME}}`, as template engines do, before that;
//! - `made` has the files processed and finds those that they import;
//! - `names` gives what modules declare names that no two of them share, and puts those in for paths.
//!
//! naga_oil's own composer is not used: what it gives are modules, whose places are those of texts that nobody wrote.

#[cfg(feature = "preprocess")]
mod filled;
#[cfg(feature = "preprocess")]
mod made;
#[cfg(feature = "preprocess")]
mod names;

use super::Parsed;
use crate::diagnostic::{Diagnostic, Result};

/// What a text asks for and another file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// The file that says `#define_import_path` with this path.
    Module(&'a str),
    /// The file of this name, for `#import "name"`.
    File(&'a str),
    /// A file of this name, without its ending, that declares no path: what `#import name` means to vello's own
    /// preprocessor, which puts in the text as it is.
    Part(&'a str),
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// What reports call it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Finds what is asked for.
pub type Find<'a> = &'a (dyn Fn(Asked<'_>) -> Option<File> + Sync);

/// Parses a file for naga_oil, with these names defined.
#[cfg(feature = "preprocess")]
pub fn parse_bytes(
    name: &str,
    bytes: &[u8],
    defines: &[(String, String)],
    find: Find<'_>,
) -> Result<Parsed> {
    let text = super::decode(name, bytes)?;
    let made = crate::ir::guard::run(|| made::source(name, text, defines, find));
    let source = made.map_err(|panic| {
        let error = Diagnostic::new(format!("naga_oil failed on `{name}`: {panic}"));
        Box::new(error.help("have it processed by the program that the file is for"))
    })??;
    super::wgsl::parse_source(source)
}

/// Says that this is not built in.
#[cfg(not(feature = "preprocess"))]
pub fn parse_bytes(name: &str, _: &[u8], _: &[(String, String)], _: Find<'_>) -> Result<Parsed> {
    let error = Diagnostic::new(format!(
        "`{name}` is to be preprocessed, for which this hirace was not built"
    ));
    Err(Box::new(error.help("build it with the feature `preprocess`")))
}

/// The import path that a text declares, if it does: what `#define_import_path` says, outside of comments at the end
/// of lines.
pub fn import_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        rest.strip_prefix("define_import_path")?.split_whitespace().next()
    })
}

#[cfg(all(test, feature = "preprocess"))]
mod tests;
