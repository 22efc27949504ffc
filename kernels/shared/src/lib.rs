//! Functions, structs and constants that kernels of other crates use.

#![deny(warnings, missing_docs, unreachable_pub, clippy::all)]

pub mod mixing;
pub mod shapes;
pub mod steps;

/// Re-exported under another name and from another module than it is defined in.
pub use mixing::scramble as hashed;
