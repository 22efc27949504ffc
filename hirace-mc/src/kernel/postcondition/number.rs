//! Numbers in conditions: integers that do not wrap, and floats.

use crate::program::Value;
use hirace_core::postcondition::{Comparison, Operator};
use naga::{Scalar, ScalarKind};
use std::cmp::Ordering;
use std::fmt;

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
}

impl Number {
    /// Interprets bits as a 32-bit scalar. Returns `None` for other kinds of scalars.
    pub fn of_bits(bits: Value, scalar: Scalar) -> Option<Self> {
        let bits = bits as u32;
        Some(match scalar.kind {
            ScalarKind::Uint | ScalarKind::Bool => Self::Integer(bits.into()),
            ScalarKind::Sint => Self::Integer((bits as i32).into()),
            ScalarKind::Float => Self::Float(f32::from_bits(bits).into()),
            _ => return None,
        })
    }

    fn float(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// Returns whether the comparison holds. NaN differs from every number; all other comparisons with it are false.
    pub fn is(self, comparison: Comparison, other: Self) -> bool {
        let order = match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => Some(left.cmp(&right)),
            (left, right) => left.float().partial_cmp(&right.float()),
        };
        let Some(order) = order else { return comparison == Comparison::Differ };
        match comparison {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Differ => order != Ordering::Equal,
            Comparison::Less => order == Ordering::Less,
            Comparison::AtMost => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::AtLeast => order != Ordering::Less,
        }
    }

    /// Returns the negated number, or `None` on overflow.
    pub fn negative(self) -> Option<Self> {
        match self {
            Self::Integer(number) => number.checked_neg().map(Self::Integer),
            Self::Float(number) => Some(Self::Float(-number)),
        }
    }

    /// Returns the result of an operation, or `None` where integers have none.
    pub fn with(self, operator: Operator, other: Self) -> Option<Self> {
        if let (Self::Integer(left), Self::Integer(right)) = (self, other) {
            return match operator {
                Operator::Add => left.checked_add(right),
                Operator::Subtract => left.checked_sub(right),
                Operator::Multiply => left.checked_mul(right),
                Operator::Divide => left.checked_div(right),
                Operator::Remainder => left.checked_rem(right),
            }
            .map(Self::Integer);
        }
        let (left, right) = (self.float(), other.float());
        Some(Self::Float(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Remainder => left % right,
        }))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => write!(f, "{number:?}"),
        }
    }
}
