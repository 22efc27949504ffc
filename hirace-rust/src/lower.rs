//! Syntax → typed tree.
//!
//! `items` collects the items of a monitored item and lowers them on demand, so that structs and constants come after
//! those they use. A `body` is one function or one constant expression. One walk resolves names and infers types by
//! unification. A constraint that cannot be decided yet is stored as an obligation. At the end, `write_back` puts the
//! inferred types into the tree.
//!
//! Unsupported code is rejected at its tokens with a message that says what to write instead. The type of an
//! expression with an error is `infer::Ty::Error`, which is compatible with every type, so that each mistake is
//! reported once.

mod adaptors;
mod attributes;
mod body;
mod build;
mod builtin_calls;
mod callables;
mod calls;
mod closures;
mod comparison;
mod const_arguments;
mod constants;
mod consumers;
mod control;
mod conversions;
mod defaults;
mod enums;
mod errors;
mod evaluate;
mod evaluation_order;
mod exhaustive;
mod expressions;
mod functions;
mod generic_calls;
mod globals;
mod infer;
mod items;
mod iterators;
mod let_chains;
mod literals;
mod loops;
mod members;
mod methods;
mod names;
mod obligations;
mod operators;
mod optional;
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
mod types;
mod write_back;

#[cfg(test)]
mod tests;

use super::tree::Module;
use items::Items;
use proc_macro2::Span;

/// Returns the message for an index that is known to be out of bounds.
pub(super) use evaluate::out_of_bounds;

/// Lowers a monitored item: a function with `#[hirace::monitor(…)]` or a module with `#[hirace::monitor]`.
///
/// # Errors
/// Returns all errors at once, each at its tokens.
pub fn lower(item: &syn::Item) -> syn::Result<Module> {
    Items::lower(item).0
}

/// Returns the calls of `.len()` that have type `u32`, as far as the item could be lowered. The macro needs them for
/// items that are rejected too.
pub fn short_lengths(item: &syn::Item) -> Vec<Span> {
    Items::lower(item).1
}
