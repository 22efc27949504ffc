//! Claims: conditions that the source states about values, such as an assertion, or that arithmetic stays in the range of its
//! type.
//!
//! A claim is attached to an expression. It does not change what the program computes; an executor can check whether it holds.

/// A condition that the source states about an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// The result is in the range of its type, a 32-bit integer type.
    InRange,
    /// The expression is true.
    Holds,
    /// The expression is true: the values that it compares are equal.
    Equal,
    /// The expression is true: the values that it compares differ.
    Different,
    /// The expression is never evaluated.
    Unreached,
}

impl Claim {
    /// All claims.
    pub const ALL: [Self; 5] =
        [Self::InRange, Self::Holds, Self::Equal, Self::Different, Self::Unreached];
}
