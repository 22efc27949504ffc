//! Passes: transformations from a module to a module. A pass does not know which executor will run the result.
//!
//! A pass is a [`RebuildChange`](crate::ir::rebuild::RebuildChange) that [`rewrite()`](rewrite::rewrite) calls at each step.
//! [`Program::derive`](crate::program::Program::derive) creates a program from the result.
//!
//! **Architecture invariant:** passes do not depend on executors, and the engine does not depend on passes. The result of a pass
//! is an ordinary module: it runs on the embedded executor, and it can be written as WGSL.

pub mod cover;
pub mod insert_barriers;
pub mod monitor;
pub mod mutants;
pub mod rewrite;
mod runtime;
pub mod specialize;
pub mod target_first;
