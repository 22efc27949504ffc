//! The tally: what an instrumented module records for each site in addition to races, such as whether it ran, indices out of
//! bounds, and loops with too many iterations.
//!
//! It follows the log. It consists of one bit for each site that any invocation reached, one bit for each site that two
//! invocations reached, and a record of [`WORDS`] for the errors at each site. An invocation keeps its own bits and merges them
//! into the tally when it ends. If both bits are set already, as is usual, merging only needs one look at them.

/// Number of sites per word of bits.
pub const SITES: u32 = u32::BITS;

/// Words per record.
pub const WORDS: u32 = 7;
/// Number of accesses with an index out of bounds at the site; for a loop, the number of invocations that were forced to leave
/// it.
pub const COUNT: u32 = 0;
/// The workgroup of the first such invocation.
pub const WORKGROUP: u32 = 1;
/// The local index of the first such invocation.
pub const LOCAL: u32 = 2;
/// The index that it used.
pub const INDEX: u32 = 3;
/// The last valid index.
pub const LAST: u32 = 4;
/// The kind of index: [`SIGNED`], [`RUNTIME_SIZED`].
pub const KIND: u32 = 5;
/// The highest out-of-bounds index of a runtime-sized array.
pub const MAX_INDEX: u32 = 6;

/// In [`KIND`]: the index is an `i32`.
pub const SIGNED: u32 = 1;
/// In [`KIND`]: the array is runtime-sized.
pub const RUNTIME_SIZED: u32 = 2;

/// The tally of one site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTally {
    /// Whether any invocation reached the site.
    pub ran: bool,
    /// Whether at least two invocations reached it.
    pub reached_by_two: bool,
    /// The error at the site, if any.
    pub wrong: Option<SiteError>,
}

/// An index out of bounds, or a loop that was forcibly ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteError {
    /// Number of occurrences.
    pub count: u32,
    /// The workgroup of the first occurrence.
    pub workgroup: u32,
    /// The local index of the first occurrence.
    pub local: u32,
    /// The index that was used.
    pub index: u32,
    /// The last valid index.
    pub last: u32,
    /// Whether the index is an `i32`.
    pub signed: bool,
    /// The highest index past the end of a runtime-sized array, if the first occurrence was in such an array.
    pub most: Option<u32>,
}

/// Returns the number of words with a bit for each of `sites` sites.
pub const fn bits(sites: u32) -> u32 {
    sites.div_ceil(SITES)
}

/// Returns the number of words before the first record: the bits of sites that were reached, and of those that two invocations
/// reached.
pub const fn head(sites: u32) -> u32 {
    2 * bits(sites)
}

/// Returns the number of words of the tally.
pub const fn length(sites: u32) -> u32 {
    sites.saturating_mul(WORDS).saturating_add(head(sites))
}

/// Reads the tally of each of `sites` sites, starting at word `first`.
pub fn read(words: &[u32], first: u32, sites: u32) -> Vec<SiteTally> {
    let word = |at: u32| words.get(at as usize).copied().unwrap_or(0);
    let is_set = |first: u32, site: u32| word(first + site / SITES) >> (site % SITES) & 1 != 0;
    let record = |site: u32| {
        let at = first + head(sites) + site * WORDS;
        let kind = word(at + KIND);
        let wrong = SiteError {
            count: word(at + COUNT),
            workgroup: word(at + WORKGROUP),
            local: word(at + LOCAL),
            index: word(at + INDEX),
            last: word(at + LAST),
            signed: kind & SIGNED != 0,
            most: (kind & RUNTIME_SIZED != 0).then(|| word(at + MAX_INDEX)),
        };
        SiteTally {
            ran: is_set(first, site),
            reached_by_two: is_set(first + bits(sites), site),
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
        assert_eq!(of(|site| site.reached_by_two), [SITES + 4]);
        assert_eq!(of(|site| site.wrong.is_some_and(|wrong| wrong.count == 7)), [SITES + 4]);
    }
}
