//! The counts and findings of an exploration.

use super::Outcome;
use super::execution::{Finding, FindingKind};
use rustc_hash::FxHashSet;

/// The counts and findings of an exploration.
#[derive(Debug)]
pub(super) struct Totals<S> {
    pub(super) executions: u64,
    pub(super) blocked: u64,
    pub(super) abandoned: u64,
    pub(super) bounded: bool,
    /// The reason why the program cannot be explored.
    pub(super) refused: Option<Outcome>,
    pub(super) findings: Vec<Finding<S>>,
    pub(super) seen: FxHashSet<(FindingKind, Vec<u32>)>,
    /// The postconditions that were found not to hold.
    pub(super) unmet: FxHashSet<u32>,
}

impl<S> Default for Totals<S> {
    fn default() -> Self {
        let (refused, findings, seen, unmet) = Default::default();
        let (executions, blocked, abandoned, bounded) = (0, 0, 0, false);
        Self { executions, blocked, abandoned, bounded, refused, findings, seen, unmet }
    }
}

impl<S> Totals<S> {
    /// Adds the totals of another part of the exploration.
    pub(super) fn add(&mut self, other: Self) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.abandoned += other.abandoned;
        self.bounded |= other.bounded;
        self.refused = self.refused.or(other.refused);
        for finding in other.findings {
            let is_new = match finding.claim {
                Some(claim) => self.unmet.insert(claim),
                None => self.seen.insert((finding.kind, key(&finding.sites))),
            };
            if is_new {
                self.findings.push(finding);
            }
        }
    }
}

/// Returns the sites in canonical order.
pub(super) fn key(sites: &[u32]) -> Vec<u32> {
    let mut key = sites.to_vec();
    key.sort_unstable();
    key
}
