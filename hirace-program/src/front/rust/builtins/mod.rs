//! WGSL's own functions as Rust sees them: free functions under WGSL's names in snake_case, glam's and std's
//! methods, associated functions and constants.
//!
//! The table is data; `lower` types calls by it, `print` prints them by it, and the prelude of the facade
//! declares each of its rows to rustc. A free function has WGSL's meaning (`round(0.5)` is 0.0); what Rust or
//! glam name has theirs (`0.5f32.round()` is 1.0), and what WGSL cannot say so is not in the table.
//! Integers are exact; floats are within the accuracy that WGSL asks of what they are made of, where Rust's
//! result is finite. What panics in Rust gives some value.
//!
//! Not in the table, since no row could say it: operators, casts, swizzles (`v.zyx()`), `bitcast`, whose
//! result its context says, and `Atomic::plain`.

mod atomics;
mod bits;
mod class;
mod constants;
mod directions;
mod emit;
mod floats;
mod geometry;
mod halves;
mod integers;
#[cfg(test)]
mod listing;
mod matrices;
mod names;
mod numeric;
mod subgroups;
mod sync;
#[cfg(test)]
mod tests;
mod textures;
mod vectors;
mod wide;

pub use class::{Class, Parameter};
pub use constants::{constant, constants, imported};
pub use emit::{Emit, Piece};
pub use halves::half_constant;
pub use names::{refused, similar};
pub use textures::{instead, texture};
pub use wide::of_float;

use super::tree::Type;

/// A function of WGSL's own, or an expression that has a name in Rust alone.
#[derive(Debug, PartialEq)]
pub struct Builtin {
    /// Its name in Rust.
    pub name: &'static str,
    /// What its type variable `T` may be.
    pub class: Class,
    /// Its parameters; for a method, the receiver first.
    pub parameters: &'static [Parameter],
    /// What it gives.
    pub result: Parameter,
    /// How it is written in WGSL.
    pub emit: Emit,
}

/// A row of the table.
const fn row(
    name: &'static str,
    class: Class,
    parameters: &'static [Parameter],
    result: Parameter,
    emit: Emit,
) -> Builtin {
    Builtin { name, class, parameters, result, emit }
}

/// A function of textures, for a texture of a certain kind.
#[derive(Debug, PartialEq)]
pub struct TextureCall {
    /// The builtin to print; its first argument is the texture.
    pub builtin: &'static Builtin,
    /// The types of the arguments after the texture.
    pub parameters: Vec<TextureParameter>,
    /// What it gives.
    pub result: Type,
}

/// The type of a texture function's parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureParameter {
    /// This one.
    Type(Type),
    /// `i32` or `u32`, or for a number above 1 a vector of so many of one of them.
    Integers(u8),
    /// This one, and known while compiling.
    Constant(Type),
}

/// The families of free functions.
const FUNCTIONS: &[&[Builtin]] = &[
    numeric::FUNCTIONS,
    geometry::FUNCTIONS,
    bits::FUNCTIONS,
    vectors::FUNCTIONS,
    matrices::FUNCTIONS,
    atomics::FUNCTIONS,
    sync::FUNCTIONS,
    subgroups::FUNCTIONS,
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
    atomics::METHODS,
    sync::METHODS,
];

/// The families of associated functions.
const ASSOCIATED: &[&[Builtin]] =
    &[floats::ASSOCIATED, halves::ASSOCIATED, vectors::ASSOCIATED, matrices::ASSOCIATED];

/// Free functions of this name; several that differ in the number of parameters.
pub fn functions(name: &str) -> Vec<&'static Builtin> {
    FUNCTIONS.iter().copied().flatten().filter(|row| row.name == name).collect()
}

/// The method of this name of a receiver of this type; of several, those that differ in the number of
/// parameters.
pub fn methods(receiver: &Type, name: &str) -> Vec<&'static Builtin> {
    let rows = METHODS.iter().copied().flatten().filter(|row| row.name == name);
    rows.filter(|row| row.has_receiver(receiver)).collect()
}

/// The function `Type::name`: `Vec3::splat`, `f32::from_bits`. Its `T` is that type.
pub fn associated(ty: &Type, name: &str) -> Option<&'static Builtin> {
    let mut rows = ASSOCIATED.iter().copied().flatten().filter(|row| row.name == name);
    rows.find(|row| row.class.admits(ty))
}

/// All rows of one of the three lists: free functions, methods, associated functions.
pub fn rows(of: Kind) -> impl Iterator<Item = &'static Builtin> {
    let families = match of {
        Kind::Function => FUNCTIONS,
        Kind::Method => METHODS,
        Kind::Associated => ASSOCIATED,
    };
    families.iter().copied().flatten()
}

/// The kinds of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `name(…)`.
    Function,
    /// `receiver.name(…)`.
    Method,
    /// `Type::name(…)`.
    Associated,
}

impl Builtin {
    /// Whether a value or place of this type can stand before the dot.
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
