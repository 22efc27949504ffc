//! Exports an item to others: its tokens, in a macro that has its name.
//!
//! A name is imported in all namespaces: `use helpers::square` imports the function and, in the namespace of macros,
//! the macro with its tokens. An item that uses `square` calls that macro with a continuation (`chain`), and the macro
//! adds a bundle: the item, and everything that it needs. So rustc resolves every name, and no file has to be read.

use crate::bundle::{bundle, macro_name};
use hirace_rust::compose::{ForeignItem, Part, closure, is_builtin_attribute, shadows_a_macro};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Visibility;

/// Returns the macros for all parts that others may use, which list `impls`.
pub fn exports(
    parts: &[&Part],
    others: &[&Part],
    foreign: &[ForeignItem],
    impls: &TokenStream,
    refused: bool,
) -> TokenStream {
    let all: Vec<Part> = parts.iter().chain(others).map(|part| (**part).clone()).collect();
    let export = |part: &&Part| {
        let needed = match refused {
            true => vec![ForeignItem { items: Vec::new(), ..part.foreign.clone() }],
            false => closure(&part.foreign.key, &all, foreign),
        };
        let name = export_name(part);
        let rules = rules(&bundle(&part.foreign.key, &needed, impls), &part.name);
        let exported = is_public(part).then(|| quote!(#[doc(hidden)] #[macro_export]));
        quote! {
            #exported
            #[allow(non_local_definitions, unused_macros, clippy::crate_in_macro_def)]
            macro_rules! #name { #rules }
        }
    };
    parts.iter().map(export).collect()
}

/// Returns the unique name of a part's macro.
pub fn export_name(part: &Part) -> Ident {
    macro_name(&part.foreign.key)
}

/// Imports the macro of a part, which is next to it, under the part's own name.
pub fn named(part: &Part) -> TokenStream {
    let (export, name) = (export_name(part), &part.name);
    used(part, &quote!(#export as #name))
}

/// Imports the macro of a part from `module`, where it has the part's name.
pub fn named_in(part: &Part, module: &Ident) -> TokenStream {
    let name = &part.name;
    used(part, &quote!(#module::#name))
}

fn used(part: &Part, what: &TokenStream) -> TokenStream {
    let visibility = &part.visibility;
    quote! {
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        #visibility use #what;
    }
}

/// Returns whether other crates may use a part.
pub fn is_public(part: &Part) -> bool {
    matches!(part.visibility, Visibility::Public(_))
}

/// Returns the rules of a macro that adds `bundle` and goes on with the chain.
pub fn rules(bundle: &TokenStream, name: &Ident) -> TokenStream {
    let plain = name.to_string();
    // Other calls go to the macro of `std` with this name.
    let others = shadows_a_macro(&plain).then(|| {
        let name = Ident::new(&plain, Span::call_site());
        quote!(; ($($given:tt)*) => { ::std::#name!($($given)*) })
    });
    let compose = compose();
    quote! {
        (__hirace { {$($next:tt)*} $($rest:tt)* } $($state:tt)*) => {
            $($next)* ! { __hirace { $($rest)* } $($state)* [#bundle] }
        };
        (__hirace {} $($state:tt)*) => {
            #compose { $($state)* [#bundle] }
        }
        #others
    }
}

fn compose() -> TokenStream {
    quote!(::hirace::__compose!)
}

/// Returns whether an import cannot distinguish the name from a built-in attribute.
pub fn is_ambiguous(name: &str) -> bool {
    is_builtin_attribute(name)
}
