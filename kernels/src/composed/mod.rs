//! Kernels that use what stands beside them, in other modules, in other files, and in another crate.

pub mod across;
pub mod apart;
pub mod beside;
pub mod inside;
pub mod layout;
pub mod steps;
