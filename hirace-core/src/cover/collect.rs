//! Collects the coverage of all launches of a session.

use super::Coverage;
use super::located;
use super::run::coverage;
use crate::check::Follower;
use crate::diagnostic::Result;
use crate::exec::Executor;
use crate::launch::Launch;
use crate::program::{Language, Program};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Re-runs every launch of a session to count what it executes.
#[derive(Debug, Default)]
pub struct Collector<'a> {
    /// The combined coverage of all launches.
    pub coverage: Coverage,
    /// The number of launches.
    pub launches: u64,
    /// The launched kernels, by file and entry point.
    pub kernels: BTreeSet<(String, String)>,
    /// The kernels that did not terminate, by file and entry point.
    pub cut_off: BTreeSet<(String, String)>,
    hits: bool,
    locates: bool,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Collector<'a> {
    /// Creates a collector that stops when `stop` is set. With `hits`, it records whether something ran, but not how
    /// often.
    pub fn new(hits: bool, stop: Option<&'a AtomicBool>) -> Self {
        Self { hits, stop, ..Self::default() }
    }
}

impl Collector<'_> {
    /// Makes the collector locate the source files of kernels that a macro has read.
    #[must_use]
    pub fn locating(self) -> Self {
        Self { locates: true, ..self }
    }
}

impl Follower for Collector<'_> {
    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()> {
        let (mut counted, ended) = coverage(executor, program, launch, self.hits, self.stop)?;
        let mut name = program.source.name().to_owned();
        if self.locates
            && program.language == Language::Rust
            && let Some(found) = located::find(&name, program.source.text())
        {
            for file in counted.files.iter_mut().filter(|file| file.file == name) {
                (file.file, file.text) = (found.file.clone(), Some(found.text.clone()));
            }
            name = found.file;
        }
        for dispatch in &launch.dispatches {
            let entry = &program.module.entry_points[dispatch.entry].name;
            let kernel = (name.clone(), entry.clone());
            if !ended {
                self.cut_off.insert(kernel.clone());
            }
            self.kernels.insert(kernel);
        }
        self.launches += 1;
        self.coverage.add(counted);
        Ok(())
    }
}
