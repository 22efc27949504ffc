//! The search: sets of changes, the smaller first.
//!
//! A set that does not do has something found in its text; what is added to it is what might help against that. So
//! sets grow along what is wrong, and of those that could verify none that is smaller is passed over.

use super::{Change, Limits, Subject, Tried};
use crate::report::results::{Tally, Verdict};
use hirace_core::edit::Edit;
use rustc_hash::FxHashSet;
use std::sync::atomic::Ordering;

/// Edits with which nothing is found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// In the order of the text.
    pub edits: Vec<Edit>,
    /// What is said of the text with them.
    pub verdict: Option<Verdict>,
}

/// What came of a search.
#[derive(Debug)]
pub struct Outcome {
    /// The repair, if there is one.
    pub repair: Option<Found>,
    /// How many texts were explored.
    pub candidates: u64,
    /// How many of them were not explored to the end.
    pub undecided: u64,
    /// How often each kind of change was in one of them.
    pub tried: Vec<Tally>,
    /// Whether there was more to try.
    pub limited: bool,
}

/// A set of changes that does not do, and what might help against what is wrong with it.
struct Node<F> {
    changes: Vec<usize>,
    size: u32,
    found: F,
    against: Vec<usize>,
    /// Whether something else is wrong than before its last change.
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
    nodes: Vec<Node<S::Found>>,
}

/// Looks for the smallest set of changes with which `subject` verifies, or else for one with which nothing is found.
pub fn search<S: Subject>(subject: &S, found: S::Found, limits: Limits<'_>) -> Outcome {
    let against = subject.against(&found);
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
    let repair = repair.map(|(changes, verdict)| search.least(&changes, verdict));
    let Search { candidates, undecided, tried, limited, .. } = search;
    Outcome { limited: limited && repair.is_none(), repair, candidates, undecided, tried }
}

impl<S: Subject> Search<'_, S> {
    /// Tries the sets of this size, each made of a smaller one that does not do by one change that might help. Gives the
    /// first that verifies, or else the first with which nothing is found, though not all could be explored.
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
                let Some(Tried { verdict, found, is_whole }) = self.explore(&changes) else {
                    continue;
                };
                match (verdict, found) {
                    (Verdict::Verified, _) => return Some((changes, verdict)),
                    (Verdict::Violation, Some(found)) => {
                        let against = self.subject.against(&found);
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

    fn explore(&mut self, changes: &[usize]) -> Option<Tried<S::Found>> {
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

    /// What of a set is needed: no change, and no single edit, of it can be left out, and none can be weaker.
    fn least(&mut self, changes: &[usize], verdict: Verdict) -> Found {
        let mut kept = changes.to_vec();
        for change in changes {
            let without: Vec<usize> = kept.iter().copied().filter(|one| one != change).collect();
            if self.does(&self.edits(&without), verdict) {
                kept = without;
            }
        }
        let mut edits = self.edits(&kept);
        let mut at = 0;
        while at < edits.len() {
            let mut without = edits.clone();
            without.remove(at);
            match self.does(&without, verdict) {
                true => edits = without,
                false => at += 1,
            }
        }
        for at in 0..edits.len() {
            for weaker in self.weaker(&edits[at]) {
                let mut instead = edits.clone();
                instead[at] = weaker;
                if self.does(&instead, verdict) {
                    edits = instead;
                    break;
                }
            }
        }
        Found { edits, verdict: Some(verdict) }
    }

    /// What a change could do less strongly at the place of an edit, the weakest first.
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

    fn does(&mut self, edits: &[Edit], verdict: Verdict) -> bool {
        if edits.is_empty() {
            return false;
        }
        let tried = self.subject.explore(edits);
        self.candidates += u64::from(tried.is_some());
        tried.is_some_and(|tried| tried.verdict == verdict && tried.is_whole)
    }

    fn is_stopped(&self) -> bool {
        self.limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The set with one more, if their edits are apart.
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

/// Whether both change the same stretch of text, so that they cannot be made together.
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
