//! Identifiers as written in Rust.

use syn::ext::IdentExt as _;

/// Returns an identifier without `r#`.
pub fn text(ident: &syn::Ident) -> String {
    ident.unraw().to_string()
}
