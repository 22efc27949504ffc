//! `impl`s that are monitored by themselves: how whoever uses a type comes by them.
//!
//! An `impl` has no name that an import could lead to. So each leaves a macro at the root of its crate, under a name that
//! nobody writes, and here, for as long as the crate is compiled, which type it is for. What a type's macro gives lists these
//! names; who comes to the end of a chain and has not been given all that are listed goes on to their macros.
//!
//! That rests on the order in which rustc expands: attributes as they stand in the source, then what waits for imports, as
//! each step of a chain does. So the list of a type is made in a step of its own, when all `impl`s have been seen; and whoever
//! wants one that its own chain has not yet made waits, a step at a time.

use crate::chain::State;
use crate::exports::Bundle;
use hirace_program::front::rust::compose::free::shown;
use hirace_program::front::rust::compose::{Foreign, belongs_to};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::sync::{Mutex, MutexGuard, PoisonError};
use syn::parse::{Parse, ParseStream};
use syn::{Item, LitStr, braced};

/// For so many steps is an `impl` waited for. rustc gives up at 128.
const MOST: usize = 48;

/// What is known of an `impl` of the crate at hand.
struct Known {
    /// The crate: one process may compile several.
    within: String,
    /// The name of what it belongs to, as its head has it.
    of: String,
    /// Its macro.
    name: String,
    /// Whether that is there.
    made: bool,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

fn known() -> MutexGuard<'static, Vec<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The crate at hand.
fn within() -> String {
    let of = |name| std::env::var(name).unwrap_or_default();
    format!("{} {}", of("CARGO_CRATE_NAME"), of("CARGO_MANIFEST_DIR"))
}

/// The name of the macro of what has this key.
pub fn macro_name(key: &str) -> Ident {
    format_ident!("__hirace_{key}")
}

/// Notes an `impl`, whose macro is not made yet.
pub fn note(item: &Item, key: &str) {
    let Item::Impl(item) = item else { return };
    let of =
        belongs_to(item).and_then(|path| path.segments.last().map(|last| last.ident.to_string()));
    let (Some(of), name) = (of, macro_name(key).to_string()) else { return };
    let (mut known, within) = (known(), within());
    known.retain(|known| known.name != name);
    known.push(Known { within, of, name, made: false });
}

/// Notes that the macro of an `impl` is there.
pub fn made(key: &str) {
    let name = macro_name(key);
    known().iter_mut().filter(|known| name == known.name).for_each(|known| known.made = true);
}

/// An `impl` that a type of a crate has, as macros tell of it.
#[derive(Clone)]
pub struct Listed {
    within: String,
    /// `$crate`, which leads there from wherever it has come to.
    root: TokenTree,
    name: Ident,
}

/// What stands in a macro that is made of this for the `impl`s of types with these names.
pub fn list(of: &[String]) -> TokenStream {
    let within = within();
    let (known, name) = (known(), |known: &Known| Ident::new(&known.name, Span::call_site()));
    let mine = known.iter().filter(|known| known.within == within && of.contains(&known.of));
    let all = mine.map(name).map(|name| quote!({ #within $crate #name }));
    quote!(#(#all)*)
}

impl ToTokens for Listed {
    fn to_tokens(&self, to: &mut TokenStream) {
        let Self { within, root, name } = self;
        to.extend(quote!({ #within #root #name }));
    }
}

impl Parse for Listed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        braced!(content in input);
        let within: LitStr = content.parse()?;
        Ok(Self { within: within.value(), root: content.parse()?, name: content.parse()? })
    }
}

/// Those that bundles list and do not have.
pub fn wanted(bundles: &[Bundle], foreign: &[Foreign], itself: &str) -> Vec<Listed> {
    let has = |name: &Ident| {
        *name == macro_name(itself)
            || foreign.iter().any(|foreign| *name == macro_name(&foreign.key))
    };
    let mut wanted: Vec<Listed> = Vec::new();
    for listed in bundles.iter().flat_map(|bundle| &bundle.impls) {
        if !has(&listed.name) && wanted.iter().all(|other| other.name != listed.name) {
            wanted.push(listed.clone());
        }
    }
    wanted
}

/// Whether an `impl` comes along with nothing: what it belongs to does not list it.
pub fn is_lost(item: &Item, key: &str, bundles: &[Bundle]) -> bool {
    let name = macro_name(key);
    let is_found = bundles.iter().any(|bundle| bundle.found.is_some());
    let mut listed = bundles.iter().flat_map(|bundle| &bundle.impls);
    matches!(item, Item::Impl(_)) && is_found && !listed.any(|listed| listed.name == name)
}

/// What is said of one.
pub fn lost(item: &Item) -> syn::Error {
    let belongs = match item {
        Item::Impl(item) => belongs_to(item),
        _ => None,
    };
    let name = belongs.as_ref().map_or(String::new(), shown);
    let message = format!(
        "what is monitored by itself belongs to types that are: `{name}` stands in a `#[hirace::monitor] mod`, or has \
         another name there; this stands with it"
    );
    syn::Error::new_spanned(belongs, message)
}

fn place_of(tokens: &TokenStream) -> Span {
    tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// The chain goes on to these, or waits for a step.
///
/// # Errors
/// They never come.
pub fn go_on(wanted: &[Listed], state: State, bundles: &[Bundle]) -> syn::Result<TokenStream> {
    let here = within();
    let is_made = |listed: &Listed| {
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
    let mut roots: Vec<&Listed> = Vec::new();
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
            // A glob: rustc lets no path lead to what a macro has put at the root of its own crate.
            #(#[allow(unused_imports)] use #roots::*;)*
            const _: () = { #first! { __hirace { #({#names})* } #state #(#bundles)* } };
        };
    })
}
