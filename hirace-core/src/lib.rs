//! The engine of hirace: embedded executor, observers, findings and reports.

pub mod analysis;
pub mod check;
pub mod config;
pub mod event;
pub mod exec;
pub mod facts;
pub mod finding;
pub mod launch;
pub mod observe;
pub mod random;
pub mod report;
pub mod vm;

pub use hirace_program::{diagnostic, front, ir, pass, program, shadow, source_map, watch};
