//! Updates of words: a read, and a write by the same invocation that depends on the read.

use crate::analysis::flow::{Flow, Marks, Sources};
use crate::facts::Dependence;
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::group::Group;
use crate::finding::log::Log;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::history::race;
use crate::observe::trace::Event;
use crate::vm::run::Invocation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The maximum number of reads that are followed. The consequences of further reads are not known.
const MAX_READS: usize = 8 * Marks::MAX_SOURCES;

/// The maximum number of updates of a word that are compared with each other.
const MAX_UPDATES: usize = 256;

/// The writes that depend on reads directly, not through memory that other invocations may have written.
#[derive(Default)]
pub(super) struct Updates {
    by_value: FxHashSet<(SiteId, SiteId)>,
    by_control: FxHashSet<(SiteId, SiteId)>,
}

/// A write that depends on a read of the same word by the same invocation.
struct Update<'a> {
    load: SiteId,
    write: &'a Event,
}

impl Updates {
    /// Finds the updates of the words of `groups`.
    pub fn of(ran: &ExecutedLaunch<'_>, log: &Log<'_>, groups: &[Group]) -> Self {
        // A word may belong to a very large number of races.
        let words: FxHashSet<_> = groups.iter().flat_map(|group| &group.traced_words).collect();
        let events = words.into_iter().flat_map(|&word| log.events(word));
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for event in events {
            match event.action {
                Action::Read => reads.insert(event.site),
                Action::Write => writes.insert(event.site),
                Action::Atomic | Action::AtomicInWorkgroup => continue,
            };
        }
        let mut updates = Self::default();
        if writes.is_empty() {
            return updates;
        }
        let entries: Vec<usize> = ran.launch.dispatches.iter().map(|d| d.entry).collect();
        let reads: Vec<SiteId> = reads.into_iter().take(MAX_READS).collect();
        for reads in reads.chunks(Marks::MAX_SOURCES) {
            let marked = reads.iter().enumerate();
            let sources = Sources {
                reads: marked
                    .clone()
                    .map(|(index, &site)| (site, Marks::from_index(index)))
                    .collect(),
                by_logic: true,
                not_through_shared: true,
                ..Sources::default()
            };
            let flow = Flow::analyze(ran.program, &entries, &sources);
            for &write in &writes {
                let value = flow.stored.get(&write).copied().unwrap_or_default();
                let control = flow.site(write).control;
                for (index, &read) in marked.clone() {
                    if (value & Marks::from_index(index)).has_any() {
                        updates.by_value.insert((read, write));
                    }
                    if (control & Marks::from_index(index)).has_any() {
                        updates.by_control.insert((read, write));
                    }
                }
            }
        }
        updates
    }

    /// Returns the read and the write of two updates of one word of `group` that race with each other.
    pub fn racing(&self, log: &Log<'_>, group: &Group, by: Dependence) -> Option<(SiteId, SiteId)> {
        let pairs = match by {
            Dependence::Value => &self.by_value,
            Dependence::Control => &self.by_control,
        };
        if pairs.is_empty() {
            return None;
        }
        let races = |a: SiteId, b: SiteId| group.sites.contains(&(a.min(b), a.max(b)));
        group.traced_words.iter().find_map(|&word| {
            let updates = updates(log.events(word), pairs);
            updates.iter().enumerate().find_map(|(number, a)| {
                let is_of_group = |b: &&Update<'_>| {
                    races(a.write.site, b.write.site)
                        || races(a.load, b.write.site)
                        || races(a.write.site, b.load)
                };
                let mut before = updates[..number].iter();
                before
                    .find(|b| is_of_group(b) && race(a.write, b.write))
                    .map(|b| (b.load, b.write.site))
            })
        })
    }
}

/// Returns the first updates among the accesses to a word.
fn updates<'a>(events: &[&'a Event], pairs: &FxHashSet<(SiteId, SiteId)>) -> Vec<Update<'a>> {
    let mut reads: FxHashMap<(Invocation, u32, u32), Vec<SiteId>> = FxHashMap::default();
    let mut updates = Vec::new();
    for &event in events {
        let between = (event.invocation, event.epoch, event.subgroup_epoch);
        match event.action {
            Action::Read => reads.entry(between).or_default().push(event.site),
            Action::Write => {
                let own = reads.get(&between).into_iter().flatten();
                let load = own.copied().find(|&load| pairs.contains(&(load, event.site)));
                updates.extend(load.map(|load| Update { load, write: event }));
            }
            Action::Atomic | Action::AtomicInWorkgroup => {}
        }
        if updates.len() >= MAX_UPDATES {
            break;
        }
    }
    updates
}
