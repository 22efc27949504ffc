//! A hash of the content of a shader: equal for shaders with the same WGSL text, or with the same naga module, and the same entry
//! point and constants. A text and the module that was parsed from it have different hashes.

use crate::shader::{Shader, Source};
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};

/// The content of a shader as a hash of 128 bits, so that collisions do not occur in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content([u64; 2]);

impl Content {
    /// Computes the content of `shader`, without its layout.
    pub fn of(shader: &Shader<'_>) -> Self {
        let mut hashing = ContentHasher::default();
        match shader.source {
            Source::Wgsl(text) => hashing.field(text.as_bytes()),
            // naga cannot hash a module, but its debug output contains all of it.
            Source::Naga(module) => {
                let printed = write!(hashing, "{module:?}");
                debug_assert!(printed.is_ok(), "hashing takes all text");
            }
        }
        hashing.field(shader.entry.as_bytes());
        for (name, value) in shader.constants {
            hashing.field(name.as_bytes());
            hashing.field(&value.to_bits().to_le_bytes());
        }
        hashing.finish()
    }
}

/// Two differently seeded hashers of the same bytes.
struct ContentHasher([DefaultHasher; 2]);

impl Default for ContentHasher {
    fn default() -> Self {
        let mut other = DefaultHasher::new();
        other.write_u8(1);
        Self([DefaultHasher::new(), other])
    }
}

impl ContentHasher {
    /// Hashes the bytes and then their number, so that the end of a field is part of the content.
    fn field(&mut self, bytes: &[u8]) {
        for hasher in &mut self.0 {
            hasher.write(bytes);
            hasher.write_usize(bytes.len());
        }
    }

    fn finish(self) -> Content {
        Content(self.0.map(|hasher| hasher.finish()))
    }
}

impl Write for ContentHasher {
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

    const TEXT: &str = "override n: u32 = 1;
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() { for (var i = 0u; i < n; i++) { out[i] = 1.5; } }";

    fn parsed(text: &str) -> naga::Module {
        naga::front::wgsl::parse_str(text).expect("good WGSL")
    }

    fn content(source: Source<'_>, entry: &str, constants: &[(&str, f64)]) -> Content {
        Content::of(&Shader { source, entry, constants, layout: None })
    }

    #[test]
    fn the_same_module_made_twice_is_the_same() {
        let [first, second] = [parsed(TEXT), parsed(TEXT)];
        let of = |module| content(Source::Naga(module), "main", &[("n", 2.0)]);
        assert_eq!(of(&first), of(&second));
    }

    #[test]
    fn any_difference_changes_the_content_hash() {
        let (module, other) = (parsed(TEXT), parsed(&TEXT.replace("1.5", "2.5")));
        let all = [
            content(Source::Naga(&module), "main", &[("n", 2.0)]),
            content(Source::Naga(&other), "main", &[("n", 2.0)]),
            content(Source::Naga(&module), "other", &[("n", 2.0)]),
            content(Source::Naga(&module), "main", &[("n", 3.0)]),
            content(Source::Naga(&module), "main", &[]),
            content(Source::Wgsl(TEXT), "main", &[("n", 2.0)]),
            content(Source::Wgsl(TEXT), "mai", &[("nn", 2.0)]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(one), "{at}");
        }
    }
}
