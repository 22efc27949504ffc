//! Syntax → typed tree.

use super::tree::Module;

/// The tree of a monitored item: a function with `#[hirace::monitor(…)]` or a module with
/// `#[hirace::monitor]`. All errors at once, each at its tokens.
pub fn lower(item: &syn::Item) -> syn::Result<Module> {
    Err(syn::Error::new_spanned(item, "not yet"))
}
