//! Names as written in Rust, and suggestions for misspelt ones.

use super::super::compose::is_known;
use super::super::tree::Name;
use super::errors::place;
pub use crate::identifier::text;

/// Returns the name of an identifier, with its place.
pub fn name(ident: &syn::Ident) -> Name {
    Name { text: text(ident), place: place(ident) }
}

/// Returns the last segment of a path, which is the name of an attribute or type.
pub fn last(path: &syn::Path) -> String {
    path.segments.last().map(|segment| text(&segment.ident)).unwrap_or_default()
}

/// Returns the span of the last segment of a path.
pub fn span(path: &syn::Path) -> proc_macro2::Span {
    path.segments.last().map_or_else(|| place(path).first, |segment| segment.ident.span())
}

/// Returns the hint for a name that no monitored item has.
pub fn unmarked(name: &str) -> String {
    match !is_known(name) {
        true => format!("; if `{name}` is declared elsewhere, mark it with `#[hirace::monitor]`"),
        false => String::new(),
    }
}

/// Returns ` (did you mean `…`?)` if one of `known` is similar to `name`.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let close = |known: &&str| {
        let distance = strsim::damerau_levenshtein(name, known);
        !known.is_empty() && distance <= (name.len().max(known.len()) / 3).max(1) && *known != name
    };
    let nearest = known
        .into_iter()
        .filter(close)
        .min_by_key(|known| (strsim::damerau_levenshtein(name, known), known.to_string()));
    nearest.map_or(String::new(), |nearest| format!(" (did you mean `{nearest}`?)"))
}
