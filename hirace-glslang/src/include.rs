//! Files that a text includes.

/// An `#include` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncludeRequest<'a> {
    /// The name in the directive.
    pub name: &'a str,
    /// Whether the name is in angle brackets.
    pub is_system: bool,
    /// The name of the file with the directive, as [`IncludedFile::name`] gave it; empty for the text itself.
    pub includer: &'a str,
    /// The number of files that are open.
    pub depth: usize,
}

/// A file that a text includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedFile {
    /// The name, which locations in the file have.
    pub name: String,
    /// The contents.
    pub text: String,
}

/// The function that finds files. An error is the reason why there is no such file.
pub type FindFile<'a> = dyn FnMut(IncludeRequest<'_>) -> Result<IncludedFile, String> + 'a;
