//! Combines monitored items that use one another, in any module or file.
//!
//! [`free`] finds the names that an item takes from outside, by its syntax. Two resolvers exist for them: rustc for
//! the macro, and the module tree of a package, read by [`package`], for the command line. Either resolver provides
//! [`ForeignItem`] items. [`merge()`] puts these next to the item as if they had been written there, under unique names.
//! Both ways lower the same code.

pub mod free;
mod known;
mod merge;
pub mod package;
pub mod pieces;
mod split;

pub use free::{belongs_to, is_followed};
pub use known::{is_builtin_attribute, is_known, shadows_a_macro};
pub use merge::merge;
pub use split::{Part, closure, is_kernel, split};

use proc_macro2::Span;
use quote::ToTokens;
use std::hash::{Hash, Hasher};
use syn::{Item, Path};

/// A monitored item that another item uses.
#[derive(Clone, Debug)]
pub struct ForeignItem {
    /// The identity of the item, independent of the name that it is used by: [`key`].
    pub key: String,
    /// The item and the `impl`s that belong to it. Empty if the item was rejected.
    pub items: Vec<Item>,
    /// The foreign paths of the item as written, each with the key of the item that it leads to.
    pub uses: Vec<(String, String)>,
    /// For a standalone `impl`: the key of the item that it belongs to and is used with.
    pub of: Option<String>,
}

impl ForeignItem {
    /// Returns whether the item was rejected. The error has been reported at the item.
    pub fn is_refused(&self) -> bool {
        self.items.is_empty()
    }
}

/// Returns the paths to everything that an item takes from outside, without duplicates.
pub fn foreign_paths(item: &Item) -> Vec<Path> {
    let items: &[Item] = match item {
        Item::Mod(module) => module.content.as_ref().map_or(&[], |(_, items)| items),
        other => std::slice::from_ref(other),
    };
    free::paths(items, &free::Scope::of(items))
}

/// Returns the item merged with everything that it uses; this is what is lowered. A kernel or module without uses is
/// returned unchanged.
pub fn merge_with_uses(item: &Item, uses: &[(String, String)], foreign: &[ForeignItem]) -> Item {
    let closed = matches!(item, Item::Mod(_))
        || is_kernel(item)
        || !can_stand_alone(item)
        || lacks_size(item);
    match closed && uses.is_empty() {
        true => item.clone(),
        false => merge(item, uses, foreign),
    }
}

/// Rejects a standalone item with the name of a prelude item, because an import of it would be ambiguous.
pub fn check_name(item: &Item) -> syn::Result<()> {
    let Some(name) = free::declared(item) else { return Ok(()) };
    let is_open = can_stand_alone(item) && !is_kernel(item);
    match is_open && is_known(&crate::identifier::text(name)) {
        true => Err(syn::Error::new(
            name.span(),
            format!("`hirace::prelude` already has a `{name}`: rename this item"),
        )),
        false => Ok(()),
    }
}

/// Returns whether a standalone function has kernel parameters but no workgroup size.
pub fn lacks_size(item: &Item) -> bool {
    let Item::Fn(function) = item else { return false };
    let given = function.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(parameter) => Some(&parameter.attrs),
        syn::FnArg::Receiver(_) => None,
    });
    let of_kernels = ["builtin", "uniform", "workgroup", "private", "binding"];
    given.flatten().any(|attribute| of_kernels.iter().any(|name| attribute.path().is_ident(name)))
}

fn can_stand_alone(item: &Item) -> bool {
    matches!(
        item,
        Item::Fn(_)
            | Item::Struct(_)
            | Item::Enum(_)
            | Item::Const(_)
            | Item::Type(_)
            | Item::Impl(_)
    )
}

/// Returns the identity of an item, independent of how it was found: its name, its position, and its text.
pub fn key(name: &syn::Ident, item: &impl ToTokens) -> String {
    let span = name.span();
    let start = span.start();
    let mut hasher = rustc_hash::FxHasher::default();
    // All items that a user's macro produces have the same position. The debug output of a span distinguishes the
    // macro's calls.
    let call = format!("{span:?}");
    let call = call.split_whitespace().next().unwrap_or_default();
    (span.file(), start.line, start.column, call).hash(&mut hasher);
    item.to_token_stream().to_string().hash(&mut hasher);
    format!("{}_{:016x}", crate::identifier::text(name), hasher.finish())
}

impl ForeignItem {
    /// Returns the name of the file that contains the item, as its tokens report it.
    pub fn file(&self) -> String {
        let name = self.items.iter().find_map(free::declared);
        name.map_or_else(Span::call_site, |name| name.span()).file()
    }
}
