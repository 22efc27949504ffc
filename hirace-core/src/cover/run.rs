//! Runs launches with coverage counters.

use super::Coverage;
use crate::diagnostic::Result;
use crate::exec::{Executor, LaunchCounts};
use crate::launch::Launch;
use crate::points::Points;
use crate::program::Program;
use std::sync::atomic::AtomicBool;

/// Runs `launch` and returns its coverage, and whether it terminated.
pub fn coverage(
    executor: &dyn Executor,
    program: &Program,
    launch: &Launch,
    hits: bool,
    stop: Option<&AtomicBool>,
) -> Result<(Coverage, bool)> {
    let points = Points::of(program);
    let LaunchCounts { counts, dispatches, ended } =
        executor.count(program, &points, launch, hits, stop)?;
    let mut coverage = Coverage::from_counts(program, &points, &counts, &dispatches);
    if hits {
        coverage.reduce_to_hits();
    }
    Ok((coverage, ended))
}
