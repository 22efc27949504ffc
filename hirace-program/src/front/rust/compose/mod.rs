//! Monitored items that use one another, wherever each stands.
//!
//! [`free`] finds the names that an item takes from outside, by its syntax. Who resolves them differs: for the macro rustc
//! does, and for the command line the module tree of a package that [`package`] reads. Either gives [`Foreign`] items, and
//! [`merge()`] puts these beside the item as if they had been written there, under names that nothing else has. What is lowered is
//! the same for both.

pub mod free;
mod impls;
mod known;
mod merge;
pub mod package;
pub mod pieces;
mod split;

pub use impls::belongs_to;
pub use known::{is_builtin_attribute, is_known, shadows_a_macro};
pub use merge::{is_followed, merge};
pub use split::{Part, closure, is_kernel, split};

use proc_macro2::Span;
use quote::ToTokens;
use std::hash::{Hash, Hasher};
use syn::{Item, Path};

/// A monitored item that another one uses.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Which item it is, whoever uses it by whatever name: [`key`].
    pub key: String,
    /// Itself, and the `impl`s that belong to it. None, if it was refused where it stands.
    pub items: Vec<Item>,
    /// What it takes from outside: the path as it is written there, and the item's key.
    pub uses: Vec<(String, String)>,
    /// Of an `impl` that stands by itself: the key of what it belongs to, with which it comes along.
    pub of: Option<String>,
}

impl Foreign {
    /// Whether it was refused, which was said where it stands.
    pub fn is_refused(&self) -> bool {
        self.items.is_empty()
    }
}

/// The paths to what an item takes from outside, each once.
pub fn outside(item: &Item) -> Vec<Path> {
    let items: &[Item] = match item {
        Item::Mod(module) => module.content.as_ref().map_or(&[], |(_, items)| items),
        other => std::slice::from_ref(other),
    };
    free::paths(items, &free::Scope::of(items))
}

/// The item with all that it uses: what is lowered. A kernel or a module that uses nothing is that already.
pub fn whole(item: &Item, uses: &[(String, String)], foreign: &[Foreign]) -> Item {
    let closed = matches!(item, Item::Mod(_))
        || is_kernel(item)
        || !can_stand_alone(item)
        || lacks_size(item);
    match closed && uses.is_empty() {
        true => item.clone(),
        false => merge(item, uses, foreign),
    }
}

/// Refuses an item for others whose name the prelude has: who imports it could not say which of them is meant.
pub fn check_name(item: &Item) -> syn::Result<()> {
    let Some(name) = free::declared(item) else { return Ok(()) };
    let is_open = can_stand_alone(item) && !is_kernel(item);
    match is_open && is_known(&super::lower::text(name)) {
        true => Err(syn::Error::new(
            name.span(),
            format!("`hirace::prelude` has a `{name}`: give this another name"),
        )),
        false => Ok(()),
    }
}

/// Whether a function alone has parameters of kernels, and not what makes it one.
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

/// What makes an item the same however it was come by: its name, where it stands, and its text.
pub fn key(name: &syn::Ident, item: &impl ToTokens) -> String {
    let span = name.span();
    let start = span.start();
    let mut hasher = rustc_hash::FxHasher::default();
    // Macros of the user's give all that they make the same place; what is shown of a span tells their calls apart.
    let call = format!("{span:?}");
    let call = call.split_whitespace().next().unwrap_or_default();
    (span.file(), start.line, start.column, call).hash(&mut hasher);
    item.to_token_stream().to_string().hash(&mut hasher);
    format!("{}_{:016x}", super::lower::text(name), hasher.finish())
}

impl Foreign {
    /// The file that it stands in, as its tokens say.
    pub fn file(&self) -> String {
        let name = self.items.iter().find_map(free::declared);
        name.map_or_else(Span::call_site, |name| name.span()).file()
    }
}
