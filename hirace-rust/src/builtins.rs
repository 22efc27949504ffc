//! WGSL's built-in functions as Rust sees them: free functions with WGSL's names in snake_case, methods of glam and
//! `std`, associated functions and constants.
//!
//! The table is data. `lower` uses it to type calls, `print` to write them, and the facade's prelude declares each of
//! its rows to rustc. A free function has WGSL's meaning: `round(0.5)` is 0.0. A function named by Rust or glam has
//! their meaning: `0.5f32.round()` is 1.0. A function that WGSL cannot express with that meaning is not in the table.
//! Integer results are exact. Float results are within the accuracy that WGSL requires of the operations that they
//! consist of, if Rust's result is finite. Calls that panic in Rust return an unspecified value.
//!
//! Operators, casts, swizzles (`v.zyx()`), `bitcast` (whose result type depends on its context) and `Atomic::plain`
//! are not in the table, because no row can describe them.

/// Defines rows of the table: name, class of `T`, parameters, result, and WGSL.
macro_rules! table {
    ($($name:literal: $class:expr, [$($parameters:tt)*] => $result:expr, $emit:expr;)*) => {
        &[$(Builtin {
            name: $name,
            class: $class,
            parameters: &[$($parameters)*],
            result: $result,
            emit: $emit,
        },)*]
    };
}

mod class;
mod constants;
mod directions;
mod emit;
mod floats;
mod functions;
mod halves;
mod integers;
#[cfg(test)]
mod listing;
mod matrices;
mod memory;
mod names;
#[cfg(test)]
mod tests;
mod textures;
mod vectors;
mod wide;

pub use class::{Class, Parameter};
pub use constants::{constant, constants, std_float_constant};
pub use emit::{Emit, Piece};
pub use halves::half_constant;
pub use names::{find_similar_name, unavailable_reason};
pub use textures::{alternative, texture};
pub use wide::float_conversion;

use crate::types::Type;

/// A WGSL built-in function, or an expression that has a name only in Rust.
#[derive(Debug, PartialEq)]
pub struct Builtin {
    /// Its name in Rust.
    pub name: &'static str,
    /// The class of its type variable `T`.
    pub class: Class,
    /// Its parameters. For a method, the receiver is the first.
    pub parameters: &'static [Parameter],
    /// Its result.
    pub result: Parameter,
    /// The way it is written in WGSL.
    pub emit: Emit,
}

/// A texture function, resolved for one kind of texture.
#[derive(Debug, PartialEq)]
pub struct TextureCall {
    /// The builtin to print. Its first argument is the texture.
    pub builtin: &'static Builtin,
    /// The types of the arguments after the texture.
    pub parameters: Vec<TextureParameter>,
    /// The result type.
    pub result: Type,
}

/// The type of a texture function's parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureParameter {
    /// A value of this type.
    Type(Type),
    /// An `i32` or `u32`, or for a number above 1 a vector of that many of either.
    Integers(u8),
    /// A constant of this type.
    Constant(Type),
}

/// The families of free functions.
const FUNCTIONS: &[&[Builtin]] = &[
    functions::FUNCTIONS,
    vectors::FUNCTIONS,
    matrices::FUNCTIONS,
    memory::FUNCTIONS,
    textures::FUNCTIONS,
];

/// The families of methods.
const METHODS: &[&[Builtin]] = &[
    floats::METHODS,
    integers::METHODS,
    wide::METHODS,
    halves::METHODS,
    vectors::METHODS,
    directions::METHODS,
    matrices::METHODS,
    memory::METHODS,
];

/// The families of associated functions.
const ASSOCIATED: &[&[Builtin]] =
    &[floats::ASSOCIATED, halves::ASSOCIATED, vectors::ASSOCIATED, matrices::ASSOCIATED];

/// Returns the free functions of this name. They differ in the number of parameters.
pub fn functions(name: &str) -> Vec<&'static Builtin> {
    FUNCTIONS.iter().copied().flatten().filter(|row| row.name == name).collect()
}

/// Returns the methods of this name for a receiver of this type. They differ in the number of parameters.
pub fn methods(receiver: &Type, name: &str) -> Vec<&'static Builtin> {
    let rows = METHODS.iter().copied().flatten().filter(|row| row.name == name);
    rows.filter(|row| row.has_receiver(receiver)).collect()
}

/// Returns the function `Type::name`: `Vec3::splat`, `f32::from_bits`. Its `T` is that type.
pub fn find_associated(ty: &Type, name: &str) -> Option<&'static Builtin> {
    let mut rows = ASSOCIATED.iter().copied().flatten().filter(|row| row.name == name);
    rows.find(|row| row.class.admits(ty))
}

/// Returns all rows of one of the three lists.
pub fn rows(of: RowKind) -> impl Iterator<Item = &'static Builtin> {
    let families = match of {
        RowKind::Function => FUNCTIONS,
        RowKind::Method => METHODS,
        RowKind::Associated => ASSOCIATED,
    };
    families.iter().copied().flatten()
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// `name(…)`.
    Function,
    /// `receiver.name(…)`.
    Method,
    /// `Type::name(…)`.
    Associated,
}

impl Builtin {
    /// Returns whether a value or place of this type can be the receiver.
    fn has_receiver(&self, receiver: &Type) -> bool {
        match self.parameters.first() {
            Some(Parameter::AtomicPlace) => matches!(receiver, Type::Atomic(_)),
            Some(Parameter::ArrayPlace) => matches!(receiver, Type::Array(..) | Type::Slice(_)),
            Some(Parameter::T) => self.class.admits(receiver),
            Some(parameter) => parameter.of(None).as_ref() == Some(receiver),
            None => false,
        }
    }
}
