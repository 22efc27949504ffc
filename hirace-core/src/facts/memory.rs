//! The memory that a finding is about.

use super::barrier::Class;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A storage buffer.
    Storage,
    /// Memory of a workgroup.
    Workgroup,
    /// A texture.
    Texture,
    /// A uniform buffer.
    Uniform,
    /// A variable of the module that each invocation has for itself.
    Private,
    /// A variable of a function.
    Function,
}

impl Space {
    /// What it is called in reports' JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Workgroup => "workgroup",
            Self::Texture => "texture",
            Self::Uniform => "uniform",
            Self::Private => "private",
            Self::Function => "function",
        }
    }

    /// The barriers that order it.
    pub fn class(self) -> Class {
        match self {
            Self::Workgroup => Class::Workgroup,
            Self::Texture => Class::Texture,
            Self::Storage | Self::Uniform | Self::Private | Self::Function => Class::Storage,
        }
    }
}

/// A word, or an element, of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where it lives.
    pub space: Space,
    /// The variable.
    pub variable: String,
    /// Index of the word (4 bytes), or of the element for out-of-bounds.
    pub index: i64,
    /// The element as the source would write it: `tile[16]`, `particles[3].pos.x`.
    pub element: String,
}
