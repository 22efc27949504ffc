//! How well `hirace` detects, and what that costs: programs with known races, graphs to run them on, tables of what was
//! found, and times with checks and without.

#![forbid(unsafe_code)]

pub mod detect;
pub mod graph;
pub mod history;
pub mod overhead;
pub mod pattern;
pub mod peers;
