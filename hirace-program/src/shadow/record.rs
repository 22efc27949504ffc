//! The log of a recording module: every access to the granules that the host has marked.
//!
//! It stands after the head that it shares with [`super::log`]: the number of events, those that did
//! not fit included, then the events.

use super::log;
use crate::ir::sites::SiteId;

/// Words of an event.
pub const WORDS: u32 = 9;

/// What a marked granule's shadow word is set to.
pub const MARK: u32 = 1;

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where in the program. The memory is that of the access there.
    pub site: SiteId,
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// Local index of the invocation.
    pub local: u32,
    /// Local index of the first invocation of its subgroup; 0 where no subgroup barrier tells them apart.
    pub subgroup: u32,
    /// Index of the granule in its memory.
    pub granule: u32,
    /// Barriers of the memory's class that were passed.
    pub epoch: u32,
    /// Subgroup barriers that were passed.
    pub subgroup_epoch: u32,
    /// Workgroup barriers of any class that were passed.
    pub barriers: u32,
    /// The last of those; [`SiteId::NONE`] before the first.
    pub last_barrier: SiteId,
}

/// Reads the events from the words of the shadow's buffer, which has room for `entries`, and how many
/// more there were.
pub fn read(words: &[u32], entries: u32) -> (Vec<Event>, u32) {
    let word = |at: u32| words.get(at as usize).copied().unwrap_or(0);
    let found = word(log::REPORTS);
    let kept = found.min(entries);
    let event = |entry: u32| {
        let at = log::HEADER + entry * WORDS;
        let last = word(at + 8);
        Event {
            site: SiteId(word(at)),
            workgroup: word(at + 1),
            local: word(at + 2),
            subgroup: word(at + 3),
            granule: word(at + 4),
            epoch: word(at + 5),
            subgroup_epoch: word(at + 6),
            barriers: word(at + 7),
            // Counted from 1, so that 0 is none.
            last_barrier: last.checked_sub(1).map_or(SiteId::NONE, SiteId),
        }
    };
    ((0..kept).map(event).collect(), found - kept)
}
