//! The results of comparisons, for rustc's type check of kernels.

use super::classes::{Mask, MaskFor};
use super::never_executed;

/// Converts the result of a comparison of vectors to a vector of `bool`. Generated code calls this; kernels write `a.cmplt(b)`.
pub fn mask<M: Mask>(_mask: M) -> M::Vector {
    never_executed()
}

/// Converts a vector of `bool` to the mask of glam's `select`. Generated code calls this; kernels write `Vec4::select(mask, a,
/// b)`.
pub fn mask_of<M, V: MaskFor<M>>(_vector: V) -> M {
    never_executed()
}
