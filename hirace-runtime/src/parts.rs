//! What the macro leaves of a monitored item in a program.

use crate::binding::Binding;
use crate::hole::Hole;
use std::borrow::Cow;

/// What the macro leaves of a monitored item in the user's program, for every kernel in it. All of it is static.
#[derive(Debug)]
pub struct Parts {
    /// The WGSL text, with an entry point for each kernel.
    pub wgsl: &'static str,
    /// Where in it the const parameters of a generic kernel stand. For others, empty.
    pub holes: &'static [Hole],
    /// Its kernels.
    pub entries: &'static [Entry],
    /// What a pipeline may be given other values of.
    pub constants: &'static [Constant],
    /// What a checker wants besides; a program that checks nothing leaves it out.
    pub origin: Option<Origin>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name in its source.
    pub name: Cow<'static, str>,
    /// The name of its entry point in WGSL, to make a pipeline of.
    pub wgsl: Cow<'static, str>,
    /// How many invocations a workgroup has, with what overrides default to. `None`: that hangs on an override without
    /// a default, or on the const parameters of a generic kernel.
    pub workgroup_size: Option<[u32; 3]>,
    /// What it wants bound, by group and number: what an automatic pipeline layout has, and no more.
    pub bindings: Cow<'static, [Binding]>,
}

/// A pipeline override.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name in Rust.
    pub name: &'static str,
    /// What a pipeline calls it: the number of its `@id`, if it has one, else its name in WGSL.
    pub key: &'static str,
}

/// Where the WGSL came from.
#[derive(Debug)]
pub struct Origin {
    /// The text with what it checks of itself, which [`Parts::wgsl`] leaves out, and its holes. `None`: it checks nothing.
    pub checked: Option<(&'static str, &'static [Hole])>,
    /// Where each stretch of that text came from, as `hirace` encodes it. Lines are those of `file`.
    pub map: &'static str,
    /// The Rust file, as reports name it.
    pub file: &'static str,
    /// Which line of it `text` begins with, from 1.
    pub line: u32,
    /// The file, or the lines of it that hold the item.
    pub text: &'static str,
    /// What of Rust the kernels use that stands elsewhere.
    pub beside: &'static [Beside],
    /// What WGSL calls otherwise than Rust: (as in WGSL, as in Rust). Buffers, members, functions.
    pub names: &'static [(&'static str, &'static str)],
}

/// Lines of Rust that a kernel uses and that do not stand in its item.
#[derive(Debug)]
pub struct Beside {
    /// The file, as reports name it.
    pub file: &'static str,
    /// Which line of it `text` begins with, from 1.
    pub line: u32,
    /// The lines.
    pub text: &'static str,
}
