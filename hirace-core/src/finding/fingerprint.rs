//! Fingerprints: identifiers of findings that stay the same when lines move.
//!
//! A fingerprint hashes what a finding is about, not its position: the rule, the variable, and for each source location
//! the name of the function and the text there without white space. The order of the locations does not matter, because
//! the schedule decides which access comes first.

use crate::facts::{Fingerprint, Kind};
use crate::ir::sites::SiteId;
use crate::program::Program;

/// The 64-bit FNV-1a hash: small, and the same on every machine and in every version.
struct Fnv(u64);

impl Fnv {
    fn text(&mut self, text: &str) {
        // UTF-8 never contains the byte 0xff, so it separates adjacent texts.
        self.bytes(text.bytes().chain([0xff]));
    }

    fn bytes(&mut self, bytes: impl Iterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Returns the 64-bit FNV-1a hash of the contents of a memory.
pub fn digest(bytes: &[u8]) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.bytes(bytes.iter().copied());
    hash.0
}

/// Returns the hash of one text.
pub(crate) fn fnv(text: &str) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.text(text);
    hash.0
}

/// The text at one source location of a finding, with the name of its function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SiteText {
    function: String,
    text: String,
}

impl SiteText {
    /// Creates the mark of `snippet`, the text at `site`.
    pub fn new(program: &Program, site: SiteId, snippet: &str) -> Self {
        let site = program.sites.get(site);
        let function = site.and_then(|site| site.function.name(&program.module));
        Self {
            function: function.unwrap_or_default().to_owned(),
            text: snippet.chars().filter(|c| !c.is_whitespace()).collect(),
        }
    }
}

/// Returns the fingerprint of a finding of this kind on `variable`.
pub(crate) fn fingerprint(kind: Kind, variable: &str, mut marks: Vec<SiteText>) -> Fingerprint {
    marks.sort();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.text(kind.code());
    hash.text(variable);
    for mark in marks {
        hash.text(&mark.function);
        hash.text(&mark.text);
    }
    Fingerprint(hash.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str) -> SiteText {
        let text = text.chars().filter(|c| !c.is_whitespace()).collect();
        SiteText { function: "main".to_owned(), text }
    }

    #[test]
    fn order_and_spacing_do_not_matter_and_the_rest_does() {
        let one = fingerprint(Kind::DataRace, "tile", vec![mark("tile[ l ]"), mark("tile[l + s]")]);
        let two = fingerprint(Kind::DataRace, "tile", vec![mark("tile[l+s]"), mark("tile[l]")]);
        assert_eq!(one, two);
        assert_ne!(
            one,
            fingerprint(Kind::DataRace, "tile", vec![mark("tile[l]"), mark("tile[l]")])
        );
        assert_ne!(
            one,
            fingerprint(Kind::DataRace, "til", vec![mark("etile[l]"), mark("tile[l+s]")])
        );
    }

    #[test]
    fn the_hash_is_the_published_one() {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        for byte in "foobar".bytes() {
            hash.0 = (hash.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
    }
}
