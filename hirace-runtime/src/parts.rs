//! The types of the static data that the macro generates for a monitored item.

use crate::binding::Binding;
use crate::hole::Hole;
use std::borrow::Cow;

/// The static data that the macro generates for a monitored item and all its kernels, in the user's program.
#[derive(Debug)]
pub struct Parts {
    /// The WGSL text, with an entry point for each kernel.
    pub wgsl: &'static str,
    /// The positions in the text where the const parameters of a generic kernel are inserted. Empty for other kernels.
    pub holes: &'static [Hole],
    /// The kernels of the item.
    pub entries: &'static [Entry],
    /// The pipeline overrides.
    pub constants: &'static [Constant],
    /// Additional data for the checker; `None` in a program that checks nothing.
    pub origin: Option<Origin>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name in the source.
    pub name: Cow<'static, str>,
    /// The name of the entry point in WGSL, for creating a pipeline.
    pub wgsl: Cow<'static, str>,
    /// The number of invocations of a workgroup in each dimension, with overrides at their defaults. `None` if it
    /// depends on an override without a default, or on the const parameters of a generic kernel.
    pub workgroup_size: Option<[u32; 3]>,
    /// The bindings, by group and number: exactly those of an automatic pipeline layout.
    pub bindings: Cow<'static, [Binding]>,
}

/// A pipeline override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Constant {
    /// The name in Rust.
    pub name: &'static str,
    /// The key of the override in a pipeline: the number of its `@id` if it has one, otherwise its name in WGSL.
    pub key: &'static str,
}

impl Constant {
    /// Creates a pipeline override. For generated code.
    #[doc(hidden)]
    pub const fn new(name: &'static str, key: &'static str) -> Self {
        Self { name, key }
    }
}

/// The origin of the WGSL text.
#[derive(Debug)]
pub struct Origin {
    /// The text with its checks, which [`Parts::wgsl`] omits, and its holes. `None` if it has no checks.
    pub checked: Option<(&'static str, &'static [Hole])>,
    /// The source map of that text, as `hirace` encodes it. Lines are those of `file`.
    pub map: &'static str,
    /// The name of the Rust file in reports.
    pub file: &'static str,
    /// The line of the file at which `text` begins, from 1.
    pub line: u32,
    /// The text of the file, or the lines of the item.
    pub text: &'static str,
    /// Rust code elsewhere that the kernels use.
    pub beside: &'static [RelatedSource],
    /// The names of buffers, members and functions that differ between WGSL and Rust, as pairs (WGSL, Rust).
    pub names: &'static [(&'static str, &'static str)],
}

/// Lines of Rust that a kernel uses and that are outside of its item.
#[derive(Debug)]
pub struct RelatedSource {
    /// The name of the file in reports.
    pub file: &'static str,
    /// The line of the file at which `text` begins, from 1.
    pub line: u32,
    /// The lines.
    pub text: &'static str,
}
