//! What a program is, as a number: equal for programs of equal content, whoever made them and when.

use super::Program;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::sync::OnceLock;

/// The content of a program, in 128 bits: enough that no two of different content are ever met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content([u64; 2]);

/// The content of a program whose module does not change any more, once somebody has asked for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(OnceLock<Content>);

impl Program {
    /// Its content: the module, and what its sites do that this does not say. It is computed when it is first asked for;
    /// neither may be changed after that.
    pub fn content(&self) -> Content {
        *self.content.0.get_or_init(|| {
            let mut hashing = Hashing::default();
            // naga has no hash of a module. What it prints for debugging has all of it.
            let printed = write!(hashing, "{:?}{:?}", self.module, self.sites.list);
            debug_assert!(printed.is_ok(), "hashing takes all text");
            Content(hashing.0.map(|hasher| hasher.finish()))
        })
    }
}

/// Two hashes of the same text.
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
