//! Kernels as one writes them at first sight, with no thought of what a kernel may contain.

pub mod assign_clusters;
pub mod bfs_level;
pub mod bitonic_step;
pub mod block_reduce;
pub mod bvh;
pub mod convolution;
pub mod exclusive_scan;
pub mod fft_stage;
pub mod gaussian_blur;
pub mod jacobi;
pub mod life;
pub mod lu_panel;
pub mod mandelbrot_set;
pub mod marching_squares;
pub mod median;
pub mod nbody_step;
pub mod pagerank;
pub mod private_histogram;
pub mod ray_spheres;
pub mod red_black;
pub mod shared;
pub mod sobel_edges;
pub mod spmv;
pub mod tiled_product;
pub mod update_clusters;
