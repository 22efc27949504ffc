//! Names with their places in the source.

use proc_macro2::Span;

/// A range of tokens in the Rust source.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The first token.
    pub first: Span,
    /// The last token.
    pub last: Span,
}

impl Place {
    /// Returns the place of its first token.
    pub fn start(self) -> Place {
        Place { first: self.first, last: self.first }
    }

    /// Returns the place from its first token to the last of `other`. Returns the place itself if `other` does not
    /// follow it, as for code that is inlined from elsewhere.
    pub fn to(self, other: Place) -> Place {
        let position = |span: Span| (span.start().line, span.start().column);
        let follows =
            position(other.last) >= position(self.first) && self.first.file() == other.last.file();
        if follows { Place { first: self.first, last: other.last } } else { self }
    }
}

/// A name with its place. It may be a word that WGSL reserves.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name in Rust, without `r#`.
    pub text: String,
    /// The place of its declaration.
    pub place: Place,
}
