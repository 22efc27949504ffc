//! Kernels as one writes them at first sight, with no thought of what a kernel may contain.

pub mod bfs_level;
pub mod bitonic_step;
pub mod block_reduce;
pub mod exclusive_scan;
pub mod gaussian_blur;
pub mod life;
pub mod mandelbrot_set;
pub mod nbody_step;
pub mod private_histogram;
pub mod shared;
pub mod spmv;
pub mod tiled_product;
