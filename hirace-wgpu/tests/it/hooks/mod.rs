//! The seam: what a watcher is shown, and what it can do.
//!
//! - `seen`: all dispatches of a program, with what is bound;
//! - `lives`: when devices, records and submissions come and go;
//! - `counting`: a watcher that puts counters into kernels, in a group of its own or in one of the application's.

mod counting;
mod lives;
mod seen;

use hirace_testing::harness::Trial;

pub fn trials() -> Vec<Trial> {
    [seen::trials(), lives::trials(), counting::trials()].into_iter().flatten().collect()
}
