//! The front end for kernels in Rust: syntax → typed tree → WGSL text and source map → naga.
//!
//! [`find`] finds the monitored items of a file, and [`compose`] combines items that use one another. [`lower`]
//! resolves names and infers types. [`mod@print`] converts Rust's expressions to WGSL statements, specializes helpers
//! for the memory that they are called with, and records in a [`map`] which Rust each stretch of WGSL came from.
//! [`builtins`] is the table of WGSL's built-in functions.
//!
//! **Architecture invariant:** the macro and the command line use this front end, so both produce the same WGSL, byte
//! for byte (`kernels/tests/same_text.rs`). Neither expands macros or evaluates `cfg`.
//!
//! It is a crate of its own because most of the code that works on programs does not need it: the engine is compiled at the same
//! time. Do not depend on this crate directly: use `hirace`. Its API changes with every version.

pub mod builtins;
pub mod compose;
mod copies;
mod delimiters;
mod depth;
pub mod find;
mod identifier;
pub mod lower;
pub mod map;
pub mod memory_ordering;
mod name;
pub mod origin;
mod parse;
pub mod postcondition;
mod prelude_types;
pub mod print;
mod printed;
#[cfg(test)]
mod rejected;
pub mod template;
pub mod tree;
mod types;
mod uniforms;
mod walk;

use hirace_program::{diagnostic, front, ir, program, source_map};

pub use parse::{File, parse_file, parse_file_among, parse_item, parse_module};
pub use printed::parse_printed;
