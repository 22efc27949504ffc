//! Separately monitored `impl`s: makes them available to the users of their types.
//!
//! An `impl` has no name to import. So each one defines a macro with a generated name at the root of its crate. It also
//! registers its type in this module while the crate is compiled. The macro of a type lists the macros of its `impl`s.
//! At the end of a chain, an item that lacks some of the listed `impl`s continues with their macros.
//!
//! This depends on the order in which rustc expands macros: first attributes in source order, then macro calls that wait
//! for imports, which includes each step of a chain. So a separate step makes the list of a type's `impl`s, after all
//! `impl`s have been seen. If an item needs an `impl` whose chain has not generated its macro yet, it waits for it, one
//! step at a time.
//!
//! The registry contains names instead of tokens, because spans do not outlive a call of the macro. An `impl` may use
//! items that use its type, so following the lists could lead to a cycle. Therefore only the chains of kernels follow
//! them; macros for other items pass them on.

use crate::bundle::{Bundle, ListedImpl, macro_name};
use crate::chain::State;
use hirace_rust::compose::free::path_text;
use hirace_rust::compose::{ForeignItem, belongs_to};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::sync::{Mutex, MutexGuard, PoisonError};
use syn::Item;

/// The maximum number of steps to wait for an `impl`. rustc's recursion limit is 128.
const MOST: usize = 48;

/// A registered `impl` of the current crate.
struct RegisteredImpl {
    /// The crate that contains it. One process may compile several crates.
    within: String,
    /// The name of the type that it belongs to, as in its header.
    of: String,
    /// The name of its macro.
    name: String,
    /// Whether the macro has been generated.
    made: bool,
}

static KNOWN: Mutex<Vec<RegisteredImpl>> = Mutex::new(Vec::new());

fn known() -> MutexGuard<'static, Vec<RegisteredImpl>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an identifier of the current crate.
fn current_crate() -> String {
    let of = |name| std::env::var(name).unwrap_or_default();
    format!("{} {}", of("CARGO_CRATE_NAME"), of("CARGO_MANIFEST_DIR"))
}

/// Registers an `impl` whose macro is not generated yet.
pub fn note(item: &Item, key: &str) {
    let Item::Impl(item) = item else { return };
    let of =
        belongs_to(item).and_then(|path| path.segments.last().map(|last| last.ident.to_string()));
    let (Some(of), name) = (of, macro_name(key).to_string()) else { return };
    let (mut known, within) = (known(), current_crate());
    known.retain(|known| known.name != name);
    known.push(RegisteredImpl { within, of, name, made: false });
}

/// Records that the macro of an `impl` has been generated.
pub fn made(key: &str) {
    let name = macro_name(key);
    known().iter_mut().filter(|known| name == known.name).for_each(|known| known.made = true);
}

/// Returns the tokens that list the `impl`s of the types with these names, for the macro of a type.
pub fn list(of: &[String]) -> TokenStream {
    let within = current_crate();
    let (known, name) =
        (known(), |known: &RegisteredImpl| Ident::new(&known.name, Span::call_site()));
    let mine = known.iter().filter(|known| known.within == within && of.contains(&known.of));
    let all = mine.map(name).map(|name| quote!({ #within $crate #name }));
    quote!(#(#all)*)
}

/// Returns the `impl`s that bundles list but do not contain.
pub fn wanted(bundles: &[Bundle], foreign: &[ForeignItem], itself: &str) -> Vec<ListedImpl> {
    let has = |name: &Ident| {
        *name == macro_name(itself)
            || foreign.iter().any(|foreign| *name == macro_name(&foreign.key))
    };
    let mut wanted: Vec<ListedImpl> = Vec::new();
    for listed in bundles.iter().flat_map(|bundle| &bundle.impls) {
        if !has(&listed.name) && wanted.iter().all(|other| other.name != listed.name) {
            wanted.push(listed.clone());
        }
    }
    wanted
}

/// Returns whether an `impl` is unreachable, because the type that it belongs to does not list it.
pub fn is_unreachable(item: &Item, key: &str, bundles: &[Bundle]) -> bool {
    let name = macro_name(key);
    let is_found = bundles.iter().any(|bundle| bundle.found.is_some());
    let mut listed = bundles.iter().flat_map(|bundle| &bundle.impls);
    matches!(item, Item::Impl(_)) && is_found && !listed.any(|listed| listed.name == name)
}

/// Returns the error for an unreachable `impl`.
pub fn unreachable_error(item: &Item) -> syn::Error {
    let belongs = match item {
        Item::Impl(item) => belongs_to(item),
        _ => None,
    };
    let name = belongs.as_ref().map_or(String::new(), path_text);
    let message = format!(
        "this `impl` is not reachable from its type: `{name}` is in a `#[hirace::monitor] mod`, or has another name \
         there; move the `impl` next to its type"
    );
    syn::Error::new_spanned(belongs, message)
}

fn place_of(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// Continues the chain with the macros of these `impl`s, or with one more waiting step if they are not generated yet.
///
/// # Errors
/// The `impl`s were not generated in time.
pub fn continue_chain(
    wanted: &[ListedImpl],
    state: State,
    bundles: &[Bundle],
) -> syn::Result<TokenStream> {
    let here = current_crate();
    let is_made = |listed: &ListedImpl| {
        let known = known();
        known.iter().all(|known| known.within != here || listed.name != known.name || known.made)
    };
    if !wanted.iter().all(is_made) {
        let state = State { waited: state.waited + 1, ..state };
        if state.waited > MOST {
            let message = "an `impl` of a type that is used here was not found: move it into a `#[hirace::monitor] mod` \
                           with its type";
            return Err(syn::Error::new(place_of(&state.item), message));
        }
        return Ok(quote! {
            const _: () = {
                use ::hirace::__compose as __hirace_step;
                const _: () = { __hirace_step! { #state #(#bundles)* } };
            };
        });
    }
    let mut roots: Vec<&ListedImpl> = Vec::new();
    for listed in wanted {
        if roots.iter().all(|other| other.within != listed.within) {
            roots.push(listed);
        }
    }
    let roots = roots.iter().map(|listed| &listed.root);
    let mut names = wanted.iter().map(|listed| &listed.name);
    let first = names.next();
    Ok(quote! {
        const _: () = {
            // A glob import, because rustc does not resolve a path to a macro that another macro has defined at the root
            // of the same crate.
            #(#[allow(unused_imports)] use #roots::*;)*
            const _: () = { #first! { __hirace { #({#names})* } #state #(#bundles)* } };
        };
    })
}
