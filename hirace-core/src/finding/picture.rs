//! The picture of a race: of some of its words, all that the log has of them.

use super::element;
use super::group::Group;
use super::log::Log;
use super::ran::Ran;
use crate::facts::{LeftOut, Picture, Place, Touch, Word};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::Granule;
use crate::observe::history::race;
use crate::observe::trace::Event;
use std::collections::{BTreeMap, BTreeSet};

/// How many words a picture has.
pub(super) const MOST_WORDS: usize = 64;

/// How many epochs.
pub(super) const MOST_EPOCHS: usize = 64;

/// How many accesses to a word are looked at.
const MOST_EVENTS: usize = 512;

/// How many invocations are named for one site.
const MOST_INVOCATIONS: usize = 64;

/// What one touch stands for.
type Key = (usize, u32, u32, SiteId, Action, bool);

/// The picture of a race; `None` if its words were not logged.
pub(super) fn of(ran: &Ran<'_>, log: &Log<'_>, group: &Group) -> Option<Picture> {
    let words = words(group);
    let mut left_out =
        LeftOut { words: group.words.saturating_sub(words.len() as u64), ..LeftOut::default() };
    let mut invocations: BTreeMap<Key, BTreeSet<u32>> = BTreeMap::new();
    for (number, &word) in words.iter().enumerate() {
        let (events, more) = looked_at(log, group, word);
        left_out.accesses += more;
        for &event in &events {
            let Event { epoch, site, action, invocation, .. } = *event;
            let races = events.iter().any(|other| is_of(group, event, other) && race(event, other));
            let key = (number, epoch, invocation.workgroup, site, action, races);
            invocations.entry(key).or_default().insert(invocation.local);
        }
    }
    let epochs = epochs(invocations.keys());
    let all: BTreeSet<u32> = invocations.keys().map(|&(_, epoch, ..)| epoch).collect();
    left_out.epochs = (all.len() - epochs.len()) as u64;
    let touches: Vec<Touch> = invocations
        .into_iter()
        .filter(|((_, epoch, ..), _)| epochs.contains(epoch))
        .map(|((word, epoch, workgroup, site, action, races), invocations)| Touch {
            word,
            epoch,
            workgroup,
            more: invocations.len().saturating_sub(MOST_INVOCATIONS) as u64,
            invocations: invocations.into_iter().take(MOST_INVOCATIONS).collect(),
            action,
            site,
            place: Place::of(ran.program, site),
            races,
        })
        .collect();
    let word = |&(dispatch, granule): &(usize, Granule)| {
        let memory = element::memory(ran.program, ran.launch, granule);
        let is_own = memory.space == crate::facts::Space::Workgroup;
        Word { memory, workgroup: is_own.then_some(granule.workgroup), dispatch }
    };
    let words = words.iter().map(word).collect();
    let grid = ran.grid(group.dispatch);
    (!touches.is_empty()).then_some(Picture { grid, words, epochs, touches, left_out })
}

/// The words to be shown: the first ones, and that of the pair which is shown.
fn words(group: &Group) -> Vec<(usize, Granule)> {
    let mut words: Vec<_> = group.looked_at.iter().copied().take(MOST_WORDS).collect();
    let shown = (group.dispatch, group.pair.later.granule);
    if !words.contains(&shown) {
        words.truncate(MOST_WORDS - 1);
        words.push(shown);
    }
    words
}

/// The accesses to a word that are looked at: those of the pair which is shown, and the first of the others. And how many
/// more there are.
fn looked_at<'a>(log: &Log<'a>, group: &Group, word: (usize, Granule)) -> (Vec<&'a Event>, u64) {
    let events = log.events(word);
    let is_of_pair = |event: &Event| [group.pair.earlier, group.pair.later].contains(event);
    let (first, rest) = events.split_at(events.len().min(MOST_EVENTS));
    let of_pair = rest.iter().filter(|event| is_of_pair(event));
    let looked_at: Vec<&Event> = first.iter().chain(of_pair).copied().collect();
    let more = (events.len() - looked_at.len()) as u64;
    (looked_at, more)
}

/// Whether two accesses are at sites of the race.
fn is_of(group: &Group, a: &Event, b: &Event) -> bool {
    group.sites.contains(&(a.site.min(b.site), a.site.max(b.site)))
}

/// The epochs to be shown: first those in which something races.
fn epochs<'a>(keys: impl Iterator<Item = &'a Key> + Clone) -> Vec<u32> {
    let racing: BTreeSet<u32> =
        keys.clone().filter(|key| key.5).map(|&(_, epoch, ..)| epoch).collect();
    let others: BTreeSet<u32> = keys.map(|&(_, epoch, ..)| epoch).collect();
    let others = others.difference(&racing);
    let mut epochs: Vec<u32> = racing.iter().chain(others).copied().take(MOST_EPOCHS).collect();
    epochs.sort_unstable();
    epochs
}
