//! Consequences of races: what the log of racy words shows about their values, and where the data flows.
//!
//! Only known consequences are reported. A claim that holds only for the observed launch is marked as such. Where a
//! value may flow is determined by a static analysis ([`crate::analysis::flow`]) and holds for every launch.

mod outcome;
mod reach;
mod stores;
mod uniform_value;
mod updates;
mod values;

use super::executed_launch::ExecutedLaunch;
use super::group::GroupedRaces;
use super::log::Log;
use crate::facts::{RaceConsequences, Warning};
use stores::StoreSites;
use updates::Updates;

/// Returns the consequences of each of these races.
pub(super) fn find_consequences(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    grouped: &GroupedRaces,
) -> Vec<RaceConsequences> {
    let groups = &grouped.groups[..];
    if groups.is_empty() {
        return Vec::new();
    }
    let stores = StoreSites::of(ran.program);
    let updates = Updates::of(ran, log, groups);
    let reaches = reach::find_reaches(ran, log, groups, &stores);
    let mut warnings = ran.outcome.dispatches.iter().flat_map(|dispatched| &dispatched.warnings);
    let drops_words = |warning: &Warning| {
        matches!(warning, Warning::RacyWordsDropped(_) | Warning::DeviceLogFull(_))
    };
    let all_explained = grouped.unexplained == 0 && !warnings.any(drops_words);
    let both = groups.iter().zip(reaches);
    both.map(|(group, (reaches, more))| {
        let words = values::RacyWords { group, all_explained };
        let outcome = outcome::find_outcome(ran, log, words, &stores, &updates);
        RaceConsequences { outcome, reaches, more }
    })
    .collect()
}

#[cfg(test)]
mod tests;
