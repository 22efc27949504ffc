//! The hooks: what a watcher sees, and what it can do.
//!
//! - `seen`: all dispatches of a program, with their bindings.
//! - `lives`: the lifetimes of devices, records and submissions.
//! - `counting`: a watcher that adds counters to kernels, in its own group or in one of the application.

mod counting;
mod lives;
mod seen;

use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    [seen::trials(), lives::trials(), counting::trials()].into_iter().flatten().collect()
}
