//! Consequences of races: what the log of racy words shows about their values, and where the data flows.
//!
//! Only known consequences are reported. A claim that holds only for the observed launch is marked as such. Where a
//! value may flow is determined by a static analysis ([`crate::analysis::flow`]) and holds for every launch.

mod outcome;
mod reach;
mod stores;
mod updates;
mod values;

use super::executed_launch::ExecutedLaunch;
use super::group::Group;
use super::log::Log;
use crate::facts::RaceConsequences;
use stores::StoreSites;
use updates::Updates;

/// Returns the consequences of each of these races.
pub(super) fn find_consequences(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    groups: &[Group],
) -> Vec<RaceConsequences> {
    if groups.is_empty() {
        return Vec::new();
    }
    let stores = StoreSites::of(ran.program);
    let updates = Updates::of(ran, log, groups);
    let reaches = reach::find_reaches(ran, log, groups, &stores);
    let both = groups.iter().zip(reaches);
    both.map(|(group, (reaches, more))| {
        let outcome = outcome::find_outcome(ran, log, group, &stores, &updates);
        RaceConsequences { outcome, reaches, more }
    })
    .collect()
}

#[cfg(test)]
mod tests;
