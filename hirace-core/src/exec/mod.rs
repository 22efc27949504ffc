//! Executors: what runs a launch of a program and says what it saw.

use crate::diagnostic::Result;
use crate::launch::Launch;
use crate::observe::trace::Trace;
use crate::observe::{Granule, Racy};
use crate::program::Program;
use crate::vm::run::Run;
use std::sync::atomic::AtomicBool;

/// Runs launches. Detect first ([`Executor::run`]), then explain ([`Executor::trace`]).
pub trait Executor {
    /// A line about the device, for reports: `embedded (subgroups of 32)`.
    fn device(&self) -> String;

    /// Runs `launch` and finds the racy granules.
    fn run(
        &self,
        program: &Program,
        launch: &Launch,
        watch: &Watch,
        stop: Option<&AtomicBool>,
    ) -> Result<Outcome>;

    /// Runs `launch` again and logs every access to `granules` in the dispatch with this index.
    fn trace(
        &self,
        program: &Program,
        launch: &Launch,
        dispatch: usize,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<Trace>;
}

/// What is watched.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Names of variables not to watch.
    pub ignore: Vec<String>,
    /// Also run the exact oracle, and compare.
    pub oracle: bool,
}

/// What came of a launch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// A result for each dispatch that ran.
    pub dispatches: Vec<Dispatched>,
    /// Contents of each buffer after the last dispatch, by global variable index.
    pub buffers: Vec<Option<Vec<u8>>>,
}

/// What came of one dispatch.
#[derive(Debug, Default)]
pub struct Dispatched {
    /// The racy granules.
    pub racy: Racy,
    /// Those of the oracle, if it was asked.
    pub oracle: Option<Racy>,
    /// What the engine found by itself.
    pub run: Run,
    /// Storage words, workgroup words and texels under watch.
    pub watched: u64,
    /// Accesses checked.
    pub checked: u64,
    /// What could not be watched or judged, in words.
    pub warnings: Vec<String>,
}
