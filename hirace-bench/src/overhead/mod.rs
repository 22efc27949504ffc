//! What checking costs: kernels bare and checked, timed by turns, and the memory that it takes.
//!
//! - `corpus` has the kernels, and `launches` launches of each, from small to large;
//! - `measure` finds the launch that takes long enough, and times it in all ways;
//! - `words` says what of it there is to monitor;
//! - `agreement` says whether Oclgrind, which can be timed beside, does what the embedded executor does;
//! - `statistics` makes ratios and means of times, `report` all that is said of them, and `plot` a page of that.

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
use report::{OnExecutor, Row, Skipped};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How kernels are measured.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How often each is timed in each way.
    pub repeats: usize,
    /// The bare kernel takes at least this long, if it has a launch that does.
    pub least: Duration,
    /// How long the timing of a kernel takes at most, once there are three rounds.
    pub most: Duration,
    /// Whether Oclgrind is timed too, on the kernels that OpenCL C has words for.
    pub oclgrind: bool,
    /// Set by somebody else to end early.
    pub stop: Option<&'a AtomicBool>,
}

impl Options<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Measures `kernels` on an executor. `done` is called after each; if stopped, what was done is returned.
pub fn run(
    executor: &dyn Executor,
    kernels: &[Kernel],
    graphs: &Graphs,
    options: &Options<'_>,
    done: &dyn Fn(&Kernel),
) -> OnExecutor {
    let (mut rows, mut skipped): (Vec<Row>, Vec<Skipped>) = Default::default();
    for kernel in kernels {
        match measure::measure(executor, kernel, graphs, options) {
            Ok(Some(row)) => rows.push(row),
            // It was stopped, which may be what failed.
            Ok(None) => break,
            Err(_) if options.stopped() => break,
            Err(error) => {
                let (name, corpus) = (kernel.name.clone(), kernel.corpus);
                skipped.push(Skipped { name, corpus, reason: error.to_string() });
            }
        }
        done(kernel);
    }
    OnExecutor::new(executor.device().to_string(), rows, skipped)
}
