//! Coverage of access sites: which reachable sites were executed by at least two invocations, because a single
//! invocation cannot race. If the shape of the launch lets only one invocation reach a site, one execution suffices.

use crate::exec::{DispatchOutcome, Outcome};
use crate::facts::place::span_of;
use crate::facts::{Place, Stats};
use crate::ir::sites::SiteId;
use crate::ir::walk::FunctionId;
use crate::launch::Launch;
use crate::program::Program;
use std::collections::BTreeSet;

/// The access sites that one launch, or several launches together, covered.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The reachable access sites, in source order.
    reachable: Vec<SiteId>,
    ran: BTreeSet<SiteId>,
    /// The sites that were executed at least once.
    ran_once: BTreeSet<SiteId>,
}

impl Coverage {
    /// Returns what `launch` covered.
    pub fn of(program: &Program, launch: &Launch, outcome: &Outcome) -> Self {
        let reachable = access_sites(program, launch);
        let ran = |site: &SiteId| {
            outcome.dispatches.iter().zip(&launch.dispatches).any(|(dispatched, dispatch)| {
                let executed = dispatched.run.executed.get(site.0 as usize).copied();
                executed.is_some_and(|executed| {
                    executed.by_several_invocations
                        || executed.count > 0
                            && launch.is_single_invocation(program, dispatch, *site)
                })
            })
        };
        let once = |site: &SiteId| {
            let executed = |d: &DispatchOutcome| d.run.executed.get(site.0 as usize).copied();
            outcome.dispatches.iter().filter_map(executed).any(|executed| executed.count > 0)
        };
        let ran = reachable.iter().copied().filter(ran).collect();
        let ran_once = reachable.iter().copied().filter(once).collect();
        Self { reachable, ran, ran_once }
    }

    /// Merges in what another launch of the same entry points covered.
    pub fn join(&mut self, other: Self) {
        if self.reachable.len() < other.reachable.len() {
            self.reachable = other.reachable;
        }
        self.ran.extend(other.ran);
        self.ran_once.extend(other.ran_once);
    }

    /// Returns whether this access site is covered.
    pub fn has(&self, site: SiteId) -> bool {
        self.ran.contains(&site)
    }

    /// Restricts the covered sites to those for which `ran` returns true.
    #[must_use]
    pub fn restricted_to(mut self, ran: impl Fn(SiteId) -> bool) -> Self {
        self.ran.retain(|&site| ran(site));
        self
    }

    /// Returns whether every reachable access site is covered.
    pub fn is_complete(&self) -> bool {
        self.reachable.iter().all(|site| self.ran.contains(site))
    }

    /// Returns the access sites that were not covered.
    pub fn missed(&self) -> impl Iterator<Item = SiteId> {
        self.reachable.iter().copied().filter(|site| !self.ran.contains(site))
    }

    /// Writes the coverage to `stats`.
    pub fn write_to(&self, stats: &mut Stats, program: &Program) {
        let missed: Vec<SiteId> = self.missed().collect();
        stats.sites = self.reachable.len() as u32;
        stats.sites_executed = (self.reachable.len() - missed.len()) as u32;
        stats.sites_missed = Vec::new();
        stats.sites_executed_once = 0;
        for site in missed {
            let place = Place::of(program, site);
            stats.sites_executed_once += u32::from(self.ran_once.contains(&site));
            if !stats.sites_missed.iter().any(|known| known.span.start == place.span.start) {
                stats.sites_missed.push(place);
            }
        }
    }
}

/// Returns the access sites that a launch of these entry points can reach, in source order.
fn access_sites(program: &Program, launch: &Launch) -> Vec<SiteId> {
    let entries = launch.dispatches.iter().map(|dispatch| dispatch.entry);
    let entries = entries.filter(|&entry| entry < program.module.entry_points.len());
    let reached: BTreeSet<FunctionId> =
        program.calls.reachable(entries.map(FunctionId::Entry)).into_iter().collect();
    let mut sites: Vec<(u32, SiteId)> = program
        .sites
        .accesses()
        .filter(|(id, site, _)| reached.contains(&site.function) && !launch.is_never(*id))
        .map(|(id, site, _)| (span_of(Some(site)).start, id))
        .collect();
    sites.sort_unstable();
    sites.into_iter().map(|(_, site)| site).collect()
}
