//! What an instrumented module notes of each site beside races: whether it ran, indices out of bounds,
//! loops that took too many turns.
//!
//! A record of [`WORDS`] for each site of the program, after the log.

/// Words of a record.
pub const WORDS: u32 = 9;
/// The highest number of an invocation that was here, counted from 1.
pub const HIGHEST: u32 = 0;
/// The complement of the lowest, so that both only grow from 0.
pub const LOWEST: u32 = 1;
/// How often an index was out of bounds here; of a loop: how many invocations were made to leave it.
pub const COUNT: u32 = 2;
/// The first that this happened to: its workgroup.
pub const WORKGROUP: u32 = 3;
/// Its local index.
pub const LOCAL: u32 = 4;
/// The index it used.
pub const INDEX: u32 = 5;
/// The last index there is.
pub const LAST: u32 = 6;
/// What kind of index it is: [`SIGNED`], [`RUNTIME_SIZED`].
pub const KIND: u32 = 7;
/// The highest index out of bounds of a runtime-sized array.
pub const MOST: u32 = 8;

/// In [`KIND`]: the index is an `i32`.
pub const SIGNED: u32 = 1;
/// In [`KIND`]: the length of the array is that of its buffer.
pub const RUNTIME_SIZED: u32 = 2;

/// What was noted of one site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTally {
    /// Whether any invocation was here.
    pub ran: bool,
    /// Whether two were.
    pub by_two: bool,
    /// What went wrong here, if anything.
    pub wrong: Option<Wrong>,
}

/// An index out of bounds, or a loop that had to be ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrong {
    /// How often it happened.
    pub count: u32,
    /// To whom first: the workgroup.
    pub workgroup: u32,
    /// The local index.
    pub local: u32,
    /// The index used.
    pub index: u32,
    /// The last there is.
    pub last: u32,
    /// Whether the index is an `i32`.
    pub signed: bool,
    /// The highest index past the end of a runtime-sized array, if the first was of such a one.
    pub most: Option<u32>,
}

/// Reads the record of each of `sites` sites, which start at word `first`.
pub fn read(words: &[u32], first: u32, sites: u32) -> Vec<SiteTally> {
    let word = |at: u32| words.get(at as usize).copied().unwrap_or(0);
    let record = |site: u32| {
        let at = first + site * WORDS;
        let (highest, lowest) = (word(at + HIGHEST), !word(at + LOWEST));
        let kind = word(at + KIND);
        let wrong = Wrong {
            count: word(at + COUNT),
            workgroup: word(at + WORKGROUP),
            local: word(at + LOCAL),
            index: word(at + INDEX),
            last: word(at + LAST),
            signed: kind & SIGNED != 0,
            most: (kind & RUNTIME_SIZED != 0).then(|| word(at + MOST)),
        };
        SiteTally {
            ran: highest != 0,
            by_two: highest != 0 && highest != lowest,
            wrong: (wrong.count > 0).then_some(wrong),
        }
    };
    (0..sites).map(record).collect()
}
