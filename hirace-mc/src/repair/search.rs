//! The search for a repair: sets of changes, in order of size.
//!
//! If the text with a set of changes still has a finding, the set is extended by changes that might remove that
//! finding. So each set grows along the findings, and no smaller set that could verify is skipped.

use super::{CandidateResult, Change, Limits, Subject};
use crate::report::results::{Tally, Verdict};
use hirace_core::edit::Edit;
use rustc_hash::FxHashSet;
use std::sync::atomic::Ordering;

/// Edits that remove all findings.
#[derive(Clone, Debug, Default)]
pub struct FoundRepair {
    /// The edits in the order of the text.
    pub edits: Vec<Edit>,
    /// The verdict on the edited text.
    pub verdict: Option<Verdict>,
}

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The repair, if one was found.
    pub repair: Option<FoundRepair>,
    /// The number of explored candidates.
    pub candidates: u64,
    /// The number of candidates that were not fully explored.
    pub undecided: u64,
    /// The number of candidates with each kind of change.
    pub tried: Vec<Tally>,
    /// Whether untried candidates remain.
    pub is_limited: bool,
}

/// A set of changes that leaves a finding, with the changes that might remove that finding.
struct Node<F> {
    changes: Vec<usize>,
    size: u32,
    found: F,
    against: Vec<usize>,
    /// Whether the finding differs from the one before its last change.
    is_further: bool,
}

struct Search<'a, S: Subject> {
    subject: &'a S,
    limits: Limits<'a>,
    candidates: u64,
    undecided: u64,
    tried: Vec<Tally>,
    limited: bool,
    seen: FxHashSet<Vec<usize>>,
    nodes: Vec<Node<S::Finding>>,
}

/// Searches for the smallest set of changes with which `subject` verifies, or otherwise for one that removes all
/// findings.
pub fn search<S: Subject>(subject: &S, found: S::Finding, limits: Limits<'_>) -> Outcome {
    let against = subject.changes_for(&found);
    let root = Node { changes: Vec::new(), size: 0, found, against, is_further: true };
    let mut search = Search {
        subject,
        limits,
        candidates: 0,
        undecided: 0,
        tried: Vec::new(),
        limited: false,
        seen: FxHashSet::default(),
        nodes: vec![root],
    };
    let largest = subject.changes().iter().map(|change| change.size).max().unwrap_or(0);
    let (mut repair, mut size) = (None, 1);
    let has_more =
        |search: &Search<'_, S>, size| search.nodes.iter().any(|node| node.size + largest >= size);
    while repair.is_none() && !search.limited && has_more(&search, size) {
        repair = search.of_size(size);
        size += 1;
    }
    let repair = repair.map(|(changes, verdict)| search.minimize(&changes, verdict));
    let Search { candidates, undecided, tried, limited, .. } = search;
    Outcome { is_limited: limited && repair.is_none(), repair, candidates, undecided, tried }
}

