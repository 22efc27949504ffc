//! `hirace` finds concurrency bugs in GPU compute kernels: data races, barrier divergence,
//! out-of-bounds accesses and loops that make no progress.

pub use hirace_core::*;
