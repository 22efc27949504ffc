//! Launches that have a race for certain.
//!
//! The inequalities that a conflict satisfies are necessary for a race, not sufficient: facts may be missing, symbols may have
//! fewer values than their ranges say, and the elimination of variables is exact only for rational numbers. This module looks
//! for conditions on the host that are sufficient for a race within a workgroup. It chooses two invocations and an iteration
//! of each loop, such that what remains of the inequalities is only about values of the host. It gives up wherever the walk is
//! not exact:
//!
//! * All symbols are values of the host, ids, numbers of iterations, or quotients of the latter two by constants.
//! * Each invocation for which the facts hold reaches the access (`State::is_exact`).
//! * Both accesses are in the first iteration of each loop, with one exception: an access may be in the second iteration of the
//!   innermost loop that encloses the last barrier, if the end of the first one is reached exactly where its facts hold.
//! * All paths to either access pass the same execution of the barrier last.

use super::form::{Form, SymbolId};
use super::instance::Instance;
use super::interval::{Interval, LastBarrier};
use super::pairs::{Pairs, overlaps};
use super::symbol::{Level, LoopId};
use super::system::{Side, System};
use super::walk::LoopEnd;
use crate::ir::memory::Space;
use rustc_hash::FxHashMap;

/// The facts about the walk that a certain race is derived from.
pub(super) struct Evidence<'w> {
    /// The ends of iterations of loops.
    pub loop_ends: &'w FxHashMap<LoopId, LoopEnd>,
    /// The conditions that the walk assumed.
    pub assumed: &'w [Form],
}

/// The execution of the last barrier before two accesses.
struct Meeting<'i> {
    /// The loops around the barrier, which is in their first iterations.
    loops: &'i [LoopId],
    /// The iteration of the innermost of these loops that each access is in: 0 or 1.
    iterations: [i64; 2],
}

impl Pairs<'_> {
    /// Returns forms over values of the host such that each launch for which all are nonnegative has a race between these two
    /// accesses, if such forms were found.
    pub fn certain_if(
        &mut self,
        a: &Instance,
        b: &Instance,
        evidence: &Evidence<'_>,
    ) -> Option<Vec<Form>> {
        let is_exact = a.is_exact && b.is_exact && !self.is_divergent;
        if !is_exact || a.space != Space::Workgroup || b.space != Space::Workgroup {
            return None;
        }
        let meetings = a.interval.since().iter().flat_map(|since| {
            let others = b.interval.since().iter();
            others.filter_map(move |other| meeting((&a.interval, since), (&b.interval, other)))
        });
        let meetings: Vec<Meeting<'_>> = meetings.collect();
        meetings.iter().find_map(|meeting| self.certain_at(a, b, meeting, evidence))
    }

    fn certain_at(
        &mut self,
        a: &Instance,
        b: &Instance,
        meeting: &Meeting<'_>,
        evidence: &Evidence<'_>,
    ) -> Option<Vec<Form>> {
        let symbols = self.symbols;
        let end = meeting.loops.last().and_then(|id| evidence.loop_ends.get(id));
        let facts = [(a, meeting.iterations[0]), (b, meeting.iterations[1])].map(|(of, number)| {
            let mut facts: Vec<Form> = of.facts.clone();
            if number == 1 {
                let end = end.filter(|end| end.is_exact)?;
                let first = end.facts.iter().map(|fact| self.in_first_iteration(fact, end));
                facts.extend(first.collect::<Option<Vec<_>>>()?);
            }
            facts.retain(|fact| !evidence.assumed.contains(fact));
            Some(facts)
        });
        let [Some(first), Some(second)] = facts else { return None };
        let addresses = [a.address.forms()?, b.address.forms()?];
        let mut forms = addresses.into_iter().flatten().chain(&first).chain(&second);
        if !forms.all(|form| symbols.is_plain(form)) {
            return None;
        }
        let [a_number, b_number] = meeting.iterations;
        let same_loops = match a_number == b_number {
            true => meeting.loops,
            false => &meeting.loops[..meeting.loops.len() - 1],
        };
        let same = |id: SymbolId| {
            let symbol = symbols.get(id);
            let is_in_same = symbol.loops.iter().all(|id| same_loops.contains(id));
            symbol.level != Level::Invocation && is_in_same
        };
        let number = |side: Side, id: SymbolId| {
            let is_iteration = self.iterations.contains(&id);
            let number = match end {
                Some(end) if end.iteration == id && side == Side::Second => b_number,
                Some(end) if end.iteration == id => a_number,
                _ => 0,
            };
            is_iteration.then_some(number)
        };
        let ids = self.ids.local.iter().filter(|id| id.as_constant().is_none());
        let ways: Vec<(&Form, i64)> = ids.flat_map(|id| [(id, 1), (id, -1)]).collect();
        let overlaps = overlaps(&a.address, &b.address);
        ways.into_iter().find_map(|(id, way)| {
            overlaps.iter().find_map(|overlap| {
                let mut system = System::new(symbols, same);
                system.demand(-1, &[(Side::First, id, way), (Side::Second, id, -way)]);
                overlap.iter().for_each(|overlap| overlap.demand(&mut system));
                for (side, facts) in [(Side::First, &first), (Side::Second, &second)] {
                    facts.iter().for_each(|fact| system.demand(0, &[(side, fact, 1)]));
                }
                system.sufficient_for_host(&number, self.effort)
            })
        })
    }

    /// Returns a fact about the end of an iteration for the first iteration, or `None` if it depends on the number of the
    /// iteration in another way than as a term.
    fn in_first_iteration(&self, fact: &Form, end: &LoopEnd) -> Option<Form> {
        let mut fact = fact.clone();
        fact.terms.retain(|(id, _)| *id != end.iteration);
        (!self.symbols.mentioned_in(&fact).contains(&end.iteration)).then_some(fact)
    }
}

/// Returns the execution of a barrier that is the last one before both accesses for certain, if they are in these iterations.
fn meeting<'i>(
    (of_a, a): (&Interval, &'i LastBarrier),
    (of_b, b): (&Interval, &'i LastBarrier),
) -> Option<Meeting<'i>> {
    if a.barrier != b.barrier {
        return None;
    }
    let iterations = [a.crossings_of_innermost()?, b.crossings_of_innermost()?];
    let is_last = |interval: &Interval, since: &LastBarrier, number: i64| {
        let mut others = interval.since().iter().filter(|other| *other != since);
        // A barrier outside the loop is the last one only in the first iteration. If a path through the loop did not pass the
        // barrier in it, the interval would contain it a second time, with more crossings.
        others.all(|other| {
            let innermost = since.loops.last();
            number == 1 && innermost.is_some_and(|id| !other.loops.contains(id))
        })
    };
    let [a_number, b_number] = iterations;
    let is_certain = is_last(of_a, a, a_number) && is_last(of_b, b, b_number);
    is_certain.then_some(Meeting { loops: &a.loops, iterations })
}
