//! Computations of the Rodinia benchmark suite.

pub mod backprop;
pub mod gaussian;
pub mod hotspot;
pub mod lud;
pub mod nn;
pub mod pathfinder;
pub mod srad;
