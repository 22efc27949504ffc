//! Kernels as one writes them at first sight, with no thought of what a kernel may contain.

pub mod bfs_level;
pub mod black_scholes;
pub mod block_reduce;
pub mod bvh;
pub mod bytecode;
pub mod colour_space;
pub mod compact;
pub mod convolution;
pub mod counting_sort;
pub mod exclusive_scan;
pub mod lu_panel;
pub mod nbody_step;
pub mod neural_layer;
pub mod pagerank;
pub mod particle_grid;
pub mod private_histogram;
pub mod ray_spheres;
pub mod rule_automaton;
pub mod smith_waterman;
pub mod sph_density;
pub mod tiled_product;
pub mod union_find;
