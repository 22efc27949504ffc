//! Published kernels of rust-gpu and cubecl, rewritten for hirace: the same computations in independent code. Their sources,
//! and the necessary changes, are in docs/evaluation/comparisons.md.

pub mod collatz;
pub mod reduce;
pub mod sums;
