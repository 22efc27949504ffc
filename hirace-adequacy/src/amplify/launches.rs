//! Schedule amplification of launches of files and of tests in hirace.toml: each launch of a session runs under many
//! schedules.

use super::{TestResult, TestStore};
use hirace_core::amplify::results::Test;
use hirace_core::amplify::{Amplifier, Outputs, Progress, Settings};
use hirace_core::check::{Follower, LaunchGroup};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::exec::Executor;
use hirace_core::launch::Launch;
use hirace_core::launch::spec::find_nearest;
use hirace_core::program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// A predicate that selects units, that is, groups of launches, by name.
pub type UnitFilter<'a> = &'a (dyn Fn(&str) -> bool + Send + Sync);

/// A follower that runs each launch of a session under many schedules.
pub struct Launches<'a> {
    settings: Settings,
    outputs: Outputs,
    selects: UnitFilter<'a>,
    keeper: &'a mut dyn TestStore,
    stop: Option<&'a AtomicBool>,
    progress: Progress,
    /// The current unit and its amplifier.
    now: Option<(String, Amplifier<'a>)>,
    /// The names of buffers that launches may write.
    written: BTreeSet<String>,
    /// The number of units seen with each name; names need not be unique.
    seen: BTreeMap<String, u32>,
    done: Vec<TestResult>,
    launched: bool,
    has_stored_results: bool,
}

impl<'a> Launches<'a> {
    /// Creates a follower for the launches of selected units. `outputs` applies where no test defines expected outputs.
    pub fn new(
        settings: Settings,
        outputs: Outputs,
        selects: UnitFilter<'a>,
        keeper: &'a mut dyn TestStore,
        stop: Option<&'a AtomicBool>,
    ) -> Self {
        let (now, written, seen, done) = Default::default();
        let progress = Progress::default();
        Self {
            settings,
            outputs,
            selects,
            keeper,
            stop,
            progress,
            now,
            written,
            seen,
            done,
            launched: false,
            has_stored_results: false,
        }
    }

    /// Sets the progress callback.
    #[must_use]
    pub fn with_progress(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// Returns the results of all units.
    ///
    /// # Errors
    /// The last result cannot be stored, or a named buffer is not written by any launch.
    pub fn finish(mut self) -> Result<Vec<TestResult>> {
        let is_all = !self.is_stopped();
        self.end()?;
        // The buffers that earlier results wrote are unknown, so the names are checked only in a complete fresh run.
        let is_fresh = is_all && self.launched && !self.has_stored_results;
        let mut named = self.outputs.same.iter().flatten().chain(&self.outputs.as_set);
        if let Some(name) = named.find(|name| is_fresh && !self.written.contains(*name)) {
            let error = Diagnostic::new(format!("no launch writes a buffer or texture `{name}`"));
            let near = find_nearest(name, self.written.iter().map(String::as_str));
            return Err(Box::new(match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }));
        }
        Ok(self.done)
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Stores the result of the current unit. If the run was stopped, the result is incomplete and is dropped.
    fn end(&mut self) -> Result<()> {
        let Some((name, amplifier)) = self.now.take() else { return Ok(()) };
        if self.is_stopped() {
            return Ok(());
        }
        let Amplifier { launches, files, written, .. } = amplifier;
        self.launched |= !launches.is_empty();
        self.written.extend(written);
        let done = TestResult { test: Test { name, launches }, files };
        self.keeper.store(&done)?;
        self.done.push(done);
        Ok(())
    }
}

impl Follower for Launches<'_> {
    fn begins(&mut self, unit: LaunchGroup<'_>) -> Result<bool> {
        self.end()?;
        let nth = self.seen.entry(unit.name.to_owned()).or_default();
        *nth += 1;
        let name = match nth {
            1 => unit.name.to_owned(),
            nth => format!("{} ({nth})", unit.name),
        };
        if !(self.selects)(&name) {
            return Ok(false);
        }
        if let Some(known) = self.keeper.known(&name) {
            self.done.push(known.clone());
            self.has_stored_results = true;
            return Ok(false);
        }
        let mut outputs = Outputs { is_flag: true, ..self.outputs.clone() };
        if let Some(test) = unit.test {
            outputs.tolerance = test.tolerance.max(outputs.tolerance);
            outputs.expect.clone_from(&test.expect);
            if !test.expect.is_empty() || !test.golden.is_empty() {
                outputs.same = Some(test.golden.clone());
                outputs.is_flag = false;
            }
        }
        let mut amplifier = Amplifier::new(self.settings.clone(), outputs, self.stop);
        amplifier.progress = self.progress.clone();
        amplifier.test = unit.test.map(|_| name.clone());
        self.now = Some((name, amplifier));
        Ok(true)
    }

    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()> {
        match &mut self.now {
            Some((_, amplifier)) => amplifier.ran(program, launch, executor),
            None => Ok(()),
        }
    }
}
