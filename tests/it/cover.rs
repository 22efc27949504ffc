//! Tests of coverage: a kernel that is instrumented by the pass counts what the embedded engine counts.
//!
//! - `arms` has every kind of arm, in each language;
//! - `counts` compares the pass and the engine, on the embedded engine and on a device;
//! - `control` makes random kernels that consist only of control flow, whose lines count their executions;
//! - `suite` covers the tests of a crate;
//! - `tools` runs the tools that read the reports;
//! - `verb` tests the command.

mod arms;
mod control;
mod counts;
mod suite;
mod tools;
mod verb;

use hirace_testing::harness::Trial;

/// Returns the trials of this module.
pub fn trials() -> Vec<Trial> {
    let mut trials = counts::trials();
    trials.extend(arms::trials());
    trials.extend(suite::trials());
    trials.extend(tools::trials());
    trials.extend(verb::trials());
    trials
}
