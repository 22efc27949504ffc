//! The cost of checking: kernels timed bare and checked in alternation, and the memory that checking needs.
//!
//! - `corpus` has the kernels, and `launches` their launches, from small to large;
//! - `measure` finds a launch that takes long enough, and times it in all ways;
//! - `words` determines the memory and the sites to monitor;
//! - `agreement` validates Oclgrind, which can be timed for comparison, against the embedded executor;
//! - `statistics` computes ratios and means of times, `report` has all results, and `plot` draws them on a page.

pub mod agreement;
pub mod corpus;
mod launches;
mod measure;
pub mod plot;
pub mod report;
pub mod statistics;
mod words;

use corpus::Kernel;
use hirace_core::exec::Executor;
pub use launches::Graphs;
use report::{ExecutorReport, Row, Skipped};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The options of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The number of times that each way is timed.
    pub repeats: usize,
    /// The minimum time of the bare kernel, if it has a launch that takes so long.
    pub least: Duration,
    /// The maximum time for timing a kernel, after at least three rounds.
    pub most: Duration,
    /// Whether Oclgrind is timed, too, on kernels that can be expressed in OpenCL C.
    pub oclgrind: bool,
    /// Set by the caller to stop early.
    pub stop: Option<&'a AtomicBool>,
}

impl Options<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Measures `kernels` on an executor. `done` is called after each. If stopped, the completed results are returned.
pub fn run(
    executor: &dyn Executor,
    kernels: &[Kernel],
    graphs: &Graphs,
    options: &Options<'_>,
    done: &dyn Fn(&Kernel),
) -> ExecutorReport {
    let (mut rows, mut skipped): (Vec<Row>, Vec<Skipped>) = Default::default();
    for kernel in kernels {
        match measure::measure(executor, kernel, graphs, options) {
            Ok(Some(row)) => rows.push(row),
            // It was stopped, which may have caused the error.
            Ok(None) => break,
            Err(_) if options.stopped() => break,
            Err(error) => {
                let (name, corpus) = (kernel.name.clone(), kernel.corpus);
                skipped.push(Skipped { name, corpus, reason: error.to_string() });
            }
        }
        done(kernel);
    }
    ExecutorReport::new(executor.device().to_string(), rows, skipped)
}
