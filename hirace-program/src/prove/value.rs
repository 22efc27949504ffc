//! What is known of a value while a kernel is walked through.

use super::condition::Condition;
use super::form::Form;
use super::symbol::{Level, Symbols};
use naga::{GlobalVariable, Handle, LocalVariable};

/// Most parts of a value that is followed part by part.
pub(super) const MOST_PARTS: usize = 64;

/// Something of which nothing is known but who has the same, and whether it is the same as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opaque {
    /// Who has the same.
    pub level: Level,
    /// Two of one number are the same.
    pub number: u32,
}

impl Opaque {
    /// Any, of each invocation by itself.
    pub const ANY: Self = Self { level: Level::Invocation, number: 0 };
}

/// A variable of a function as it is called at one place, or a private one of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Variable {
    /// Of the call with this number.
    Local(u32, Handle<LocalVariable>),
    /// Of the module.
    Private(Handle<GlobalVariable>),
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// An `i32` or `u32`.
    Int(Form),
    /// A `bool`.
    Bool(Condition),
    /// A vector, or a small struct or array, by its parts.
    Parts(Vec<Self>),
    /// A pointer to a variable or a part of it: which part, if it is known.
    Pointer(Variable, Option<Vec<u32>>),
    /// Any other.
    Other(Opaque),
}

impl Value {
    /// Who all have the same.
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

    /// Whether it is known to be the same as another.
    pub fn is_same(&self, other: &Self) -> bool {
        self == other && self.has_identity()
    }

    /// Whether nothing in it is [any](Opaque::ANY).
    fn has_identity(&self) -> bool {
        match self {
            Self::Int(_) | Self::Pointer(..) => true,
            Self::Bool(condition) => condition.has_identity(),
            Self::Parts(parts) => parts.iter().all(Self::has_identity),
            Self::Other(opaque) => opaque.number != Opaque::ANY.number,
        }
    }

    /// Its part with this number, if its parts are known.
    pub fn part(&self, index: u32) -> Option<&Self> {
        match self {
            Self::Parts(parts) => parts.get(index as usize),
            _ => None,
        }
    }

    /// The part that this path leads to.
    pub fn at(&self, path: &[u32]) -> Option<&Self> {
        path.iter().try_fold(self, |value, &index| value.part(index))
    }

    /// The part that this path leads to, to be replaced.
    pub fn at_mut(&mut self, path: &[u32]) -> Option<&mut Self> {
        path.iter().try_fold(self, |value, &index| match value {
            Self::Parts(parts) => parts.get_mut(index as usize),
            _ => None,
        })
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<&Form> {
        match self {
            Self::Int(form) => Some(form),
            _ => None,
        }
    }
}
