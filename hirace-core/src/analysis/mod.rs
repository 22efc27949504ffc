//! Static analyses of programs.

pub mod endless;
pub mod flow;
pub mod schedule_independence;
pub mod taint;
pub mod uniformity;