impl<S: Subject> Search<'_, S> {
    /// Tries the sets of this size, each of which adds one change to a smaller set that leaves a finding. Returns the
    /// first set that verifies, or otherwise the first that removes all findings although not everything could be
    /// explored.
    fn of_size(&mut self, size: u32) -> Option<(Vec<usize>, Verdict)> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|at| (self.nodes[*at].size, !self.nodes[*at].is_further));
        let mut open = None;
        for at in order {
            for change in self.nodes[at].against.clone() {
                let node = &self.nodes[at];
                if node.size + self.subject.changes()[change].size != size {
                    continue;
                }
                let Some(changes) = with(self.subject, &node.changes, change) else { continue };
                if !self.seen.insert(changes.clone()) {
                    continue;
                }
                if self.candidates >= self.limits.candidates || self.is_stopped() {
                    self.limited = true;
                    return open;
                }
                let Some(CandidateResult { verdict, found, is_complete: is_whole }) =
                    self.explore(&changes)
                else {
                    continue;
                };
                match (verdict, found) {
                    (Verdict::Verified, _) => return Some((changes, verdict)),
                    (Verdict::Violation, Some(found)) => {
                        let against = self.subject.changes_for(&found);
                        let is_further = found != self.nodes[at].found;
                        self.nodes.push(Node { changes, size, found, against, is_further });
                    }
                    (Verdict::Violation, None) => {}
                    _ if !is_whole => self.undecided += 1,
                    (Verdict::Bounded | Verdict::Inconclusive, _) => {
                        open.get_or_insert((changes, verdict));
                    }
                }
            }
        }
        open
    }

    fn edits(&self, changes: &[usize]) -> Vec<Edit> {
        let all = self.subject.changes();
        let mut edits: Vec<Edit> =
            changes.iter().flat_map(|change| all[*change].edits.clone()).collect();
        edits.sort();
        edits
    }

    fn explore(&mut self, changes: &[usize]) -> Option<CandidateResult<S::Finding>> {
        let tried = self.subject.explore(&self.edits(changes))?;
        self.candidates += 1;
        for change in changes {
            let kind = self.subject.changes()[*change].kind;
            match self.tried.iter_mut().find(|tally| tally.change == kind) {
                Some(tally) => tally.candidates += 1,
                None => self.tried.push(Tally { change: kind, candidates: 1 }),
            }
        }
        Some(tried)
    }

    /// Minimizes a set: removes changes and single edits that are not needed, and weakens the others as far as
    /// possible.
    fn minimize(&mut self, changes: &[usize], verdict: Verdict) -> FoundRepair {
        let mut kept = changes.to_vec();
        for change in changes {
            let without: Vec<usize> = kept.iter().copied().filter(|one| one != change).collect();
            if self.verifies(&self.edits(&without), verdict) {
                kept = without;
            }
        }
        let mut edits = self.edits(&kept);
        let mut at = 0;
        while at < edits.len() {
            let mut without = edits.clone();
            without.remove(at);
            match self.verifies(&without, verdict) {
                true => edits = without,
                false => at += 1,
            }
        }
        for at in 0..edits.len() {
            for weaker in self.weaker(&edits[at]) {
                let mut instead = edits.clone();
                instead[at] = weaker;
                if self.verifies(&instead, verdict) {
                    edits = instead;
                    break;
                }
            }
        }
        FoundRepair { edits, verdict: Some(verdict) }
    }

    /// Returns the weaker alternatives of the changes at the location of an edit, weakest first.
    fn weaker(&self, edit: &Edit) -> Vec<Edit> {
        let of_place = self.subject.changes().iter().flat_map(|change| {
            let own = change.edits.iter().filter(|own| own.at == edit.at);
            own.map(|own| (change.steps, own))
        });
        let own = of_place.clone().find(|(_, own)| *own == edit);
        let steps = own.map_or(0, |(steps, _)| steps);
        let mut weaker: Vec<_> = of_place.filter(|(of, _)| *of < steps).collect();
        weaker.sort_unstable();
        weaker.dedup();
        weaker.into_iter().map(|(_, weaker)| weaker.clone()).collect()
    }

    fn verifies(&mut self, edits: &[Edit], verdict: Verdict) -> bool {
        if edits.is_empty() {
            return false;
        }
        let tried = self.subject.explore(edits);
        self.candidates += u64::from(tried.is_some());
        tried.is_some_and(|tried| tried.verdict == verdict && tried.is_complete)
    }

    fn is_stopped(&self) -> bool {
        self.limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Returns the set with one more change, unless their edits overlap.
fn with<S: Subject>(subject: &S, changes: &[usize], change: usize) -> Option<Vec<usize>> {
    let at = changes.binary_search(&change).err()?;
    let all = subject.changes();
    if changes.iter().any(|other| meet(&all[*other], &all[change])) {
        return None;
    }
    let mut grown = changes.to_vec();
    grown.insert(at, change);
    Some(grown)
}

/// Returns whether both change the same part of the text and cannot be combined.
fn meet(one: &Change, other: &Change) -> bool {
    let apart = |a: &Edit, b: &Edit| {
        let is_inserted = a.at.is_empty() && b.at.is_empty();
        match a.at.start == b.at.start {
            true => is_inserted && a.text != b.text || a.at.is_empty() != b.at.is_empty(),
            false => a.at.end <= b.at.start || b.at.end <= a.at.start,
        }
    };
    one.edits.iter().any(|a| other.edits.iter().any(|b| !apart(a, b)))
}
