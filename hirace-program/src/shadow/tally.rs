//! What an instrumented module notes of each site beside races: whether it ran, indices out of bounds,
//! loops that took too many turns.
//!
//! It stands after the log: a bit for each site of the program that an invocation came to, a bit for each that two came
//! to, and a record of [`WORDS`] for each of what went wrong there. An invocation keeps such bits of its own, and joins
//! them into these when it is done: where both are set already, which is so for most, that is one look at them.

/// Sites that a word of bits is of.
pub const SITES: u32 = u32::BITS;

/// Words of a record.
pub const WORDS: u32 = 7;
/// How often an index was out of bounds here; of a loop: how many invocations were made to leave it.
pub const COUNT: u32 = 0;
/// The first that this happened to: its workgroup.
pub const WORKGROUP: u32 = 1;
/// Its local index.
pub const LOCAL: u32 = 2;
/// The index it used.
pub const INDEX: u32 = 3;
/// The last index there is.
pub const LAST: u32 = 4;
/// What kind of index it is: [`SIGNED`], [`RUNTIME_SIZED`].
pub const KIND: u32 = 5;
/// The highest index out of bounds of a runtime-sized array.
pub const MOST: u32 = 6;

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

/// Words of bits that say which of `sites` sites were come to.
pub const fn bits(sites: u32) -> u32 {
    sites.div_ceil(SITES)
}

/// Words before the first record: the bits, and those of sites that two came to.
pub const fn head(sites: u32) -> u32 {
    2 * bits(sites)
}

/// Words of the whole tally.
pub const fn length(sites: u32) -> u32 {
    sites.saturating_mul(WORDS).saturating_add(head(sites))
}

/// Reads what was noted of each of `sites` sites in the tally that starts at word `first`.
pub fn read(words: &[u32], first: u32, sites: u32) -> Vec<SiteTally> {
    let word = |at: u32| words.get(at as usize).copied().unwrap_or(0);
    let is_set = |first: u32, site: u32| word(first + site / SITES) >> (site % SITES) & 1 != 0;
    let record = |site: u32| {
        let at = first + head(sites) + site * WORDS;
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
            ran: is_set(first, site),
            by_two: is_set(first + bits(sites), site),
            wrong: (wrong.count > 0).then_some(wrong),
        }
    };
    (0..sites).map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_records_of_many_sites_do_not_mix() {
        let sites = 2 * SITES + 3;
        let mut words = vec![0; 5 + length(sites) as usize];
        let bits = bits(sites) as usize;
        words[5 + 1] = 1 << 4;
        words[5 + bits + 1] = 1 << 4;
        words[5 + 2] = 0b101;
        words[5 + (head(sites) + (SITES + 4) * WORDS + COUNT) as usize] = 7;
        let read = read(&words, 5, sites);
        assert_eq!(read.len(), sites as usize);
        let of = |ran: fn(&SiteTally) -> bool| {
            (0..sites).filter(|&site| ran(&read[site as usize])).collect::<Vec<_>>()
        };
        assert_eq!(of(|site| site.ran), [SITES + 4, 2 * SITES, 2 * SITES + 2]);
        assert_eq!(of(|site| site.by_two), [SITES + 4]);
        assert_eq!(of(|site| site.wrong.is_some_and(|wrong| wrong.count == 7)), [SITES + 4]);
    }
}
