//! Pairs of accesses that cannot conflict.
//!
//! Two accesses conflict if two different invocations execute them on the same word, at least one writes, not both are atomic,
//! and no barrier separates them. For each pair, this module builds the system of inequalities that a conflict satisfies: all
//! facts about either invocation, the difference of their ids, and the overlap of the touched bytes. If the system has no
//! solution, there is no conflict.

use super::form::{Form, SymbolId};
use super::ids::Ids;
use super::instance::{Address, Instance};
use super::solve::Effort;
use super::symbol::{Level, LoopId, Symbols};
use super::system::{ImpliedForHost, Side, System};
use super::walk::Walk;
use super::{Proof, Rule, Rules};
use crate::ir::access::{Action, Extent};
use crate::ir::memory::Space;
use crate::ir::sites::SiteId;
use std::collections::BTreeMap;

/// The limit on examined pairs of accesses.
pub(super) const MAX_PAIRS: usize = 60_000;

/// The reason why two accesses cannot conflict. Later variants needed more reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NoConflictReason {
    /// Neither writes, or both are atomic.
    Actions,
    /// A barrier separates them.
    Barriers,
    /// No two invocations execute them.
    Invocations,
    /// They touch different words.
    Addresses,
}

/// Returns the accesses by memory, and what compares them.
pub(super) fn prepared<'w>(
    walk: &'w mut Walk<'_>,
) -> (BTreeMap<usize, Vec<&'w Instance>>, Pairs<'w>) {
    let mut by_memory: BTreeMap<usize, Vec<&Instance>> = BTreeMap::new();
    for instance in &walk.instances {
        by_memory.entry(instance.global.index()).or_default().push(instance);
    }
    let pairs = Pairs {
        symbols: &walk.symbols,
        ids: &walk.ids,
        iterations: &walk.iterations,
        effort: &mut walk.effort,
        is_divergent: walk.is_divergent,
        rules: walk.rules,
        keeps_conflict: false,
        implied: None,
    };
    (by_memory, pairs)
}

/// Returns the sites that take part in no conflict, and why.
pub(super) fn proofs(walk: &mut Walk<'_>) -> BTreeMap<SiteId, Proof> {
    let (by_memory, mut pairs) = prepared(walk);
    let mut proofs: BTreeMap<SiteId, Option<NoConflictReason>> = BTreeMap::new();
    let mut left = MAX_PAIRS;
    for instances in by_memory.values() {
        for (index, first) in instances.iter().enumerate() {
            for second in &instances[index..] {
                left = left.saturating_sub(1);
                let known = |site| matches!(proofs.get(&site), Some(None));
                // A pair whose sites are both watched for other reasons need not be examined.
                let excluded = match left > 0 && !(known(first.site) && known(second.site)) {
                    true => pairs.excluded(first, second),
                    false => None,
                };
                for site in [first.site, second.site] {
                    let so_far = proofs.entry(site).or_insert(Some(NoConflictReason::Actions));
                    *so_far = so_far.zip(excluded).map(|(a, b)| a.max(b));
                }
            }
        }
    }
    let why = |excluded| match excluded {
        NoConflictReason::Actions => Proof::NoConflict,
        NoConflictReason::Barriers => Proof::Barriers,
        NoConflictReason::Invocations => Proof::OneInvocation,
        NoConflictReason::Addresses => Proof::OwnWords,
    };
    proofs.into_iter().filter_map(|(site, excluded)| Some((site, why(excluded?)))).collect()
}

/// What compares pairs of accesses.
pub(super) struct Pairs<'w> {
    pub symbols: &'w Symbols,
    pub ids: &'w Ids,
    pub iterations: &'w [SymbolId],
    pub effort: &'w mut Effort,
    pub is_divergent: bool,
    rules: Rules,
    /// Whether to record what a conflict implies for values of the host.
    pub keeps_conflict: bool,
    /// What the last conflict implies.
    pub implied: Option<ImpliedForHost>,
}

