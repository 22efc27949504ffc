//! How well `hirace` detects: programs with known races, graphs to run them on, and tables of what was found.

#![forbid(unsafe_code)]

pub mod detect;
pub mod graph;
pub mod history;
pub mod pattern;
pub mod peers;
