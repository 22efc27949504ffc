//! WGSL's functions on whole vectors and matrices.

use super::super::tree::Scalar::F32;
use super::Emit::Call;
use super::Parameter::{Element, Scalar, T, Transposed};
use super::{Builtin, Class, row};

/// All matrices.
pub(super) const MATRICES: Class =
    Class::Matrices(&[(2, 2), (3, 3), (4, 4), (2, 3), (2, 4), (3, 2), (3, 4), (4, 2), (4, 3)]);

pub(super) const FUNCTIONS: &[Builtin] = &[
    row("dot", Class::NumericVector, &[T, T], Element, Call("dot")),
    row("cross", Class::Only(&[3], &[F32]), &[T, T], T, Call("cross")),
    row("length", Class::Float, &[T], Element, Call("length")),
    row("distance", Class::Float, &[T, T], Element, Call("distance")),
    row("normalize", Class::FloatVector, &[T], T, Call("normalize")),
    row("face_forward", Class::FloatVector, &[T, T, T], T, Call("faceForward")),
    row("reflect", Class::FloatVector, &[T, T], T, Call("reflect")),
    row("refract", Class::FloatVector, &[T, T, Scalar(F32)], T, Call("refract")),
    row("transpose", MATRICES, &[T], Transposed, Call("transpose")),
    row("determinant", Class::Matrix, &[T], Scalar(F32), Call("determinant")),
];
