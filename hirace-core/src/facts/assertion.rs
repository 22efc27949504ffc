//! Facts about assertions that failed.

use super::place::Place;
use crate::ir::claims::Claim;
use crate::vm::run::Invocation;
use std::fmt;

/// An assertion of the source that failed during a launch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FailedAssertion {
    /// The kind of claim that the source makes.
    #[doc(hidden)]
    pub claim: Claim,
    /// The location of the assertion.
    pub place: Place,
    /// The operands of the comparison or arithmetic operation; `None` if the claim is only a condition.
    pub operands: Option<Operands>,
    /// The first invocation that failed it.
    pub by: Invocation,
}

/// The two operands of an operator, with their values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Operands {
    /// The components of the left operand; a scalar has one.
    pub left: Vec<Scalar>,
    /// The operator, as written in the source.
    pub operator: &'static str,
    /// The components of the right operand; a scalar has one.
    pub right: Vec<Scalar>,
}

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f32),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => write!(f, "{value:?}"),
        }
    }
}
