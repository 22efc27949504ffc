//! What hirace does with what runs: launches, checks, findings and reports.

pub mod analysis;
pub mod check;
pub mod config;
pub mod event;
pub mod exec;
pub mod facts;
pub mod finding;
pub mod launch;
pub mod report;

pub use hirace_engine::{observe, random, vm};
pub use hirace_program::{diagnostic, front, ir, pass, program, shadow, source_map, watch};
