//! Indices, as the macro has rustc check them.

use super::classes::IndexInteger;
use super::never_executed;

/// The index that rustc's slices want, of one that WGSL's arrays want. Kernels write `base[i]` alone.
pub fn index<I: IndexInteger>(_index: I) -> usize {
    never_executed()
}
