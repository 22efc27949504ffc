//! What a source claims of values: that a condition holds, or that arithmetic stays in the range of its type.
//!
//! A claim stands at an expression. It changes nothing of what the program computes: who runs it sees whether it
//! held.

/// What is claimed of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// Its result is in the range of its type, which is that of integers of 32 bits.
    InRange,
    /// It is true.
    Holds,
    /// It is true: what it compares is equal.
    Equal,
    /// It is true: what it compares differs.
    Different,
    /// Control does not come here.
    Unreached,
}

impl Claim {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::InRange, Self::Holds, Self::Equal, Self::Different, Self::Unreached];
}
