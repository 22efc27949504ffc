//! Measures the detection quality and the cost of `hirace`: programs with known races, graphs to run them on, tables of
//! what was found, and times with and without checks.

#![forbid(unsafe_code)]

pub mod detect;
pub mod graph;
pub mod history;
pub mod overhead;
pub mod pattern;
pub mod peers;
