//! The head of the shadow's buffer: the results of the instrumented module.

use crate::ir::sites::SiteId;

/// The word that counts racy granules, including those that did not fit in the log.
pub const REPORTS: u32 = 0;
/// The word of flags, for checks that were not performed ([`UncheckedMemory`]) and for errors without details.
pub const FLAGS: u32 = 1;
/// The word that counts racy granules which only the shadow records.
pub const UNLOGGED: u32 = 2;
/// The first word of the entries.
pub const HEADER: u32 = 4;
/// Words per entry: site, workgroup, granule.
pub const ENTRY: u32 = 3;

/// The flag in [`FLAGS`] for accesses to memory shared by the dispatch that were not checked because a clock overflowed.
pub const UNCHECKED_DISPATCH: u32 = 1;
/// The flag in [`FLAGS`] for accesses to workgroup memory that were not checked because a clock overflowed.
pub const UNCHECKED_WORKGROUP: u32 = 2;
/// The flag in [`FLAGS`] for workgroups that got no shadow slot for their memory.
pub const NO_FREE_SLOT: u32 = 4;
/// The flag in [`FLAGS`] for indices out of bounds and for loops that were forcibly ended, when no details are recorded.
pub const ERROR_FLAG: u32 = 8;

/// A granule that became racy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The site of the access that made it racy. Its memory is the one accessed there.
    pub site: SiteId,
    /// Linear index of the workgroup of that access.
    pub workgroup: u32,
    /// Index of the granule in its memory.
    pub granule: u32,
}

/// The kinds of memory in which some checks were not performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UncheckedMemory {
    /// Storage memory and textures: a clock overflowed.
    pub dispatch: bool,
    /// Workgroup memory: a clock overflowed.
    pub workgroup: bool,
    /// Workgroup memory: no shadow slot became free for a workgroup.
    pub slots: bool,
}

/// The log of a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The racy granules, in the order of detection.
    pub reports: Vec<Report>,
    /// The number of further racy granules, some of which the shadow may show.
    pub dropped: u32,
    /// Whether an error occurred for which no details are recorded.
    pub has_unrecorded_errors: bool,
    /// The checks that were not performed.
    pub stopped: UncheckedMemory,
}

impl Log {
    /// Reads the log, which has room for `entries`, from the words of the shadow's buffer.
    pub fn read(words: &[u32], entries: u32) -> Self {
        let word = |at: u32| words.get(at as usize).copied().unwrap_or(0);
        let found = word(REPORTS);
        let kept = found.min(entries);
        let reports = (0..kept).map(|entry| {
            let at = HEADER + entry * ENTRY;
            Report { site: SiteId(word(at)), workgroup: word(at + 1), granule: word(at + 2) }
        });
        let flags = word(FLAGS);
        Self {
            reports: reports.collect(),
            dropped: (found - kept).saturating_add(word(UNLOGGED)),
            has_unrecorded_errors: flags & ERROR_FLAG != 0,
            stopped: UncheckedMemory {
                dispatch: flags & UNCHECKED_DISPATCH != 0,
                workgroup: flags & UNCHECKED_WORKGROUP != 0,
                slots: flags & NO_FREE_SLOT != 0,
            },
        }
    }
}
