//! The computations of the PolyBench benchmark suite.

pub mod adi;
pub mod atax;
pub mod bicg;
pub mod convolution_2d;
pub mod convolution_3d;
pub mod correlation;
pub mod covariance;
pub mod doitgen;
pub mod fdtd_2d;
pub mod gemm;
pub mod gemver;
pub mod gesummv;
pub mod gramschmidt;
pub mod jacobi_1d;
pub mod jacobi_2d;
pub mod lu;
pub mod mvt;
pub mod syr2k;
pub mod syrk;
pub mod three_mm;
pub mod two_mm;
