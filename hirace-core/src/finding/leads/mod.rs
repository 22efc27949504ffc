//! What can come of races: what the log of racy words shows of their values, and where data flows from them.
//!
//! Nothing is said that is not known. A claim that hangs on the launch that was seen is marked as such; where a value may
//! lead is a static analysis ([`crate::analysis::flow`]) and holds for every launch.

mod outcome;
mod reach;
mod stores;
mod updates;
mod values;

use super::group::Group;
use super::log::Log;
use super::ran::Ran;
use crate::facts::LeadsTo;
use stores::Stores;
use updates::Updates;

/// What can come of each of these races.
pub(super) fn of(ran: &Ran<'_>, log: &Log<'_>, groups: &[Group]) -> Vec<LeadsTo> {
    if groups.is_empty() {
        return Vec::new();
    }
    let stores = Stores::of(ran.program);
    let updates = Updates::of(ran, log, groups);
    let reaches = reach::of(ran, log, groups, &stores);
    let both = groups.iter().zip(reaches);
    both.map(|(group, (reaches, more))| {
        let outcome = outcome::of(ran, log, group, &stores, &updates);
        LeadsTo { outcome, reaches, more }
    })
    .collect()
}

#[cfg(test)]
mod tests;