impl Pairs<'_> {
    /// Returns the reason why two accesses to one memory cannot conflict, if there is one.
    pub fn excluded(&mut self, a: &Instance, b: &Instance) -> Option<NoConflictReason> {
        let across = a.space != Space::Workgroup;
        let (within, between) = conflicts(a, b, self.rules);
        let within = within && self.rules.keep(Rule::Neighbors);
        let between = between && self.rules.keep(Rule::Workgroups);
        let mut excluded = NoConflictReason::Actions;
        if between && across {
            excluded = excluded.max(self.between_workgroups(a, b)?);
        }
        if within {
            excluded = excluded.max(self.in_workgroup(a, b)?);
        }
        Some(excluded)
    }

    /// Returns the reason why accesses by invocations of different workgroups cannot conflict.
    pub fn between_workgroups(&mut self, a: &Instance, b: &Instance) -> Option<NoConflictReason> {
        let symbols = self.symbols;
        let same = |id: SymbolId| {
            let symbol = symbols.get(id);
            symbol.level == Level::Dispatch && symbol.loops.is_empty()
        };
        let ids = self.ids.workgroup.clone();
        self.apart(a, b, &ids, &same)
    }

    /// Returns the reason why accesses by invocations of one workgroup cannot conflict.
    pub fn in_workgroup(&mut self, a: &Instance, b: &Instance) -> Option<NoConflictReason> {
        let meetings = self.meetings(a, b);
        if meetings.is_empty() {
            return Some(NoConflictReason::Barriers);
        }
        let (symbols, ids) = (self.symbols, self.ids);
        let (is_divergent, rules) = (self.is_divergent, self.rules);
        let mut excluded = NoConflictReason::Actions;
        for same_iterations in meetings {
            let same = |id: SymbolId| {
                let symbol = symbols.get(id);
                match symbol.level {
                    Level::Invocation => false,
                    // In divergent control flow, a value on which only invocations on the same path agree may differ.
                    Level::Workgroup if is_divergent => ids.is_of_workgroup(id),
                    _ => {
                        !rules.keep(Rule::Iterations)
                            || symbol.loops.iter().all(|id| same_iterations.contains(id))
                    }
                }
            };
            let local = ids.local.clone();
            excluded = excluded.max(self.apart(a, b, &local, &same)?);
        }
        Some(excluded)
    }

    /// Returns, for each barrier that may be the last one of both accesses, the loops at whose same iteration two invocations of
    /// a workgroup are when one executes the first access and the other the second.
    fn meetings(&self, a: &Instance, b: &Instance) -> Vec<Vec<LoopId>> {
        if self.is_divergent {
            return vec![Vec::new()];
        }
        let mut meetings = Vec::new();
        for since in a.interval.since() {
            for other in b.interval.since() {
                if let Some(same_iterations) = since.loops_in_same_iteration(other)
                    && !meetings.contains(&same_iterations)
                {
                    meetings.push(same_iterations);
                }
            }
        }
        meetings
    }

    /// Returns the reason why invocations that differ in `ids` cannot touch the same bytes.
    fn apart(
        &mut self,
        a: &Instance,
        b: &Instance,
        ids: &[Form; 3],
        same: &dyn Fn(SymbolId) -> bool,
    ) -> Option<NoConflictReason> {
        let mut excluded = NoConflictReason::Invocations;
        for id in ids.iter().filter(|id| id.as_constant().is_none()) {
            for way in [1, -1] {
                let differ = |system: &mut System<'_, _>| {
                    system.demand(-1, &[(Side::First, id, way), (Side::Second, id, -way)]);
                };
                let facts = [(Side::First, &a.facts[..]), (Side::Second, &b.facts[..])];
                let mut system = System::new(self.symbols, same);
                differ(&mut system);
                if system.has_no_solution(&facts, self.effort) {
                    continue;
                }
                excluded = NoConflictReason::Addresses;
                for overlap in overlaps(&a.address, &b.address) {
                    let system = || {
                        let mut system = System::new(self.symbols, same);
                        differ(&mut system);
                        overlap.iter().for_each(|overlap| overlap.demand(&mut system));
                        system
                    };
                    if !system().has_no_solution(&facts, self.effort) {
                        if self.keeps_conflict {
                            self.implied =
                                system().implied_for_host(&facts, self.iterations, self.effort);
                        }
                        return None;
                    }
                }
            }
        }
        Some(excluded)
    }
}

/// Returns whether the actions of two accesses conflict within one workgroup, and between workgroups.
pub(super) fn conflicts(a: &Instance, b: &Instance, rules: Rules) -> (bool, bool) {
    let one_is = |is: fn(Action) -> bool| is(a.action) || is(b.action);
    let both_are = |is: fn(Action) -> bool| is(a.action) && is(b.action);
    let reads = both_are(|action| action == Action::Read)
        || one_is(|action| action == Action::Read) && !rules.keep(Rule::Reads);
    let atomics =
        both_are(Action::is_atomic) || one_is(Action::is_atomic) && !rules.keep(Rule::Atomics);
    let within = !reads && !atomics;
    let too_narrow = atomics && one_is(|action| action == Action::AtomicInWorkgroup);
    (within, within || too_narrow)
}

/// The condition that two byte ranges overlap, or that two coordinates are equal.
pub(super) struct Overlap<'i> {
    first: &'i Form,
    second: &'i Form,
    /// The maximum distance of the second start after the first, and of the first start after the second.
    reach: (i64, i64),
}

impl Overlap<'_> {
    /// Returns forms that are nonnegative if the condition holds.
    pub fn forms(&self) -> Option<[Form; 2]> {
        let Self { first, second, reach } = *self;
        let ahead = first.minus(second)?.checked_add_constant(reach.0)?;
        Some([ahead, second.minus(first)?.checked_add_constant(reach.1)?])
    }

    /// Adds the condition to a system.
    pub fn demand<S: Fn(SymbolId) -> bool>(&self, system: &mut System<'_, S>) {
        let Self { first, second, reach } = *self;
        system.demand(reach.0, &[(Side::First, first, 1), (Side::Second, second, -1)]);
        system.demand(reach.1, &[(Side::First, first, -1), (Side::Second, second, 1)]);
    }
}

/// Returns the ways in which two addresses can overlap. All conditions of a way hold together.
pub(super) fn overlaps<'i>(a: &'i Address, b: &'i Address) -> Vec<Vec<Overlap<'i>>> {
    match (a, b) {
        (Address::Bytes(first, runs), Address::Bytes(second, others)) => {
            let pairs = runs.iter().flat_map(|run| others.iter().map(move |other| (run, other)));
            let overlap = |(run, other): (&Extent, &Extent)| {
                let (start, other_start) = (i64::from(run.offset), i64::from(other.offset));
                let ahead = start + i64::from(run.bytes) - 1 - other_start;
                let behind = other_start + i64::from(other.bytes) - 1 - start;
                vec![Overlap { first, second, reach: (ahead, behind) }]
            };
            pairs.map(overlap).collect()
        }
        (Address::Texel(firsts), Address::Texel(seconds)) => {
            let pairs = firsts.iter().zip(seconds);
            vec![pairs.map(|(first, second)| Overlap { first, second, reach: (0, 0) }).collect()]
        }
        // An unknown address may overlap any other.
        _ => vec![Vec::new()],
    }
}
