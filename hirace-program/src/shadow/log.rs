//! The head of the shadow's buffer: what the instrumented module has found out.

use crate::ir::sites::SiteId;

/// Word that counts the racy granules, those that did not fit the log included.
pub const REPORTS: u32 = 0;
/// Word of flags that say where something was not judged ([`Stopped`]).
pub const STOPPED: u32 = 1;
/// Word that counts the racy granules which the shadow alone shows.
pub const UNLOGGED: u32 = 2;
/// Where the entries start.
pub const HEADER: u32 = 4;
/// Words of an entry: site, workgroup, granule.
pub const ENTRY: u32 = 3;

/// The flag in [`STOPPED`] for memory shared by the dispatch.
pub const STOPPED_DISPATCH: u32 = 1;
/// The flag in [`STOPPED`] for workgroup memory.
pub const STOPPED_WORKGROUP: u32 = 2;
/// The flag in [`STOPPED`] for workgroups that got no shadow for their memory.
pub const STOPPED_SLOTS: u32 = 4;
/// The flag in [`STOPPED`] for indices out of bounds and loops that had to be ended, of which nothing else is noted.
pub const AMISS: u32 = 8;

/// A granule that turned racy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Of the access at which it did. Its memory is that of the access.
    pub site: SiteId,
    /// Linear index of the workgroup whose access it was.
    pub workgroup: u32,
    /// Index of the granule in its memory.
    pub granule: u32,
}

/// Memory in which something was not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopped {
    /// Storage memory and textures: a clock ran out.
    pub dispatch: bool,
    /// Workgroup memory: a clock ran out.
    pub workgroup: bool,
    /// Workgroup memory: none of its shadows became free for a workgroup.
    pub slots: bool,
}

/// What a dispatch left in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The racy granules, in the order they were found.
    pub reports: Vec<Report>,
    /// How many more there were, of which some may be shown by the shadow.
    pub dropped: u32,
    /// Whether something went wrong of which nothing else is noted.
    pub amiss: bool,
    /// What was not judged.
    pub stopped: Stopped,
}

impl Log {
    /// Reads the log, with room for `entries`, from the words of the shadow's buffer.
    pub fn read(words: &[u32], entries: u32) -> Self {
        let word = |at: u32| words.get(at as usize).copied().unwrap_or(0);
        let found = word(REPORTS);
        let kept = found.min(entries);
        let reports = (0..kept).map(|entry| {
            let at = HEADER + entry * ENTRY;
            Report { site: SiteId(word(at)), workgroup: word(at + 1), granule: word(at + 2) }
        });
        let flags = word(STOPPED);
        Self {
            reports: reports.collect(),
            dropped: (found - kept).saturating_add(word(UNLOGGED)),
            amiss: flags & AMISS != 0,
            stopped: Stopped {
                dispatch: flags & STOPPED_DISPATCH != 0,
                workgroup: flags & STOPPED_WORKGROUP != 0,
                slots: flags & STOPPED_SLOTS != 0,
            },
        }
    }
}
