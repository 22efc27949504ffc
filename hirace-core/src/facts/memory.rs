//! The memory that a finding is about.

use super::barrier::BarrierClass;

/// The address space of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// A storage buffer.
    Storage,
    /// Workgroup memory.
    Workgroup,
    /// A texture.
    Texture,
    /// A uniform buffer.
    Uniform,
    /// A module-scope variable that is private to each invocation.
    Private,
    /// A variable of a function.
    Function,
}

impl Space {
    /// Returns the name used in JSON reports.
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

    /// Returns the class of the barriers that order this memory.
    pub fn class(self) -> BarrierClass {
        match self {
            Self::Workgroup => BarrierClass::Workgroup,
            Self::Texture => BarrierClass::Texture,
            Self::Storage | Self::Uniform | Self::Private | Self::Function => BarrierClass::Storage,
        }
    }
}

/// A word or an element of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// The address space of the variable.
    pub space: Space,
    /// The name of the variable.
    pub variable: String,
    /// The index of the word (4 bytes each), or of the element for an access out of bounds.
    pub index: i64,
    /// The element in the syntax of the source: `tile[16]`, `particles[3].pos.x`.
    pub element: String,
}
