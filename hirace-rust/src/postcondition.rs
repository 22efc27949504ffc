//! Postconditions of kernels: conditions that memory must satisfy after all invocations have finished, such as `count
//! == 8 && (0..4).all(|i| out[i] == i + 1)`.
//!
//! A condition is a Rust expression and is [read] with Rust's parser. `#[ensures(…)]` on a kernel in Rust is therefore
//! checked by rustc and means the same as the flag of `hirace verify`. Numbers are mathematical: arithmetic does not
//! wrap around.

mod kernel;
mod read;

pub use kernel::kernel_conditions;
pub use read::{parse, read};

use crate::source_map::Span;

/// The name of the attribute for kernels in Rust.
pub const ATTRIBUTE: &str = "ensures";

/// A condition on the contents of memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// `true` or `false`.
    Literal(bool),
    /// A comparison of two numbers.
    Compare(Number, Comparison, Number),
    /// The negation of a condition.
    Not(Box<Condition>),
    /// A conjunction.
    And(Box<Condition>, Box<Condition>),
    /// A disjunction.
    Or(Box<Condition>, Box<Condition>),
    /// A quantified condition: `(0..8).all(|i| …)` or `(0..8).any(|i| …)`.
    Each(Box<Quantified>),
}

/// A condition on each number of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    /// Whether the condition must hold for all numbers of the range; otherwise for at least one.
    pub for_all: bool,
    /// The first number.
    pub first: Number,
    /// One past the last number.
    pub end: Number,
    /// The condition. It refers to the number as [`Number::Bound`] with the number of enclosing [`Quantified`] as index.
    pub condition: Condition,
}

/// A numeric expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A number with a fraction.
    Fraction(f64),
    /// The bound number of an enclosing range; the outermost range has index 0.
    Bound(usize),
    /// The value of an element of memory.
    Value(Element),
    /// The number of elements of an array.
    Length(Element),
    /// The negation of a number.
    Negate(Box<Number>),
    /// An arithmetic operation on two numbers.
    Binary(Box<Number>, Operator, Box<Number>),
}

/// An element of a variable of the module: `particles[3].pos.x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The variable.
    pub variable: String,
    /// The path from the variable to the element.
    pub path: Vec<Step>,
    /// The span of the element in the condition's text.
    pub span: Span,
}

/// A step of an access path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The element at this index.
    Index(Number),
    /// The member or vector component of this name.
    Member(String),
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    Differ,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient; for integers, rounded toward zero.
    Divide,
    /// The remainder of that division.
    Remainder,
}
