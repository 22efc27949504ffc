//! Kernels as one writes them at first sight, with no thought of what a kernel may contain.

pub mod block_reduce;
pub mod exclusive_scan;
pub mod life;
pub mod nbody_step;
pub mod private_histogram;
pub mod shared;
pub mod tiled_product;
