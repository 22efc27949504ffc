//! The search for launches: drafts that reach a new point are mutated further.

use super::alphabet::Alphabet;
use super::draft::Draft;
use super::kernel::{Kernel, StepLimits};
use crate::audit::point::Point;
use hirace_core::random::Random;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of drafts that are run per kernel.
const RUNS: usize = 1200;

/// The number of consecutive drafts without a new point after which the search ends.
const IDLE: usize = 500;

/// A draft that ran to completion, with the points it reaches.
#[derive(Clone, Debug)]
pub struct ReachingDraft {
    /// The launch.
    pub draft: Draft,
    /// The points it reaches.
    pub points: BTreeSet<Point>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Drafts that each reach a point that no earlier one reaches. The seeds come first.
    pub found: Vec<ReachingDraft>,
    /// The number of launches that were run.
    pub runs: usize,
    /// The step limits of the launches.
    pub limits: StepLimits,
}

/// Searches for launches of `kernel` that reach the points in `wanted`. Mutates `seeds`, with numbers from `alphabet`.
pub fn explore(
    kernel: &Kernel,
    alphabet: &Alphabet,
    seeds: Vec<Draft>,
    wanted: &BTreeSet<Point>,
    stop: Option<&AtomicBool>,
) -> SearchResult {
    let mut explored = SearchResult { found: Vec::new(), runs: 0, limits: StepLimits::USUAL };
    let mut random = Random::new(0x5eed);
    let mut reached: BTreeSet<Point> = BTreeSet::new();
    let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let mut run = |draft: Draft, explored: &mut SearchResult| -> bool {
        explored.runs += 1;
        let Some(ran) = kernel.run(&draft, explored.limits, stop).filter(|ran| ran.ended) else {
            return false;
        };
        let before = reached.len();
        reached.extend(ran.points.iter().cloned());
        let is_new = reached.len() > before;
        if is_new {
            explored.found.push(ReachingDraft { draft, points: ran.points });
        }
        is_new
    };
    for limits in [StepLimits::USUAL, StepLimits::LONG] {
        explored.limits = limits;
        for draft in &seeds {
            run(draft.clone(), &mut explored);
        }
        if !explored.found.is_empty() {
            break;
        }
    }
    let mut left = wanted.clone();
    let (mut idle, mut known) = (0, 0);
    while idle < IDLE && explored.runs < RUNS && !explored.found.is_empty() && !is_stopped() {
        for found in &explored.found[known..] {
            left.retain(|point| !found.points.contains(point));
        }
        known = explored.found.len();
        if left.is_empty() {
            break;
        }
        // Half of the time, one of the three latest drafts is chosen, because these are most likely to lead to new points.
        let nth = match random.below(2u32) {
            0 => known - 1 - random.below(known.min(3)),
            _ => random.below(known),
        };
        let draft = explored.found[nth].draft.changed(alphabet, &mut random);
        idle = if run(draft, &mut explored) { 0 } else { idle + 1 };
    }
    explored
}
