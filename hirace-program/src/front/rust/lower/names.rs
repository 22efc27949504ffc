//! Names: as Rust writes them, and those that were perhaps meant.

use super::super::compose::is_known;
use super::super::tree::Name;
use super::errors::place;
use syn::ext::IdentExt;

/// The name of an identifier.
pub fn name(ident: &syn::Ident) -> Name {
    Name { text: text(ident), place: place(ident) }
}

/// An identifier without `r#`.
pub fn text(ident: &syn::Ident) -> String {
    ident.unraw().to_string()
}

/// The last segment of a path: what an attribute or a type is called.
pub fn last(path: &syn::Path) -> String {
    path.segments.last().map(|segment| text(&segment.ident)).unwrap_or_default()
}

/// Where the last segment of a path stands.
pub fn span(path: &syn::Path) -> proc_macro2::Span {
    path.segments.last().map_or_else(|| place(path).first, |segment| segment.ident.span())
}

/// What to say of a name that nothing monitored has.
pub fn unmarked(name: &str) -> String {
    match !is_known(name) {
        true => format!("; if `{name}` stands elsewhere, mark it with `#[hirace::monitor]`"),
        false => String::new(),
    }
}

/// ` (did you mean `…`?)`, if one of `known` is like `name`.
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
