//! Detection, measured: variants on graphs, each launch judged by the exact oracle, by how the variant was
//! made, and by the checker.
//!
//! - `launch` says what a variant is given on a graph;
//! - `case` runs one and compares the judges;
//! - `results` compares what the kernels compute;
//! - `table` counts.

mod case;
mod launch;
mod results;
pub mod table;

use crate::graph::published::Large;
use crate::graph::{Graph, Name};
use crate::pattern::Variant;
use crate::peers::Peer;
pub use case::{Case, Judged, Subject};
use hirace_core::diagnostic::Result;
use hirace_core::exec::Executor;
pub(crate) use launch::launch;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A graph and what it is called.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name in tables.
    pub name: String,
    /// The graph.
    pub graph: Graph,
}

impl Input {
    /// The graph that a name means, of this seed.
    ///
    /// # Errors
    /// No such graph.
    pub fn generate(name: &Name, seed: u64) -> std::result::Result<Self, crate::graph::Impossible> {
        Ok(Self { name: name.to_string(), graph: name.generate(seed)? })
    }

    /// The published graph of this name, or the one that the name means.
    ///
    /// # Errors
    /// No such graph.
    pub fn of(name: &str, seed: u64) -> std::result::Result<Self, crate::graph::Impossible> {
        match Large::find(name) {
            Some(large) => Ok(Self { name: name.to_owned(), graph: large.generate(seed)? }),
            None => Self::generate(&name.parse()?, seed),
        }
    }
}

/// How launches are made and run.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What checks them; none: the embedded executor.
    pub device: Option<&'a (dyn Executor + Sync)>,
    /// Seed of the values.
    pub seed: u64,
    /// How many seeded schedules beside the plain order.
    pub schedules: u32,
    /// Other checkers that are asked too.
    pub peers: &'a [Peer],
    /// Set by somebody else to end early.
    pub stop: Option<&'a AtomicBool>,
}

/// Which are chosen: of the launches of all variants on all inputs, or of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    all: usize,
    wanted: usize,
}

impl Sample {
    /// So many of `all`, evenly chosen.
    pub fn new(all: usize, wanted: usize) -> Self {
        Self { all, wanted: wanted.min(all) }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.wanted
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.wanted == 0
    }

    /// Whether the one of this number is.
    pub fn has(&self, number: usize) -> bool {
        let before = |number: usize| number * self.wanted / self.all.max(1);
        before(number + 1) > before(number)
    }
}

/// Runs the chosen launches of every variant on every input. `done` is called after each; if stopped, what was done
/// is returned.
///
/// # Errors
/// What the device cannot do; and bugs of `hirace`, since all kernels here are right.
pub fn run(
    variants: &[Variant],
    inputs: &[Input],
    chosen: &Sample,
    options: &Options<'_>,
    done: &(dyn Fn(&Judged) + Sync),
) -> Result<Vec<Judged>> {
    let stopped = || options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let of_variant = |(at, variant): (usize, &Variant)| -> Result<Vec<Judged>> {
        let mut judged = Vec::new();
        let subject = Subject::new(*variant)?;
        for (number, input) in inputs.iter().enumerate() {
            if stopped() {
                break;
            }
            if !chosen.has(at * inputs.len() + number) {
                continue;
            }
            let result = Case { subject: &subject, input, number, options }.judge()?;
            done(&result);
            judged.push(result);
        }
        Ok(judged)
    };
    let all: Vec<Vec<Judged>> = match options.device {
        None => variants.par_iter().enumerate().map(of_variant).collect::<Result<_>>()?,
        Some(_) => variants.iter().enumerate().map(of_variant).collect::<Result<_>>()?,
    };
    Ok(all.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
