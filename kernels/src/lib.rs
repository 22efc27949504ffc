//! Kernels in Rust, as users of `hirace` write them. Each has a racy twin with a typical mistake, and tests
//! that compare the results of the clean kernel with plain Rust and the races of the racy one with the marks
//! in its source.
//!
//! Launches run on the embedded executor, or on the device that `HIRACE_DEVICE` names (as `--device` does). The
//! expectations are the same for both:
//!
//! ```text
//! HIRACE_DEVICE=llvmpipe cargo test -p hirace-kernels
//! ```
//!
//! A race is marked under both of its accesses, each from its own point of view:
//!
//! ```text
//!     tile[lane] += tile[lane + stride];
//! //  ^^^^^^^^^^ race: write/read on tile[..]
//! ```

#![allow(clippy::module_inception, reason = "a file has one monitored module, of the same name")]

pub mod append;
pub mod arg_max;
pub mod binning;
pub mod bitonic_sort;
pub mod box_blur;
pub mod breadth_first;
pub mod compaction;
pub mod composed;
pub mod constructs;
pub mod dot_product;
pub mod early_out;
pub mod fft;
pub mod flood_fill;
pub mod game_of_life;
pub mod hash_table;
pub mod heat;
pub mod histogram;
pub mod histogram_in_tiles;
pub mod k_means;
pub mod mandelbrot;
pub mod matrix_product;
pub mod monte_carlo_pi;
pub mod n_body;
pub mod natural;
pub mod odd_even_sort;
pub mod parboil;
pub mod polybench;
pub mod ported;
pub mod radix_sort;
pub mod ring_buffer;
pub mod rodinia;
pub mod sampled_blur;
pub mod saxpy;
pub mod scan_blelloch;
pub mod scan_hillis_steele;
pub mod scan_multi_pass;
pub mod sobel;
pub mod spin_lock;
pub mod subgroup_sum;
pub mod tone_map;
pub mod transform;
pub mod transpose;
pub mod tree_sum;
pub mod upper_case;
pub mod verify;
pub mod wave;

#[cfg(test)]
mod marks;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod support;
