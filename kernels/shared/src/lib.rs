//! Functions, structs and constants that kernels of other crates use.

#![deny(warnings, missing_docs, unreachable_pub, clippy::all)]

pub mod mixing;
pub mod shapes;
pub mod steps;

/// By another name, and from another place, than it stands in.
pub use mixing::scramble as hashed;
