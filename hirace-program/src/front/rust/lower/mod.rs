//! Syntax → typed tree.
//!
//! `items` collects what a monitored item names and lowers it on demand, so that structs and constants
//! come after what they use. A `body` is one function (or one constant expression): names are resolved and
//! types inferred in one walk, by unification; what a later line must decide is kept as an
//! obligation; at the end `write_back` puts the types found into the tree.
//!
//! What kernels cannot have is refused here, at its tokens, saying what to write instead. An error makes
//! the type of its expression `infer::Ty::Error`, which agrees with everything: one mistake is reported once.

mod array_from_fn;
mod attributes;
mod bitcasts;
mod body;
mod builtin_calls;
mod callables;
mod calls;
mod casts;
mod chunks;
mod closures;
mod compute;
mod const_arguments;
mod constants;
mod consumers;
mod control;
mod conversions;
mod defaults;
mod enums;
mod equality;
mod errors;
mod evaluate;
mod exhaustive;
mod expressions;
mod flatten;
mod folded;
mod functions;
mod generic_calls;
mod globals;
mod held;
mod infer;
mod infinite;
mod items;
mod iterators;
mod lengths;
mod let_chains;
mod literals;
mod loops;
mod macros;
mod made;
mod members;
mod methods;
mod names;
mod nth;
mod obligations;
mod operators;
mod optional;
mod ordering_in_parts;
mod orderings;
mod patterns;
mod places;
mod ranges;
mod recursion;
mod routines;
mod slices;
mod statements;
mod std_items;
mod structs;
mod textures;
mod try_from;
mod tuple_structs;
mod types;
mod write_back;

#[cfg(test)]
mod tests;

use super::tree::Module;
use items::Items;
use proc_macro2::Span;
#[cfg(test)]
pub(super) use textures::formats;

/// What to say of an index that is known to be out of bounds.
pub(super) use evaluate::out_of_bounds;

/// The name of an identifier: without `r#`.
pub(super) use names::text;

/// Whether the prelude has a type of this name, or a name that stands among the parameters of one.
pub(super) fn is_type_of_prelude(name: &str) -> bool {
    types::plain(name).is_some() || name == "Atomic" || textures::is_named(name)
}

/// The tree of a monitored item: a function with `#[hirace::monitor(…)]` or a module with
/// `#[hirace::monitor]`. All errors at once, each at its tokens.
pub fn lower(item: &syn::Item) -> syn::Result<Module> {
    Items::lower(item).0
}

/// Where `.len()` is called for a `u32`, as far as the item is understood: for what rustc is given of one
/// that was refused.
pub fn short_lengths(item: &syn::Item) -> Vec<Span> {
    Items::lower(item).1
}
