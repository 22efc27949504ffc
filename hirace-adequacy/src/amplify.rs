//! Schedule amplification: which results of a suite's tests depend on the schedule.
//!
//! [`hirace_core::amplify`] runs launches under many schedules: launches of files in this process ([`launches`]), and launches of
//! tests that a command runs in the process of each test ([`processes`]). To see whether a test accepts a finding, the test is run
//! again with that one launch under that schedule.

pub mod launches;
pub mod merge;
pub mod processes;
pub mod report;

use hirace_core::amplify::results::{File, Test};
use hirace_core::folder::Piece;
use serde::{Deserialize, Serialize};

/// A finished test and its launches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test.
    pub test: Test,
    /// The source files of its launches.
    pub files: Vec<File>,
}

impl Piece for TestResult {
    type Key = String;
    const LINES: &'static str = "amplified.jsonl";
    const RESULTS: &'static str = "amplified.json";

    fn key(&self) -> String {
        self.test.name.clone()
    }
}

/// A store for the results of tests.
pub trait TestStore: Send {
    /// Returns the known result of the test with this name.
    fn known(&self, name: &str) -> Option<&TestResult>;

    /// Stores the result of a test.
    ///
    /// # Errors
    /// Returns an error if the result cannot be stored. The run then ends.
    fn store(&mut self, result: &TestResult) -> hirace_core::diagnostic::Result<()>;
}
