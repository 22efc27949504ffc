//! Abstract values.

use super::condition::Condition;
use super::form::Form;
use super::symbol::{Level, Opaque, Symbols};
use naga::{GlobalVariable, Handle, LocalVariable};

/// The limit on parts of a value that is modeled part by part.
pub(super) const MAX_PARTS: usize = 64;

/// A local variable of one call of a function, or a private variable of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Variable {
    /// A local variable of the call with this number.
    Local(u32, Handle<LocalVariable>),
    /// A private variable of the module.
    Private(Handle<GlobalVariable>),
}

/// An abstract value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An `i32` or `u32`.
    Int(Form),
    /// A `bool`.
    Bool(Condition),
    /// A vector, or a small struct or array, by its parts.
    Parts(Vec<Self>),
    /// A pointer to a variable or a part of it, with the path to the part if known.
    Pointer(Variable, Option<Vec<u32>>),
    /// Any other value.
    Other(Opaque),
}

impl Value {
    /// Returns the level at which invocations agree on the value.
    pub fn level(&self, symbols: &Symbols) -> Level {
        match self {
            Self::Int(form) => symbols.level(form),
            Self::Bool(condition) => condition.level(symbols),
            Self::Parts(parts) => {
                parts.iter().map(|part| part.level(symbols)).max().unwrap_or_default()
            }
            Self::Pointer(..) => Level::Dispatch,
            Self::Other(opaque) => opaque.level,
        }
    }

    /// Returns whether the value is known to equal another.
    pub fn is_same(&self, other: &Self) -> bool {
        self == other && self.has_identity()
    }

    /// Returns whether no part of the value is [arbitrary](Opaque::ANY).
    fn has_identity(&self) -> bool {
        match self {
            Self::Int(_) | Self::Pointer(..) => true,
            Self::Bool(condition) => condition.has_identity(),
            Self::Parts(parts) => parts.iter().all(Self::has_identity),
            Self::Other(opaque) => opaque.number != Opaque::ANY.number,
        }
    }

    /// Returns the number of values that it consists of.
    pub fn size(&self) -> usize {
        match self {
            Self::Parts(parts) => parts.iter().map(Self::size).sum(),
            Self::Bool(condition) => condition.size(),
            _ => 1,
        }
    }

    /// Returns the part with this index, if the parts are known.
    pub fn part(&self, index: u32) -> Option<&Self> {
        match self {
            Self::Parts(parts) => parts.get(index as usize),
            _ => None,
        }
    }

    /// Returns the part at this path.
    pub fn at(&self, path: &[u32]) -> Option<&Self> {
        path.iter().try_fold(self, |value, &index| value.part(index))
    }

    /// Returns a mutable reference to the part at this path.
    pub fn at_mut(&mut self, path: &[u32]) -> Option<&mut Self> {
        path.iter().try_fold(self, |value, &index| match value {
            Self::Parts(parts) => parts.get_mut(index as usize),
            _ => None,
        })
    }

    /// Returns the integer, if the value is one.
    pub fn as_int(&self) -> Option<&Form> {
        match self {
            Self::Int(form) => Some(form),
            _ => None,
        }
    }
}
