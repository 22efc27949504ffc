//! WGSL's functions of whole vectors and matrices.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{Float, FloatVector, Matrix, NumericVector, SquareMatrix};
use super::never_executed;
use glam::Vec3;

/// `dot(a, b)`: the dot product.
pub fn dot<T: NumericVector>(a: T, b: T) -> T::Element {
    never_executed()
}

/// `cross(a, b)`: the vector perpendicular to both.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    never_executed()
}

/// `length(e)`: the length of a vector, or the absolute value of a scalar.
pub fn length<T: Float>(e: T) -> f32 {
    never_executed()
}

/// `distance(a, b)`: the length of `a - b`.
pub fn distance<T: Float>(a: T, b: T) -> f32 {
    never_executed()
}

/// `normalize(e)`: the vector of length 1 in the direction of `e`.
pub fn normalize<T: FloatVector>(e: T) -> T {
    never_executed()
}

/// `faceForward(e, incident, normal)`: `e` if `dot(normal, incident)` is negative, else `-e`.
pub fn face_forward<T: FloatVector>(e: T, incident: T, normal: T) -> T {
    never_executed()
}

/// `reflect(incident, normal)`: the reflection of `incident` at a surface with this normal.
pub fn reflect<T: FloatVector>(incident: T, normal: T) -> T {
    never_executed()
}

/// `refract(incident, normal, ratio)`: the refraction of `incident` at a surface with this normal and ratio of indices of
/// refraction.
pub fn refract<T: FloatVector>(incident: T, normal: T, ratio: f32) -> T {
    never_executed()
}

/// `transpose(m)`: the transposed matrix.
pub fn transpose<M: Matrix>(m: M) -> M::Transposed {
    never_executed()
}

/// `determinant(m)`.
pub fn determinant<M: SquareMatrix>(m: M) -> f32 {
    never_executed()
}
