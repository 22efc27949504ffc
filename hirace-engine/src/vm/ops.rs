//! The operators and built-in functions, computed lane by lane with WGSL's exact semantics.
//!
//! These are pure functions over registers: they do not know about memory, masks or control flow. They
//! compute every lane, active or not; the caller keeps the lanes that it needs. No function panics, whatever
//! the bits in a lane, and none allocates.
//!
//! # Registers
//!
//! A value is stored in consecutive [`Slot`]s, each with one 32-bit word per lane:
//! - `i32`, `u32`: the value. `f32`: its bits. `bool`: 0 or 1.
//! - `i16`, `u16`: the value, sign- or zero-extended. `f16`: the bits of the `f32` with the same value.
//! - `i64`, `u64`, `f64`: two slots, the low half first.
//! - Vectors: their components in order. Matrices: their columns in order, without padding.
//!
//! # Vectors
//!
//! Component-wise functions take all components of an operand at once. The result has as many components as
//! `out` has room for; an operand with a single component is used for all of them (`vec * scalar`,
//! `mat * scalar`, `mix(vec, vec, scalar)`).
//!
//! # Types
//!
//! A function takes the [`naga::Scalar`] of its operands. For types that validation rejects (`&` on floats,
//! abstract types), `out` is left unchanged.
//!
//! # Floats
//!
//! `f32` and `f64` follow IEEE 754, including denormals, infinities and NaN, which WGSL allows but does not
//! require. `f16` is computed in `f32`, and the result is rounded once.

pub mod binary;
pub mod convert;
pub mod image;
mod lane;
pub mod math;
pub mod matrix;
mod number;
pub mod relational;
pub mod sample;
mod small;
pub mod subgroup;
pub mod texel;
pub mod unary;

/// One 32-bit word for each lane of a subgroup.
pub type Slot<const N: usize> = [u32; N];

/// Returns the number of slots of a scalar.
pub const fn slots(scalar: naga::Scalar) -> usize {
    if scalar.width == 8 { 2 } else { 1 }
}

#[cfg(test)]
mod tests;
