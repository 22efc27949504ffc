//! Repairs of litmus tests: stronger orders, wider scopes, more storage classes, and atomic instead of plain accesses.
//!
//! If the same instruction occurs several times, as in tests with alike invocations, there is also one change for all
//! of them. The search leaves out the parts that are not needed.

use super::{CandidateResult, Change, Limits, Subject};
use crate::explore::{Finding, FindingKind};
use crate::litmus::{StrongerForm, Test};
use crate::report::results::{self, ChangeKind, Claim, Quantifier};
use hirace_core::edit::{Edit, apply_edits};
use hirace_core::source_map::{SourceMap, Span};
use std::collections::BTreeMap;

/// The first finding in a litmus test.
#[derive(Clone, Debug, PartialEq)]
pub enum LitmusFinding {
    /// A finding at these sites.
    At(FindingKind, Vec<u32>),
    /// The condition of the test does not hold.
    Claim,
}

impl LitmusFinding {
    /// Returns the finding to repair first. A failed `exists` is not one, because stronger orders do not add
    /// executions.
    pub fn of<S>(findings: &[Finding<S>], claim: Option<&Claim>) -> Option<Self> {
        let all = findings.iter().map(|found| (found.kind, found.sites.clone()));
        let is_broken =
            |claim: &&Claim| claim.holds == Some(false) && claim.quantifier != Quantifier::Exists;
        match all.min() {
            Some((kind, sites)) => Some(Self::At(kind, sites)),
            None => claim.filter(is_broken).map(|_| Self::Claim),
        }
    }
}

/// Explores a test.
pub type Explore<'a> = dyn Fn(&SourceMap) -> Option<CandidateResult<LitmusFinding>> + 'a;

/// Searches for a repair of `test` that removes `found`.
pub fn repair(
    test: &Test,
    found: LitmusFinding,
    limits: Limits<'_>,
    explore: &Explore<'_>,
) -> results::Repair {
    let (changes, known) = changes(test);
    super::repair(&Repairable { test, changes, known, explore }, found, limits)
}

/// The properties of a change that decide its rank.
#[derive(Clone, Debug)]
struct ChangeInfo {
    /// The changed sites.
    sites: Vec<u32>,
    /// Whether the change makes plain accesses atomic.
    makes_atomic: bool,
}

struct Repairable<'a> {
    test: &'a Test,
    changes: Vec<Change>,
    known: Vec<ChangeInfo>,
    explore: &'a Explore<'a>,
}

/// The change of one instruction: its site, its span, and the new text.
type One = (u32, Span, StrongerForm);

/// Returns all changes of single instructions, and of all instructions with the same text.
fn changes(test: &Test) -> (Vec<Change>, Vec<ChangeInfo>) {
    let (mut changes, mut known) = (Vec::new(), Vec::new());
    let mut alike: BTreeMap<(String, String), Vec<One>> = BTreeMap::new();
    for (site, span) in test.sites() {
        for stronger in test.stronger_forms(site) {
            let now = test.source().snippet(span).to_owned();
            let of_all = alike.entry((now, stronger.text.clone())).or_default();
            of_all.push((site, span, stronger));
        }
    }
    let mut add = |all: &[One]| {
        let Some((.., first)) = all.first() else { return };
        let edits = all.iter().map(|(_, span, stronger)| Edit::new(*span, stronger.text.clone()));
        let kind = if first.makes_atomic { ChangeKind::MakeAtomic } else { ChangeKind::Strengthen };
        changes.push(Change { kind, size: 1, steps: first.steps, edits: edits.collect() });
        let sites = all.iter().map(|(site, ..)| *site).collect();
        known.push(ChangeInfo { sites, makes_atomic: first.makes_atomic });
    };
    for all in alike.values() {
        all.iter().for_each(|one| add(std::slice::from_ref(one)));
        if all.len() > 1 {
            add(all);
        }
    }
    (changes, known)
}

impl Subject for Repairable<'_> {
    type Finding = LitmusFinding;

    fn source(&self) -> &SourceMap {
        self.test.source()
    }

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn changes_for(&self, found: &LitmusFinding) -> Vec<usize> {
        let rank = |(change, known): (&Change, &ChangeInfo)| match found {
            LitmusFinding::At(FindingKind::DataRace, sites) if known.makes_atomic => {
                let is_own = known.sites.iter().any(|site| sites.contains(site));
                is_own.then_some((2, known.sites.len(), change.steps))
            }
            LitmusFinding::At(FindingKind::DataRace | FindingKind::HeterogeneousRace, sites) => {
                let is_own = known.sites.iter().any(|site| sites.contains(site));
                (!known.makes_atomic).then_some((
                    u32::from(!is_own),
                    known.sites.len(),
                    change.steps,
                ))
            }
            LitmusFinding::Claim | LitmusFinding::At(FindingKind::Assertion, _) => {
                (!known.makes_atomic).then_some((0, known.sites.len(), change.steps))
            }
            LitmusFinding::At(FindingKind::BarrierDivergence | FindingKind::NoTermination, _) => {
                None
            }
        };
        let mut ranked: Vec<_> = self.changes.iter().zip(&self.known).enumerate().collect();
        ranked.retain(|(_, of)| rank(*of).is_some());
        ranked.sort_by_key(|(_, of)| rank(*of));
        ranked.into_iter().map(|(index, _)| index).collect()
    }

    fn explore(&self, edits: &[Edit]) -> Option<CandidateResult<LitmusFinding>> {
        let source = self.source();
        let text = apply_edits(source.text(), edits);
        (self.explore)(&SourceMap::new(source.name(), text))
    }
}
