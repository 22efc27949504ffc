//! Shaders as programs: front ends, views of naga's IR, passes, and the monitor's shadow memory.
//!
//! This crate holds everything that is known about a kernel without running it. The engine, in `hirace-engine`, runs programs.
//! The procedural macros, in `hirace-macros`, build programs while a user's crate compiles.
//!
//! It is a crate of its own because the macros depend on it: a user's crate must not wait for the engine to be built, whose lane
//! operations take most of the project's build time.
//!
//! Each module uses only those before it in this list (tests excluded): `source_map`, `diagnostic`, `ir`, `program`, `points`,
//! `webgpu`, `prove`, `watch`, `shadow`, `pass`, `front`.
//!
//! Do not depend on this crate directly: use `hirace`. Its API changes with every version.

pub mod diagnostic;
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
