//! Kernels in Rust: syntax → typed tree → WGSL text and source map → naga.
//!
//! [`find`] finds the monitored items of a file; [`compose`] puts those together that use one another.
//! [`lower`] resolves names and infers types, so that what is printed says every type; [`mod@print`] makes
//! statements of Rust's expressions, specialises helpers for the memory they are called with, and keeps a
//! [`map`] of where each stretch of WGSL came from. [`builtins`] is the table of WGSL's own functions.

mod atomics;
pub mod builtins;
pub mod compose;
mod copies;
mod depth;
mod encoded;
mod files;
pub mod find;
mod layout;
pub mod lower;
pub mod map;
pub mod ordered;
pub mod origin;
mod parse;
pub mod print;
#[cfg(test)]
mod refused;
mod specialise;
pub mod template;
pub mod tree;
mod unbalanced;
mod uniforms;
mod walk;

pub(crate) use depth::check as check_depth;
pub use parse::{File, parse_file, parse_file_among, parse_item, parse_module, parse_printed};
