//! Assertions that failed.

use super::place::Place;
use crate::ir::claims::Claim;
use crate::vm::run::Invocation;
use std::fmt;

/// What the source claims, and did not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedAssertion {
    /// What it claims.
    pub claim: Claim,
    /// Where.
    pub place: Place,
    /// What it compares, or computes with; `None` where that is a condition alone.
    pub operands: Option<Operands>,
    /// Who failed it first.
    pub by: Invocation,
}

/// Two operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Operands {
    /// The components of that at the left; one, of a scalar.
    pub left: Vec<Scalar>,
    /// The operator, as it is written.
    pub operator: &'static str,
    /// The components of that at the right.
    pub right: Vec<Scalar>,
}

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
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
