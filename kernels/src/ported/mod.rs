//! Published kernels of rust-gpu and cubecl, as one writes them here: the same computation, in words of our own. What had to
//! change, and where they come from, is in docs/rust-compared.md.

pub mod collatz;
pub mod reduce;
pub mod sums;
