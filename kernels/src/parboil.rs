//! The computations of the Parboil benchmark suite.

pub mod bfs;
pub mod cutcp;
pub mod histo;
pub mod mri_gridding;
pub mod mri_q;
pub mod sad;
pub mod sgemm;
pub mod spmv;
pub mod stencil;
pub mod tpacf;
