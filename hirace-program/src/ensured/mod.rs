//! What is claimed of memory once all invocations are done: `count == 8 && (0..4).all(|i| out[i] == i + 1)`.
//!
//! It is an expression of Rust's, and [read] by its parser, so that `#[ensures(…)]` at a kernel in Rust is checked by
//! rustc and says the same as the flag of `hirace verify`. Numbers are those of mathematics: nothing wraps around.

mod read;
mod rust;

pub use read::{parse, read};
pub use rust::of_kernel;

use crate::source_map::Span;

/// The attribute of kernels in Rust.
pub const ATTRIBUTE: &str = "ensures";

/// What holds, or does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// `true` or `false`.
    Literal(bool),
    /// Two numbers compared.
    Is(Number, Comparison, Number),
    /// It does not hold.
    Not(Box<Condition>),
    /// Both hold.
    Both(Box<Condition>, Box<Condition>),
    /// One of them holds.
    Either(Box<Condition>, Box<Condition>),
    /// `(0..8).all(|i| …)`, and `any`.
    Each(Box<Each>),
}

/// A condition of each number of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// Whether it holds of all of them, rather than of one at least.
    pub of_all: bool,
    /// The first number.
    pub first: Number,
    /// The number behind the last.
    pub end: Number,
    /// The condition. The number is its [`Number::Bound`], by how many of these are around it.
    pub condition: Condition,
}

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// One with a fraction.
    Fraction(f64),
    /// That of a range: the outermost is 0.
    Bound(usize),
    /// What an element of memory holds.
    Held(Element),
    /// How many elements an array has.
    Length(Element),
    /// Less than nothing by it.
    Negative(Box<Number>),
    /// One made of two.
    Of(Box<Number>, Operator, Box<Number>),
}

/// An element of a variable of the module: `particles[3].pos.x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The variable.
    pub variable: String,
    /// The way from there.
    pub path: Vec<Step>,
    /// Where it stands in what was read.
    pub span: Span,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// To the element of this index.
    Index(Number),
    /// To the member, or the component, of this name.
    Member(String),
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// They are the same.
    Equal,
    /// They differ.
    Differ,
    /// The first is less.
    Less,
    /// The first is not greater.
    AtMost,
    /// The first is greater.
    Greater,
    /// The first is not less.
    AtLeast,
}

/// What is made of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient; of integers without its fraction.
    Divide,
    /// What is left by that.
    Remainder,
}
