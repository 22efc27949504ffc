//! Proofs that accesses take part in no race, found without running.
//!
//! An entry point is walked through once for all its invocations (`walk`): integers are affine forms of who an
//! invocation is and which turn of loops it does (`form`, `symbol`, `arithmetic`), branches say what holds of these where
//! they were taken (`condition`), and barriers cut the walk into intervals (`interval`). What comes of it is a list of accesses:
//! what each touches, in terms of who does it. Then any two of a memory are held against each other, as done by two different
//! invocations (two-thread reduction, as in GPUVerify and Faial): if nothing fulfils the inequalities that say that they touch
//! the same word (`pairs`, `solve`), they cannot race.
//!
//! **Sound by construction.** A site is proved only if no pair that it takes part in can conflict, so to leave it out changes
//! nothing for the sites that stay. Whatever is not followed (floats, loads from memory that is written, what may wrap) is
//! a symbol that may have any value of its type; an index that may be out of bounds may be any within them. Barriers
//! count only if all of an entry point stand in uniform control flow, which is shown, not believed. Every analysis is bounded;
//! what is too much is not proved.
//!
//! A proof is for one dispatch: its grid, the lengths of what is bound, and the words of memory that does not change while
//! it runs ([`Facts`]).

mod address;
mod arithmetic;
mod built_in;
mod condition;
mod constant_memory;
mod constants;
mod evaluate;
mod form;
mod ids;
mod interval;
mod operators;
mod pairs;
mod parts;
mod rules;
mod solve;
mod state;
mod symbol;
mod system;
#[cfg(test)]
mod tests;
mod turns;
mod unwrap;
mod value;
mod variables;
mod walk;

use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::program::Program;
use address::Instance;
pub use constant_memory::written;
use naga::{GlobalVariable, Handle};
pub use rules::{Rule, Rules};
use rustc_hash::FxHashSet;
use solve::Effort;
use std::collections::{BTreeMap, BTreeSet};
use walk::Walk;

/// How much is computed for one dispatch, in inequalities.
const EFFORT: u64 = 1_000_000;

/// What is known of a dispatch before it runs.
pub trait Facts {
    /// How many workgroups it has in each dimension.
    fn workgroups(&self) -> [u32; 3];

    /// How many bytes are bound to a buffer; `None`, if that is not known.
    fn length(&self, global: Handle<GlobalVariable>) -> Option<u32>;

    /// The word at this byte of memory that nobody writes while the dispatch runs; `None`, if it is not known.
    fn word(&self, global: Handle<GlobalVariable>, offset: u32) -> Option<u32>;
}

/// Why a site takes part in no race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proof {
    /// Nobody gets there.
    Unreached,
    /// Nothing that is done to the memory conflicts with it.
    NoConflict,
    /// Barriers lie between it and all that conflicts with it.
    Barriers,
    /// One invocation alone does it and all that conflicts with it.
    OneInvocation,
    /// No other invocation touches the words that an invocation touches there.
    OwnWords,
}

/// The sites that take part in no race, each with the reason, and what else came of the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    sites: BTreeMap<SiteId, Proof>,
    /// Those that are come to, of which every index is in bounds.
    within: BTreeSet<SiteId>,
    turns: BTreeMap<SiteId, u64>,
    is_uniform: bool,
}

impl Proofs {
    /// Why the access at `site` takes part in no race, if that was shown.
    pub fn get(&self, site: SiteId) -> Option<Proof> {
        self.sites.get(&site).copied()
    }

    /// Whether every index of the access at `site` was shown to be in bounds.
    pub fn is_within(&self, site: SiteId) -> bool {
        self.within.contains(&site)
    }

    /// How many turns the loop at `site` has at most whenever it is entered, if that was shown.
    pub fn turns(&self, site: SiteId) -> Option<u64> {
        self.turns.get(&site).copied()
    }

    /// Whether it was shown that all invocations of a workgroup come to the same barriers.
    pub fn is_uniform(&self) -> bool {
        self.is_uniform
    }

    /// How many sites there are of which it was shown.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }
}

/// Which access sites of a dispatch of this entry point take part in no race, as far as that can be shown.
pub fn prove(program: &Program, entry: usize, facts: &dyn Facts) -> Proofs {
    prove_by(program, entry, facts, Rules::default())
}

/// The same by these rules, for tests.
pub fn prove_by(program: &Program, entry: usize, facts: &dyn Facts, rules: Rules) -> Proofs {
    let _span = tracing::trace_span!("prove").entered();
    let mut walk = Walk::new(program, entry, facts, (rules, Effort(EFFORT)));
    walk.run(entry);
    if walk.failed {
        return Proofs::default();
    }
    let is_out = |instance: &&Instance| !instance.is_within;
    let out: BTreeSet<_> = walk.instances.iter().filter(is_out).map(|one| one.site).collect();
    let within = walk.instances.iter().map(|one| one.site).filter(|site| !out.contains(site));
    let within = within.collect();
    let turns = walk.turns.iter().filter_map(|(site, turns)| Some((*site, (*turns)?))).collect();
    let is_uniform = !walk.is_divergent;
    let mut sites = pairs::proofs(&mut walk);
    sites.extend(unreached(&walk, entry).map(|site| (site, Proof::Unreached)));
    Proofs { sites, within, turns, is_uniform }
}

/// The access sites that a walk did not come to.
fn unreached(walk: &Walk<'_>, entry: usize) -> impl Iterator<Item = SiteId> {
    let functions = walk.program.calls.reachable([FunctionId::Entry(entry)]);
    let reached: FxHashSet<SiteId> = walk.instances.iter().map(|instance| instance.site).collect();
    let accesses = walk.program.sites.accesses();
    accesses
        .filter(move |(id, site, _)| functions.contains(&site.function) && !reached.contains(id))
        .map(|(id, ..)| id)
}
