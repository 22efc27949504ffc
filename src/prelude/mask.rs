//! Results of comparisons, as the macro has rustc check them.

use super::classes::{Mask, MaskFor};
use super::never_executed;

/// The vector of `bool` that a comparison of vectors gives. Kernels write `a.cmplt(b)` alone.
pub fn mask<M: Mask>(_mask: M) -> M::Vector {
    never_executed()
}

/// A vector of `bool` as glam's `select` takes it. Kernels write `Vec4::select(mask, a, b)` alone.
pub fn mask_of<M, V: MaskFor<M>>(_vector: V) -> M {
    never_executed()
}
