//! Kernels that use items of the same file, other modules, other files, and another crate.

pub mod across;
pub mod apart;
pub mod beside;
pub mod inside;
pub mod layout;
pub mod steps;
