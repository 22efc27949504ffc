//! Builds the diagram of a race from the logged accesses to some of its words.

use super::element;
use super::executed_launch::ExecutedLaunch;
use super::group::Group;
use super::log::Log;
use crate::facts::{OmittedParts, Picture, Place, Space, Touch, Word};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::Granule;
use crate::observe::history::race;
use crate::observe::trace::Event;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of words in a diagram.
pub(super) const MAX_WORDS: usize = 64;

/// The maximum number of epochs in a diagram.
pub(super) const MAX_EPOCHS: usize = 64;

/// The maximum number of accesses to a word that are considered.
const MAX_EVENTS: usize = 512;

/// The maximum number of invocations that are listed for one site.
const MAX_INVOCATIONS: usize = 64;

/// The maximum number of touches of a word in an epoch that are shown; those of many workgroups are mostly alike.
const MAX_TOUCHES: usize = 16;

/// The key of a touch: word, epoch, workgroup, site, action, and whether it races.
type Key = (usize, u32, u32, SiteId, Action, bool);

/// The invocations of a touch, and whether the representative pair is among their accesses.
#[derive(Default)]
struct TouchInvocations {
    locals: BTreeSet<u32>,
    is_shown: bool,
}

/// Returns the diagram of a race; `None` if its words were not logged.
pub(super) fn build_picture(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    group: &Group,
) -> Option<Picture> {
    let words = words(group);
    let mut left_out = OmittedParts {
        words: group.words.saturating_sub(words.len() as u64),
        ..OmittedParts::default()
    };
    let shown = [group.pair.earlier, group.pair.later];
    let mut touched: BTreeMap<Key, TouchInvocations> = BTreeMap::new();
    for (number, &word) in words.iter().enumerate() {
        let (events, more) = selected_events(log, &shown, word);
        left_out.accesses += more;
        // A race among very many has only a few accesses here.
        let own: Vec<&Event> =
            events.iter().copied().filter(|event| is_at_racing_site(group, event)).collect();
        for &event in &events {
            let Event { epoch, site, action, invocation, .. } = *event;
            let races = is_at_racing_site(group, event)
                && own
                    .iter()
                    .any(|other| is_racing_pair(group, event, other) && race(event, other));
            let key = (number, epoch, invocation.workgroup, site, action, races);
            let who = touched.entry(key).or_default();
            who.locals.insert(invocation.local);
            who.is_shown |= shown.contains(event);
        }
    }
    let epochs = epochs(touched.keys());
    let all: BTreeSet<u32> = touched.keys().map(|&(_, epoch, ..)| epoch).collect();
    left_out.epochs = (all.len() - epochs.len()) as u64;
    touched.retain(|(_, epoch, ..), _| epochs.contains(epoch));
    left_out.accesses += thin_out(&mut touched);
    let mut places: BTreeMap<SiteId, Place> = BTreeMap::new();
    let touch =
        |((word, epoch, workgroup, site, action, races), who): (Key, TouchInvocations)| Touch {
            word,
            epoch,
            workgroup,
            more: who.locals.len().saturating_sub(MAX_INVOCATIONS) as u64,
            invocations: who.locals.into_iter().take(MAX_INVOCATIONS).collect(),
            action,
            site,
            place: *places.entry(site).or_insert_with(|| Place::of(ran.program, site)),
            races,
        };
    let touches: Vec<Touch> = touched.into_iter().map(touch).collect();
    let word = |&(dispatch, granule): &(usize, Granule)| {
        let memory = element::memory(ran.program, ran.launch, granule);
        let is_own = memory.space == Space::Workgroup;
        Word { memory, workgroup: is_own.then_some(granule.workgroup), dispatch }
    };
    let words = words.iter().map(word).collect();
    let grid = ran.grid(group.dispatch);
    (!touches.is_empty()).then_some(Picture { grid, words, epochs, touches, left_out })
}

/// Keeps only a few touches of each word in each epoch, in order of preference: the representative pair, racing
/// touches, other touches. Returns the number of accesses that were removed.
fn thin_out(touched: &mut BTreeMap<Key, TouchInvocations>) -> u64 {
    // The touches are sorted by word and epoch.
    let all: Vec<(Key, bool)> = touched.iter().map(|(&key, who)| (key, who.is_shown)).collect();
    let cells = all.chunk_by(|(a, _), (b, _)| (a.0, a.1) == (b.0, b.1));
    let mut accesses = 0;
    for cell in cells.filter(|cell| cell.len() > MAX_TOUCHES) {
        let mut cell = cell.to_vec();
        cell.sort_by_key(|&(key, is_shown)| (!is_shown, !key.5));
        for (key, _) in &cell[MAX_TOUCHES..] {
            accesses += touched.remove(key).map_or(0, |who| who.locals.len() as u64);
        }
    }
    accesses
}

/// Returns the words to show: the first ones, and the word of the representative pair.
fn words(group: &Group) -> Vec<(usize, Granule)> {
    let mut words: Vec<_> = group.traced_words.iter().copied().take(MAX_WORDS).collect();
    let shown = (group.dispatch, group.pair.later.granule);
    if !words.contains(&shown) {
        words.truncate(MAX_WORDS - 1);
        words.push(shown);
    }
    words
}

/// Returns the accesses to a word that are considered: the first ones and those of the representative pair; and the
/// number of further accesses.
fn selected_events<'a>(
    log: &Log<'a>,
    shown: &[Event; 2],
    word: (usize, Granule),
) -> (Vec<&'a Event>, u64) {
    let events = log.events(word);
    let (first, rest) = events.split_at(events.len().min(MAX_EVENTS));
    let of_pair = rest.iter().filter(|event| shown.contains(event));
    let looked_at: Vec<&Event> = first.iter().chain(of_pair).copied().collect();
    let more = (events.len() - looked_at.len()) as u64;
    (looked_at, more)
}

/// Returns whether an access is at a site of the race.
fn is_at_racing_site(group: &Group, event: &Event) -> bool {
    group.sites.iter().any(|&(a, b)| event.site == a || event.site == b)
}

/// Returns whether two accesses are at a pair of sites of the race.
fn is_racing_pair(group: &Group, a: &Event, b: &Event) -> bool {
    group.sites.contains(&(a.site.min(b.site), a.site.max(b.site)))
}

/// Returns the epochs to show; epochs in which something races are preferred.
fn epochs<'a>(keys: impl Iterator<Item = &'a Key> + Clone) -> Vec<u32> {
    let racing: BTreeSet<u32> =
        keys.clone().filter(|key| key.5).map(|&(_, epoch, ..)| epoch).collect();
    let others: BTreeSet<u32> = keys.map(|&(_, epoch, ..)| epoch).collect();
    let others = others.difference(&racing);
    let mut epochs: Vec<u32> = racing.iter().chain(others).copied().take(MAX_EPOCHS).collect();
    epochs.sort_unstable();
    epochs
}
