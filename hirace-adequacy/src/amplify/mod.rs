//! What the order of things changes in the tests of a suite.
//!
//! Launches are run in many orders by [`hirace_core::amplify`]: those of files in this process ([`launches`]), those of tests
//! that a command runs in theirs ([`processes`]). A test that looks at what hangs on the order is asked: it is run once more
//! with the one launch in that order.

pub mod launches;
pub mod merge;
pub mod processes;
pub mod report;

use hirace_core::amplify::results::{File, Test};
use hirace_core::folder::Piece;
use serde::{Deserialize, Serialize};

/// A test that is done, and what it launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The test.
    pub test: Test,
    /// What its launches were of.
    pub files: Vec<File>,
}

impl Piece for Done {
    type Key = String;
    const LINES: &'static str = "amplified.jsonl";
    const RESULTS: &'static str = "amplified.json";

    fn key(&self) -> String {
        self.test.name.clone()
    }
}

/// Hears of each test that is done, and keeps it.
pub trait Keeper: Send {
    /// What is known of the test of this name.
    fn known(&self, name: &str) -> Option<&Done>;

    /// This one is done.
    ///
    /// # Errors
    /// It cannot be kept: then no more are done.
    fn done(&mut self, done: &Done) -> hirace_core::diagnostic::Result<()>;
}
