//! Numbers of a file, as wide as they come.

use super::number::Number;

/// The elements of an array in row-major order.
#[derive(Debug)]
pub enum Elements {
    /// Whole numbers that fit 64 bits with a sign.
    Int(Vec<i64>),
    /// Whole numbers that need 64 bits without one.
    Uint(Vec<u64>),
    /// Floats, widened.
    Float(Vec<f64>),
}

impl Elements {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Int(list) => list.len(),
            Self::Uint(list) => list.len(),
            Self::Float(list) => list.len(),
        }
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<Number> {
        match self {
            Self::Int(list) => list.get(index).map(|&n| Number::Int(n.into())),
            Self::Uint(list) => list.get(index).map(|&n| Number::Int(n.into())),
            Self::Float(list) => list.get(index).map(|&x| Number::Float(x)),
        }
    }
}
