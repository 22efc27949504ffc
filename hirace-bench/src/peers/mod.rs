//! Other checkers, on the same kernels.
//!
//! - `opencl` prints a kernel in OpenCL C, as far as that has words for it;
//! - `oclgrind` runs it under Oclgrind's `--data-races`.

pub mod oclgrind;
pub mod opencl;
