//! Coverage: what the pass has a kernel count is what the embedded engine counts.
//!
//! - `counts` holds one against the other, on the embedded engine and on a device;
//! - `control` makes random kernels of nothing but control flow, whose lines count themselves.

mod control;
mod counts;

use libtest_mimic::Trial;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    counts::trials()
}
