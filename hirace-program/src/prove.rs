//! Static proofs that accesses take part in no race.
//!
//! The prover walks an entry point once for all its invocations (`walk`). Integers are affine forms over the ids of an invocation
//! and the iteration numbers of loops (`form`, `symbol`, `arithmetic`), branches yield conditions on these forms (`condition`),
//! and barriers divide the walk into intervals (`interval`). The result is a list of accesses with the addresses that each
//! touches, in terms of the accessing invocation. Then any two accesses of a memory are compared, as executed by two different
//! invocations (two-thread reduction, as in GPUVerify and Faial): if the inequalities which state that they touch the same word
//! have no solution (`pairs`, `solve`), the accesses cannot race.
//!
//! **Sound by construction.** A site is proved only if no pair that contains it can conflict, so omitting it does not change the
//! result for the remaining sites. Values that are not modeled (floats, loads from memory that is written, arithmetic that may
//! wrap) are symbols with any value of their type; an index that may be out of bounds may be any index within them. Barriers
//! count only if all barriers of an entry point are in uniform control flow, which is proved, not assumed. Every analysis is
//! bounded; a site that exceeds the bound is not proved.
//!
//! A proof holds for one dispatch: its grid, the lengths of its buffers, and the words of memory that does not change while it
//! runs ([`Facts`]).

mod address;
mod arithmetic;
mod built_in;
mod cases;
mod condition;
mod conflict;
mod constant_memory;
mod constants;
mod contract;
#[cfg(test)]
mod contract_tests;
mod evaluate;
mod form;
mod freedom;
mod host;
mod ids;
mod instance;
mod interval;
mod loops;
mod meetings;
mod operators;
mod pairs;
mod parts;
mod rules;
mod selected_loads;
mod solve;
mod state;
mod symbol;
mod system;
#[cfg(test)]
mod tests;
mod unavoidable;
mod unwrap;
mod value;
mod variables;
mod walk;

use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::program::Program;
pub use cases::possible_cases;
pub use contract::{Cause, Contract, Fault, OpenFault, Requirement, contract, contract_with_rules};
pub use host::{HostLimits, HostSum, HostTerm, HostValue};
use instance::Instance;
pub use meetings::{Meeting, meetings};
use naga::{GlobalVariable, Handle};
pub use rules::{Rule, Rules};
use rustc_hash::FxHashSet;
use solve::Effort;
use std::collections::{BTreeMap, BTreeSet};
#[doc(hidden)]
pub use unavoidable::sufficient_conditions;
pub use unavoidable::{GivenValues, SeenFault, are_unavoidable};
use walk::Walk;
pub use walk::written;

/// The limit on work for one dispatch, in inequalities.
const EFFORT: u64 = 1_000_000;

/// What is known about a dispatch before it runs. By default, nothing is known.
pub trait Facts {
    /// Returns the number of workgroups in each dimension, or `None` if it is not known.
    fn workgroups(&self) -> Option<[u32; 3]> {
        None
    }

    /// Returns the number of bytes bound to a buffer, or `None` if that is not known.
    fn length(&self, _global: Handle<GlobalVariable>) -> Option<u32> {
        None
    }

    /// Returns the limits on what is not known.
    fn limits(&self) -> HostLimits {
        HostLimits::ANY
    }

    /// Returns the word at this byte offset of memory that is not written while the dispatch runs, or `None` if it is not known.
    fn word(&self, _global: Handle<GlobalVariable>, _offset: u32) -> Option<u32> {
        None
    }
}

/// The reason why a site takes part in no race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proof {
    /// No invocation reaches it.
    Unreached,
    /// No other access of the memory conflicts with it.
    NoConflict,
    /// Barriers separate it from all conflicting accesses.
    Barriers,
    /// A single invocation executes it and all conflicting accesses.
    OneInvocation,
    /// No other invocation touches the words that an invocation touches at this site.
    OwnWords,
}

/// The sites that take part in no race, each with the reason, and further results of the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    sites: BTreeMap<SiteId, Proof>,
    /// Sites that are reached and whose every index is in bounds.
    within: BTreeSet<SiteId>,
    max_iterations: BTreeMap<SiteId, u64>,
    is_uniform: bool,
}

impl Proofs {
    /// Returns why the access at `site` takes part in no race, if that was proved.
    pub fn get(&self, site: SiteId) -> Option<Proof> {
        self.sites.get(&site).copied()
    }

    /// Returns whether every index of the access at `site` was proved to be in bounds.
    pub fn is_in_bounds(&self, site: SiteId) -> bool {
        self.within.contains(&site)
    }

    /// Returns an upper bound on the iterations of the loop at `site` per entry, if one was proved.
    pub fn max_iterations(&self, site: SiteId) -> Option<u64> {
        self.max_iterations.get(&site).copied()
    }

    /// Returns whether it was proved that all invocations of a workgroup reach the same barriers.
    pub fn is_uniform(&self) -> bool {
        self.is_uniform
    }

    /// Returns the number of proved sites.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Returns whether no site was proved.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }
}

/// Proves which access sites of a dispatch of this entry point take part in no race, as far as possible.
pub fn prove(program: &Program, entry: usize, facts: &dyn Facts) -> Proofs {
    prove_with_rules(program, entry, facts, Rules::default())
}

/// Does the same with these rules, for tests.
pub fn prove_with_rules(
    program: &Program,
    entry: usize,
    facts: &dyn Facts,
    rules: Rules,
) -> Proofs {
    let _span = tracing::trace_span!("prove").entered();
    let mut walk = Walk::new(program, entry, facts, (rules, Effort::new(EFFORT)));
    walk.run(entry);
    if walk.failed {
        return Proofs::default();
    }
    let is_out = |instance: &&Instance| !instance.is_within;
    let out: BTreeSet<_> = walk.instances.iter().filter(is_out).map(|one| one.site).collect();
    let within = walk.instances.iter().map(|one| one.site).filter(|site| !out.contains(site));
    let within = within.collect();
    let max_iterations = walk
        .max_iterations
        .iter()
        .filter_map(|(site, max_iterations)| Some((*site, (*max_iterations)?)))
        .collect();
    let is_uniform = !walk.is_divergent;
    let mut sites = pairs::proofs(&mut walk);
    sites.extend(unreached(&walk, entry).map(|site| (site, Proof::Unreached)));
    Proofs { sites, within, max_iterations, is_uniform }
}

/// Returns the access sites that a walk did not reach.
fn unreached(walk: &Walk<'_>, entry: usize) -> impl Iterator<Item = SiteId> {
    let functions = walk.program.calls.reachable([FunctionId::Entry(entry)]);
    let reached: FxHashSet<SiteId> = walk.instances.iter().map(|instance| instance.site).collect();
    let accesses = walk.program.sites.accesses();
    accesses
        .filter(move |(id, site, _)| functions.contains(&site.function) && !reached.contains(id))
        .map(|(id, ..)| id)
}
