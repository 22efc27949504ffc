//! Determines whether a value that depends on a race reaches an index or a loop condition.

use super::stores::StoreSites;
use crate::analysis::flow::{Flow, Marks, Sources};
use crate::facts::{DangerousUse, Place, Reach};
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::group::Group;
use crate::finding::log::Log;
use crate::ir::sites::SiteId;
use crate::observe::trace::Event;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The maximum number of races that are analyzed. The consequences of further races are not known.
const MAX_RACES: usize = 16 * Marks::MAX_SOURCES;

/// The maximum number of source locations that are listed for one race.
const MAX_PLACES: usize = 4;

/// Returns for each race the first source locations that it reaches, and the number of further ones.
pub(super) fn find_reaches(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    groups: &[Group],
    stores: &StoreSites<'_>,
) -> Vec<(Vec<Reach>, usize)> {
    let entries: Vec<usize> = ran.launch.dispatches.iter().map(|d| d.entry).collect();
    let read = read(log, groups, stores);
    let mut all = Vec::new();
    for groups in groups[..groups.len().min(MAX_RACES)].chunks(Marks::MAX_SOURCES) {
        let mut reads: FxHashMap<SiteId, Marks> = FxHashMap::default();
        for (index, group) in groups.iter().enumerate() {
            for site in sites_reading_race(log, group, stores, &read) {
                *reads.entry(site).or_default() |= Marks::from_index(index);
            }
        }
        let sources = Sources { reads, by_logic: true, ..Sources::default() };
        let flow = match sources.reads.is_empty() {
            true => Flow::default(),
            false => Flow::analyze(ran.program, &entries, &sources),
        };
        all.extend((0..groups.len()).map(|index| places(ran, &flow, Marks::from_index(index))));
    }
    all.resize(groups.len(), Default::default());
    all
}

/// Returns the sites that read words of these races.
fn read(log: &Log<'_>, groups: &[Group], stores: &StoreSites<'_>) -> FxHashSet<SiteId> {
    let words: FxHashSet<_> = groups.iter().flat_map(|group| &group.traced_words).collect();
    let events = words.into_iter().flat_map(|&word| log.events(word));
    events.map(|event| event.site).filter(|&site| stores.reads(site)).collect()
}

/// Returns the sites that read a value determined by the race: the racing reads, and, where both accesses write, the
/// sites that read the word afterwards. The search ends when all reading sites are included.
fn sites_reading_race(
    log: &Log<'_>,
    group: &Group,
    stores: &StoreSites<'_>,
    read: &FxHashSet<SiteId>,
) -> BTreeSet<SiteId> {
    let both = group.sites.iter().flat_map(|&(a, b)| [a, b]);
    let mut sites: BTreeSet<SiteId> = both.filter(|&site| stores.reads(site)).collect();
    let written: BTreeSet<SiteId> = group
        .sites
        .iter()
        .filter(|&&(a, b)| stores.writes(a) && stores.writes(b))
        .flat_map(|&(a, b)| [a, b])
        .collect();
    let mut left = read.iter().filter(|site| !sites.contains(site)).count();
    for &word in &group.traced_words {
        if left == 0 {
            break;
        }
        let is_of_race = |event: &&&Event| !written.contains(&event.site);
        let after = log.events(word).iter().skip_while(is_of_race);
        let reading = after.map(|event| event.site).filter(|&site| stores.reads(site));
        left -= reading.filter(|&site| sites.insert(site)).count();
    }
    sites
}

fn places(ran: &ExecutedLaunch<'_>, flow: &Flow, mark: Marks) -> (Vec<Reach>, usize) {
    let source = &ran.program.source;
    let is_reached = |marks: &Marks| (*marks & mark).has_any();
    let indices = flow.indices.iter().filter(|(_, marks)| is_reached(marks));
    let indices = indices
        .filter(|(span, _)| !span.is_empty())
        .map(|(span, _)| Reach { what: DangerousUse::Index, place: Place::new(source, *span) });
    let loops = flow.ends.iter().filter(|(_, marks)| is_reached(marks));
    let loops = loops.map(|(site, _)| Reach {
        what: DangerousUse::LoopBound,
        place: Place::of(ran.program, *site),
    });
    let mut all: Vec<Reach> = indices.chain(loops).collect();
    all.sort_unstable_by_key(|reach| (reach.place.span.start, reach.place.span.end, reach.what));
    // Two indices on one line that use one value are reported as one location.
    let file = |reach: &Reach| source.file(reach.place.span.start);
    all.dedup_by(|b, a| (file(a), a.place.at.line, a.what) == (file(b), b.place.at.line, b.what));
    let more = all.len().saturating_sub(MAX_PLACES);
    all.truncate(MAX_PLACES);
    (all, more)
}
