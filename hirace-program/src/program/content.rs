//! Content hashes of programs: programs with equal content have equal hashes.

use super::Program;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::sync::OnceLock;

/// A 128-bit content hash of a program, wide enough that collisions do not occur in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content([u64; 2]);

/// The lazily computed content hash of a program whose module does not change any more.
#[derive(Clone, Debug, Default)]
pub(super) struct CachedContentHash(OnceLock<Content>);

impl Program {
    /// Returns the content hash: of the module, and of the properties of its sites that the module does not represent. The hash
    /// is computed on first use; the module and sites must not be changed after that.
    pub fn content(&self) -> Content {
        *self.content.0.get_or_init(|| {
            let mut hashing = Hashing::default();
            // naga has no hash of a module, but its debug output is complete.
            let printed = write!(hashing, "{:?}{:?}", self.module, self.sites.list);
            debug_assert!(printed.is_ok(), "hashing takes all text");
            Content(hashing.0.map(|hasher| hasher.finish()))
        })
    }
}

/// Two hashes of the same text, with different seeds.
struct Hashing([DefaultHasher; 2]);

impl Default for Hashing {
    fn default() -> Self {
        let mut other = DefaultHasher::new();
        other.write_u8(1);
        Self([DefaultHasher::new(), other])
    }
}

impl Write for Hashing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for hasher in &mut self.0 {
            hasher.write(text.as_bytes());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::wgsl;
    use std::collections::BTreeMap;

    fn content(text: &str) -> Content {
        let parsed = wgsl::parse("k.wgsl", text).unwrap();
        Program::new(&parsed, &BTreeMap::new()).unwrap().content()
    }

    #[test]
    fn programs_of_the_same_text_are_the_same_and_others_are_not() {
        let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @compute @workgroup_size(1) fn main() { a[0] = 1u; }";
        assert_eq!(content(text), content(text));
        assert_ne!(content(text), content(&text.replace("1u", "2u")));
    }
}
