//! The subject of a check: one entry point, and what is known of its launches.

use crate::contract::EntryContract;
use crate::exec::Watch;
use crate::facts::contract::ContractOutcome;
use crate::facts::{Assumption, Finding, LaunchFacts};
use crate::launch::Launch;
use crate::launch::spec::LaunchSpec;
use crate::program::Program;
use std::collections::BTreeMap;

/// An entry point to check, and what is known of its launches.
pub(super) struct Subject<'a> {
    pub program: &'a Program,
    pub spec: &'a LaunchSpec,
    pub entry: usize,
    pub watch: &'a Watch,
    pub schedules: u32,
    /// The assumptions that were made to build the program.
    pub assumptions: &'a [Assumption],
    /// What is known about every launch of the entry point, if it was inferred.
    pub contract: Option<&'a EntryContract>,
}

impl Subject<'_> {
    /// Returns whether every launch that meets conditions was proved to be safe.
    pub fn is_proved(&self) -> bool {
        self.contract.is_some_and(EntryContract::is_proved)
    }

    /// Returns whether races have to be looked for, because no conditions were found that exclude them.
    pub fn may_race(&self) -> bool {
        self.contract.is_some_and(|of| matches!(of.contract.outcome, ContractOutcome::Open(_)))
    }

    /// Sets the findings of a launch apart that the conditions of the contract exclude. If a launch meets all conditions, the proof
    /// is wrong where it has such findings, so they are kept.
    pub fn exclude(&self, launch: &Launch, facts: &mut LaunchFacts) {
        if let Some(contract) = self.contract
            && !contract.is_met_by(self.program, launch)
        {
            let is_kept = |finding: &Finding| !finding.kind().is_covered_by_contracts();
            let found = std::mem::take(&mut facts.findings).into_iter();
            (facts.findings, facts.excluded) = found.partition(is_kept);
        }
    }

    /// Returns the values of the overrides of the program, given or assumed.
    pub fn overrides(&self) -> BTreeMap<String, f64> {
        let assumed = self.assumptions.iter().filter_map(|assumption| match assumption {
            Assumption::Override { name, value } => Some((name.clone(), *value)),
            _ => None,
        });
        self.spec.overrides.iter().cloned().chain(assumed).collect()
    }

    /// Returns the name of the entry point.
    pub fn name(&self) -> &str {
        self.program.module.entry_points.get(self.entry).map_or("", |entry| &entry.name)
    }
}
