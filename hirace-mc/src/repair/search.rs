//! The search: sets of changes, the smaller first.
//!
//! A set that does not do has something found in its text; what is added to it is what might help against that. So
//! sets grow along what is wrong, and of those that could verify none that is smaller is passed over.

use super::{Change, Subject, Tried};
use crate::report::results::{Tally, Verdict};
use hirace_core::edit::Edit;
use rustc_hash::FxHashSet;

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
    /// How often each kind of change was in one of them.
    pub tried: Vec<Tally>,
    /// Whether there was more to try.
    pub limited: bool,
}

/// A set of changes that does not do, and what is wrong with them.
struct Node<F> {
    changes: Vec<usize>,
    found: F,
}

struct Search<'a, S: Subject> {
    subject: &'a S,
    most: u64,
    candidates: u64,
    tried: Vec<Tally>,
    limited: bool,
    seen: FxHashSet<Vec<usize>>,
}

/// Looks for the smallest set of changes with which `subject` verifies, or else for one with which nothing is found.
pub fn search<S: Subject>(subject: &S, found: S::Found, most: u64) -> Outcome {
    let mut search = Search {
        subject,
        most,
        candidates: 0,
        tried: Vec::new(),
        limited: false,
        seen: FxHashSet::default(),
    };
    let mut level = vec![Node { changes: Vec::new(), found }];
    let mut repair = None;
    while repair.is_none() && !level.is_empty() && !search.limited {
        (repair, level) = search.level(level);
    }
    let repair = repair.map(|(changes, verdict)| search.least(&changes, verdict));
    let Search { candidates, tried, limited, .. } = search;
    Outcome { limited: limited && repair.is_none(), repair, candidates, tried }
}

type Level<F> = (Option<(Vec<usize>, Verdict)>, Vec<Node<F>>);

impl<S: Subject> Search<'_, S> {
    /// Adds a change to each of these sets: the first that does, or all that do not. A set with which nothing is found,
    /// though not all could be explored, does if no other of its size verifies.
    fn level(&mut self, level: Vec<Node<S::Found>>) -> Level<S::Found> {
        let mut open = None;
        // What found something else is a step further.
        let (mut further, mut rest) = (Vec::new(), Vec::new());
        for node in level {
            for change in self.subject.against(&node.found) {
                let Some(changes) = self.with(&node.changes, change) else { continue };
                if self.candidates >= self.most {
                    self.limited = true;
                    return (open, Vec::new());
                }
                let Some(Tried { verdict, found }) = self.explore(&changes) else { continue };
                match (verdict, found) {
                    (Verdict::Verified, _) => return (Some((changes, verdict)), Vec::new()),
                    (Verdict::Violation, Some(found)) => {
                        let to = if found == node.found { &mut rest } else { &mut further };
                        to.push(Node { changes, found });
                    }
                    (Verdict::Violation, None) => {}
                    (Verdict::Bounded | Verdict::Inconclusive, _) => {
                        open.get_or_insert((changes, verdict));
                    }
                }
            }
        }
        further.append(&mut rest);
        (open, further)
    }

    /// The set with one more, if it is a new one, and their edits are apart.
    fn with(&mut self, changes: &[usize], change: usize) -> Option<Vec<usize>> {
        let at = changes.binary_search(&change).err()?;
        let all = self.subject.changes();
        let own = &all[change];
        if changes.iter().any(|other| meet(&all[*other], own)) {
            return None;
        }
        let mut grown = changes.to_vec();
        grown.insert(at, change);
        self.seen.insert(grown.clone()).then_some(grown)
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

    /// What of a set is needed: no change, and no single edit, of it can be left out.
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
        Found { edits, verdict: Some(verdict) }
    }

    fn does(&mut self, edits: &[Edit], verdict: Verdict) -> bool {
        if edits.is_empty() {
            return false;
        }
        let tried = self.subject.explore(edits);
        self.candidates += u64::from(tried.is_some());
        tried.is_some_and(|tried| tried.verdict == verdict)
    }
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
