//! What operators and built-in functions compute, lane by lane, with WGSL's exact semantics.
//!
//! Pure functions over registers: nothing here knows of memory, masks or control flow. They compute
//! every lane, active or not; whoever calls keeps the lanes it wants. No function here panics on any
//! bits in any lane, and none allocates.
//!
//! # Registers
//! A value lies in consecutive [`Slot`]s, one 32-bit word for each lane:
//! - `i32`, `u32`: the value. `f32`: its bits. `bool`: 0 or 1.
//! - `i16`, `u16`: the value, sign- or zero-extended. `f16`: the bits of the `f32` of equal value.
//! - `i64`, `u64`, `f64`: two slots, the low half first.
//! - Vectors: their components in order. Matrices: their columns in order, without padding.
//!
//! # Vectors
//! Component-wise functions take all components of an operand at once. The result has as many
//! components as `out` has room for; an operand of a single component serves for all of them
//! (`vec * scalar`, `mat * scalar`, `mix(vec, vec, scalar)`).
//!
//! # Types
//! A function is given the [`naga::Scalar`] of its operands. What validation refuses (`&` on floats,
//! abstract types) leaves `out` as it was.
//!
//! # Floats
//! `f32` and `f64` are IEEE 754, denormals, infinities and NaN included, which WGSL allows and does
//! not require. `f16` is computed in `f32` and rounded once, at the result.

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

/// How many slots a scalar takes.
pub const fn slots(scalar: naga::Scalar) -> usize {
    if scalar.width == 8 { 2 } else { 1 }
}

#[cfg(test)]
mod tests;
