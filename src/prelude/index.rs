//! Indices, both for rustc's type check of kernels and for helpers that run as plain Rust.

use super::classes::IndexInteger;

/// Converts a WGSL index to a Rust index. Generated code calls this; kernels write `base[i]`.
pub fn index<I: IndexInteger>(index: I) -> usize {
    index.position()
}
