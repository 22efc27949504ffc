//! WGSL's own functions as Rust sees them: free functions under WGSL's names in snake_case, glam's and std's
//! methods, associated functions and constants.
//!
//! The table is data; `lower` types calls by it, `print` prints them by it, and the prelude of the facade
//! declares each of its rows to rustc.

use super::tree::{Scalar, Texture, Type};

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

/// What types a type variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// No type variable.
    None,
    /// `f32` and its vectors.
    Float,
    /// Vectors of `f32`.
    FloatVector,
    /// `f32`, `i32`, `u32` and their vectors.
    Numeric,
    /// `f32`, `i32` and their vectors.
    Signed,
    /// `i32`, `u32` and their vectors.
    Integer,
    /// `bool` and its vectors.
    Bool,
    /// Vectors of numbers.
    NumericVector,
    /// Any scalar or vector.
    Value,
    /// `i32` or `u32`: what atomics hold.
    Atomic,
    /// Square matrices.
    Matrix,
    /// Anything that can be in memory.
    Any,
}

/// The type of a parameter or of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `T`.
    T,
    /// The scalar that `T` is made of.
    Element,
    /// `T` with another scalar.
    Like(Scalar),
    /// A scalar.
    Scalar(Scalar),
    /// A vector.
    Vector(u8, Scalar),
    /// `()`.
    Unit,
    /// A place that holds an `Atomic<T>`, or a plain `T` used atomically (a reference in Rust).
    AtomicPlace,
    /// A place that holds a `T` (a reference in Rust).
    Place,
    /// A place that holds an array or slice of anything (a reference in Rust).
    ArrayPlace,
    /// What a compare-exchange of `T` gives.
    Exchange,
    /// For functions of textures: as [`texture`] says.
    Texture,
}

/// How a builtin is written in WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// A call with all arguments in order.
    Call(&'static str),
    /// An expression, in parentheses where needed, with `{0}`, `{1}` … for the arguments: each once or more.
    Template(&'static str),
}

/// A function of textures, for a texture of a certain kind.
#[derive(Debug, PartialEq)]
pub struct TextureCall {
    /// The builtin to print.
    pub builtin: &'static Builtin,
    /// The types of the arguments after the texture.
    pub parameters: Vec<Type>,
    /// What it gives.
    pub result: Type,
}

/// Free functions of this name; several that differ in the number of parameters.
pub fn functions(_name: &str) -> Vec<&'static Builtin> {
    Vec::new()
}

/// The method of this name of a receiver of this type; of several, those that differ in the number of
/// parameters.
pub fn methods(_receiver: &Type, _name: &str) -> Vec<&'static Builtin> {
    Vec::new()
}

/// The function `Type::name`: `Vec3::splat`, `f32::from_bits`.
pub fn associated(_ty: &Type, _name: &str) -> Option<&'static Builtin> {
    None
}

/// The constant `Type::NAME` as WGSL writes it: `Vec3::ONE`, `u32::MAX`.
pub fn constant(_ty: &Type, _name: &str) -> Option<&'static str> {
    None
}

/// The function `name` of a texture with so many further arguments; `None` if there is none such.
pub fn texture(_name: &str, _texture: &Texture, _arguments: usize) -> Option<TextureCall> {
    None
}

/// Names like `name` that exist, for «did you mean».
pub fn similar(_name: &str) -> Option<&'static str> {
    None
}
