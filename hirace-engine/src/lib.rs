//! Runs compute shaders and watches every access: the engine of the embedded executor ([`vm`]) and
//! its observers ([`observe`]).
//!
//! A crate of its own, so that what runs hot is optimized in every build and the rest is not: see the
//! workspace's profiles. Not meant to be used directly: it changes with every version.

pub mod observe;
pub mod random;
pub mod vm;

#[cfg(test)]
use hirace_program::front;
use hirace_program::{diagnostic, ir, points, program, source_map, watch};
