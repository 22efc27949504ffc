//! Shaders as programs: front ends, views of naga's IR, passes, and the monitor's shadow memory.
//!
//! Everything that is known of a kernel without running it. The engine, in `hirace-core`, runs programs;
//! the macro, in `hirace-macros`, makes them while a user's crate compiles.
//!
//! Not meant to be used directly: use `hirace`. It changes with every version.

pub mod diagnostic;
pub mod ensured;
pub mod front;
pub mod ir;
pub mod pass;
pub mod points;
pub mod program;
pub mod prove;
pub mod shadow;
pub mod source_map;
pub mod watch;
pub mod webgpu;
