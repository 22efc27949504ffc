//! Coverage: what the pass has a kernel count is what the embedded engine counts.
//!
//! - `arms` has every kind of arm, in each language;
//! - `counts` holds one against the other, on the embedded engine and on a device;
//! - `control` makes random kernels of nothing but control flow, whose lines count themselves;
//! - `suite` follows the tests of a crate;
//! - `tools` are those that its reports are for;
//! - `verb` is what users run.

mod arms;
mod control;
mod counts;
mod suite;
mod tools;
mod verb;

use hirace_testing::harness::Trial;

/// The trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = counts::trials();
    trials.extend(arms::trials());
    trials.extend(suite::trials());
    trials.extend(tools::trials());
    trials.extend(verb::trials());
    trials
}
