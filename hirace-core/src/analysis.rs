//! Static analyses of programs, on the framework of [`crate::ir::dataflow`].

pub mod atomics;
pub mod endless;
pub mod flow;
pub mod ineffective_barriers;
pub mod order_dependence;
pub mod schedule_independence;
pub mod taint;
pub mod uniformity;
