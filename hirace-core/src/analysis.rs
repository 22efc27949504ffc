//! Static analyses of programs, on the framework of [`crate::ir::dataflow`].

pub mod endless;
pub mod flow;
pub mod schedule_independence;
pub mod taint;
pub mod uniformity;
