//! Measures which races the checker detects in the variants of the corpus, on graphs. The exact oracle, the label of
//! the variant, and the checker evaluate each launch.
//!
//! - `launch` creates the launch of a variant on a graph;
//! - `case` runs a launch and compares the judges;
//! - `results` compares the results of kernels;
//! - `table` counts the results.

mod case;
mod launch;
mod results;
pub mod table;

use crate::graph::published::Large;
use crate::graph::{Graph, Name};
use crate::pattern::Variant;
use crate::peers::Peer;
pub use case::{Case, CaseResult, Subject};
use hirace_core::diagnostic::Result;
use hirace_core::exec::Executor;
pub(crate) use launch::launch;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A graph with a name.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name in tables.
    pub name: String,
    /// The graph.
    pub graph: Graph,
}

impl Input {
    /// Generates the graph of a name with this seed.
    ///
    /// # Errors
    /// There is no such graph.
    pub fn generate(name: &Name, seed: u64) -> std::result::Result<Self, crate::graph::GraphError> {
        Ok(Self { name: name.to_string(), graph: name.generate(seed)? })
    }

    /// Generates the published graph of this name, or the graph that the name describes.
    ///
    /// # Errors
    /// There is no such graph.
    pub fn of(name: &str, seed: u64) -> std::result::Result<Self, crate::graph::GraphError> {
        match Large::find(name) {
            Some(large) => Ok(Self { name: name.to_owned(), graph: large.generate(seed)? }),
            None => Self::generate(&name.parse()?, seed),
        }
    }
}

/// The options of a run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The executor of the checker; `None` is the embedded executor.
    pub device: Option<&'a (dyn Executor + Sync)>,
    /// The seed of the values.
    pub seed: u64,
    /// The number of seeded schedules in addition to the default order.
    pub schedules: u32,
    /// Other checkers, which evaluate the same launches.
    pub peers: &'a [Peer],
    /// Set by the caller to stop early.
    pub stop: Option<&'a AtomicBool>,
}

/// An evenly spread sample: of the launches of all variants on all inputs, or of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    all: usize,
    wanted: usize,
}

impl Sample {
    /// Creates a sample of `wanted` out of `all`.
    pub fn new(all: usize, wanted: usize) -> Self {
        Self { all, wanted: wanted.min(all) }
    }

    /// Returns the size of the sample.
    pub fn len(&self) -> usize {
        self.wanted
    }

    /// Returns whether the sample is empty.
    pub fn is_empty(&self) -> bool {
        self.wanted == 0
    }

    /// Returns whether the item of this number is in the sample.
    pub fn has(&self, number: usize) -> bool {
        let count_before = |number: usize| number * self.wanted / self.all.max(1);
        count_before(number + 1) > count_before(number)
    }
}

/// Runs the sampled launches of every variant on every input, and calls `on_result` after each. If stopped, returns the
/// completed results.
///
/// # Errors
/// The device cannot run a launch; or a bug in `hirace`, since all kernels are valid.
pub fn run(
    variants: &[Variant],
    inputs: &[Input],
    sample: &Sample,
    options: &Options<'_>,
    on_result: &(dyn Fn(&CaseResult) + Sync),
) -> Result<Vec<CaseResult>> {
    let stopped = || options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let run_variant = |(at, variant): (usize, &Variant)| -> Result<Vec<CaseResult>> {
        let mut results = Vec::new();
        let subject = Subject::new(*variant)?;
        for (number, input) in inputs.iter().enumerate() {
            if stopped() {
                break;
            }
            if !sample.has(at * inputs.len() + number) {
                continue;
            }
            let result = Case { subject: &subject, input, number, options }.judge()?;
            on_result(&result);
            results.push(result);
        }
        Ok(results)
    };
    let by_variant: Vec<Vec<CaseResult>> = match options.device {
        None => variants.par_iter().enumerate().map(run_variant).collect::<Result<_>>()?,
        Some(_) => variants.iter().enumerate().map(run_variant).collect::<Result<_>>()?,
    };
    Ok(by_variant.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
