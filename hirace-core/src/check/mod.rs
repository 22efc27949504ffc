//! The whole job: a source and what is known of its launches in, a report out.
//!
//! ```
//! use hirace_core::check::{Options, check_wgsl};
//! use hirace_core::finding::Verdict;
//!
//! let shader = "
//!     var<workgroup> tile: array<u32, 64>;
//!     @group(0) @binding(0) var<storage, read_write> out: array<u32>;
//!     @compute @workgroup_size(64)
//!     fn main(@builtin(local_invocation_index) lane: u32) {
//!         tile[lane] = lane;
//!         out[lane] = tile[63 - lane]; // a barrier is missing
//!     }";
//! let report = check_wgsl("reverse.wgsl", shader, &Options::default())?;
//! assert_eq!(report.verdict, Verdict::Findings);
//! let race = &report.launches[0].findings[0];
//! assert_eq!(race.accesses.iter().map(|access| access.line).collect::<Vec<_>>(), [6, 7]);
//! # Ok::<(), Box<hirace_core::diagnostic::Diagnostic>>(())
//! ```

mod again;
pub mod file;
mod ladder;
pub mod memory;
mod overrides;
mod relations;
pub mod run;
#[cfg(test)]
mod run_tests;
mod session;
mod sum;

pub use session::Session;

use crate::diagnostic::{Diagnostic, Result};
use crate::event::{Event, Fact};
use crate::exec::Watch;
use crate::finding::suppress::Allows;
use crate::finding::{LaunchReport, Report};
use crate::front::{Parsed, wgsl};
use crate::launch::build;
use crate::launch::infer;
use crate::launch::spec::LaunchSpec;
use crate::program::Program;
use memory::Memory;
use std::sync::Arc;

/// What to check, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Entry points to check; empty: all. Launches that name their dispatches are not asked.
    pub kernels: Vec<String>,
    /// The launches; empty: one of which everything is guessed.
    pub launches: Vec<LaunchSpec>,
    /// How many seeded schedules to run beside the plain one.
    pub schedules: u32,
    /// What is watched.
    pub watch: Watch,
}

/// What came of checking one source.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// A report for each launch and entry point.
    pub launches: Vec<LaunchReport>,
    /// For each of those, memory after it: as given, or the first that was tried.
    pub memories: Vec<Memory>,
    /// What is to be said about the source itself: comments that allow nothing.
    pub warnings: Vec<Diagnostic>,
    /// Why the rest was not checked, where the device failed. What was done until then is reported.
    pub failures: Vec<Diagnostic>,
}

impl Checked {
    /// Adds a failure, unless it was told already: of a device that is lost, every launch says so.
    fn fail(&mut self, failure: Diagnostic) {
        let same = |told: &Diagnostic| {
            (&told.message, &told.labels) == (&failure.message, &failure.labels)
        };
        if !self.failures.iter().any(same) {
            self.failures.push(failure);
        }
    }
}

/// Checks the WGSL text `text`, called `name` in reports, on the embedded executor.
pub fn check_wgsl(name: &str, text: &str, options: &Options) -> Result<Report> {
    let parsed = wgsl::parse(name, text)?;
    let mut session = Session::new(&crate::exec::embedded::Embedded);
    let checked = launches(&parsed, options, &mut session)?;
    match checked.failures.into_iter().next() {
        None => Ok(Report::new(checked.launches)),
        Some(failure) => Err(Box::new(failure)),
    }
}

/// Checks every launch of `parsed`: those given, or a guessed one of each entry point. If the session
/// is stopped, the reports are of what was done until then.
pub fn launches(parsed: &Parsed, options: &Options, session: &mut Session<'_>) -> Result<Checked> {
    let mut checked = Checked::default();
    checked.warnings = program(parsed, options, session, &mut checked, &|_| {})?;
    Ok(checked)
}

/// Checks every launch of `parsed`, and adds what comes of it to `checked`; `complete` adds to each report what
/// is known of the program from without. What is to be said about the source is returned.
fn program(
    parsed: &Parsed,
    options: &Options,
    session: &mut Session<'_>,
    checked: &mut Checked,
    complete: &dyn Fn(&mut LaunchReport),
) -> Result<Vec<Diagnostic>> {
    let guessed = [LaunchSpec::default()];
    let mut allows = Allows::read(&parsed.source);
    let specs = if options.launches.is_empty() { &guessed[..] } else { &options.launches[..] };
    for spec in specs {
        let (values, inferred) = overrides::values(parsed, &spec.overrides);
        let program = Arc::new(Program::new(parsed, &values)?);
        build::check_names(&program, spec)?;
        for entry in entries(&program, options, spec)? {
            if session.stopped() {
                break;
            }
            let subject = ladder::Subject {
                program: &program,
                spec,
                entry,
                watch: &options.watch,
                schedules: options.schedules,
                inferred: &inferred,
            };
            let climbed = ladder::climb(&subject, session)?;
            if let Some(failure) = climbed.failure {
                checked.fail(*failure);
            }
            if let Some(mut report) = climbed.report {
                allows.apply(&mut report);
                complete(&mut report);
                session.allow_known(&mut report);
                session.emit(&Event::Found(Fact::Launch(&report)));
                checked.launches.push(report);
                let resources = climbed.memory;
                checked.memories.push(Memory { program: Arc::clone(&program), resources });
            }
        }
    }
    // A comment that allows nothing may speak of an entry point that was not asked about.
    let whole = options.kernels.is_empty()
        && specs.iter().all(|spec| spec.dispatches.is_empty())
        && checked.failures.is_empty()
        && !session.stopped();
    let mut warnings = parsed.warnings.clone();
    if whole {
        warnings.extend(allows.warnings());
    }
    Ok(warnings)
}

/// The entry points of which `spec` is a launch each; for a launch that names its dispatches, the
/// first of those.
fn entries(program: &Program, options: &Options, spec: &LaunchSpec) -> Result<Vec<usize>> {
    if let Some(first) = spec.dispatches.first() {
        return Ok(vec![infer::find_entry(program, &first.entry)?]);
    }
    if options.kernels.is_empty() {
        return Ok(program.entries().map(|(index, _)| index).collect());
    }
    options.kernels.iter().map(|name| infer::find_entry(program, name)).collect()
}

#[cfg(test)]
mod tests;
