//! Runs compute shaders and shows every access to observers: the engine of the embedded executor ([`vm`]) and
//! its observers ([`observe`]).
//!
//! The code is in a crate of its own so that the hot paths are optimized in every build while the rest of the
//! workspace is not: see the profiles in the workspace's `Cargo.toml`. This crate is not meant to be used
//! directly: its API changes with every version.
//!
//! [`vm`] does not use [`observe`]. Its entry point is not generic over observers, so that the engine is
//! compiled once, in this crate.

pub mod observe;
pub mod random;
pub mod vm;

#[cfg(test)]
use hirace_program::front;
use hirace_program::{diagnostic, ir, points, program, source_map, watch};
