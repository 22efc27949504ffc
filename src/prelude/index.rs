//! Indices, as the macro has rustc check them, and as they are where helpers run as plain Rust.

use super::classes::IndexInteger;

/// The index that Rust's slices want, of one that WGSL's arrays want. Kernels write `base[i]` alone.
pub fn index<I: IndexInteger>(index: I) -> usize {
    index.position()
}
