//! What can be said of a program without running it.

pub mod endless;
pub mod flow;
pub mod steady;
pub mod taint;
pub mod uniformity;
