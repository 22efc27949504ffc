//! Passes: from a module to a module. None knows who will run it.
//!
//! A pass is a [`Change`](crate::ir::rebuild::Change) that [`rewrite()`](rewrite::rewrite) asks at each step, and that
//! [`Program::derive`](crate::program::Program::derive) makes a program of.

pub mod cover;
pub mod monitor;
pub mod mutants;
pub mod rewrite;
mod runtime;
pub mod specialise;
pub mod target_first;
