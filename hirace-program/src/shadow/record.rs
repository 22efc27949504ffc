//! The event log of a recording module: every access to the granules that the host has marked.
//!
//! It starts with the header that it shares with [`super::log`], which contains the number of events, including those that did
//! not fit. The events follow.

use super::log;
use crate::ir::sites::SiteId;

/// Words per event.
pub const WORDS: u32 = 9;

/// The value of a marked granule's shadow word.
pub const MARK: u32 = 1;

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The site of the access, which determines the memory.
    pub site: SiteId,
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// Local index of the invocation.
    pub local: u32,
    /// Local index of the first invocation of its subgroup; 0 if no subgroup barrier distinguishes subgroups.
    pub subgroup: u32,
    /// Index of the granule in its memory.
    pub granule: u32,
    /// Number of barriers of the memory's class passed before.
    pub epoch: u32,
    /// Number of subgroup barriers passed before.
    pub subgroup_epoch: u32,
    /// Number of workgroup barriers of any class passed before.
    pub barriers: u32,
    /// The last of those barriers; [`SiteId::NONE`] before the first.
    pub last_barrier: SiteId,
}

/// Reads the events from the words of the shadow's buffer, which has room for `entries`. Also returns the number of events that
/// did not fit.
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
            // Site ids are stored plus 1, so that 0 means none.
            last_barrier: last.checked_sub(1).map_or(SiteId::NONE, SiteId),
        }
    };
    ((0..kept).map(event).collect(), found - kept)
}
