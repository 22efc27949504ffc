//! Static analyses of programs.

pub mod endless;
pub mod flow;
pub mod steady;
pub mod taint;
pub mod uniformity;
