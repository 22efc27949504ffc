//! What the compiler is given in place of the item.
//!
//! A kernel that was made: the function, its parameters without our attributes, for rustc to check, and
//! the module of its name with `kernel()`. Nothing of the function is ever executed, and `#[inline]` keeps
//! it from being compiled to machine code.
//!
//! A kernel that was refused: the same names, but of the function the signature alone, since all there is
//! to say about the body was said. Editors get the body too: they complete names in code that is half
//! written. (rust-analyzer sets `cfg(rust_analyzer)`.)

use crate::blame;
use crate::compile::Made;
use crate::host;
use crate::kernels::is_kernel;
use crate::parts::absent;
use crate::reword::{self, ShortLengths};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, Item, ItemFn, ItemMod, parse_quote};

/// The item, with `kernel()` beside each kernel.
pub fn accepted(item: Item, made: &Made) -> TokenStream {
    match item {
        Item::Fn(function) => {
            let (kernel, shared) = (made.kernel(&function, &TokenStream::new()), made.shared());
            let module = module_of(&function, &quote!(#kernel #shared));
            let function = checked(importing(function), Known::Definition, &made.short_lengths);
            quote!(#function #module)
        }
        Item::Mod(module) => {
            let short = &made.short_lengths;
            in_module(module, &made.shared(), host::shareable, short, |function| {
                (Known::Definition, made.kernel(function, &quote!(super::)))
            })
        }
        other => quote!(#other),
    }
}

/// The item with every name that the user may refer to, and the errors.
pub fn refused(item: Item, error: &syn::Error, short: &ShortLengths) -> TokenStream {
    let errors = error.to_compile_error();
    let item = match item {
        Item::Fn(function) => {
            let module = module_of(&function, &absent(&function));
            let function = importing(function);
            let editor = for_editors(&function, short);
            let function = checked(function, Known::Kernel, short);
            quote!(#editor #function #module)
        }
        Item::Mod(module) => {
            let blamed = blame::functions(&module, error);
            in_module(module, &TokenStream::new(), host::absent, short, |function| {
                let known = match blamed.contains(&function.sig.ident.to_string()) {
                    true if is_kernel(function) => Known::Kernel,
                    true => Known::Signature,
                    false => Known::Definition,
                };
                (known, absent(function))
            })
        }
        other => quote!(#other),
    };
    quote!(#item #errors)
}

/// How much of a function there is for rustc.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// All of it.
    Definition,
    /// Its signature.
    Signature,
    /// That it is a kernel, which nobody calls.
    Kernel,
}

/// The module with its functions as `of` says: how much of them, and what stands in the module of their
/// name.
fn in_module(
    mut module: ItemMod,
    beside: &TokenStream,
    host: fn(&[Item]) -> TokenStream,
    short: &ShortLengths,
    of: impl Fn(&ItemFn) -> (Known, TokenStream),
) -> TokenStream {
    let Some((_, items)) = &mut module.content else { return quote!(#module) };
    let import = import();
    let mut content = quote!(#[allow(unused_imports)] #import);
    content.extend(host(items));
    for item in std::mem::take(items) {
        content.extend(match item {
            Item::Fn(function) => {
                let (known, inside) = of(&function);
                let beside = is_kernel(&function).then(|| module_of(&function, &inside));
                let editor = (known != Known::Definition).then(|| for_editors(&function, short));
                let function = checked(function, known, short);
                quote!(#editor #function #beside)
            }
            Item::Const(mut item) => {
                strip(&mut item.attrs, &["overridable"]);
                quote!(#item)
            }
            Item::Struct(mut item) => {
                for member in &mut item.fields {
                    strip(&mut member.attrs, &["align", "size"]);
                }
                quote!(#item)
            }
            mut other @ (Item::Impl(_) | Item::Trait(_)) => {
                reword::item(&mut other, short);
                quote!(#other)
            }
            other => quote!(#other),
        });
    }
    let ItemMod { attrs, vis, unsafety, mod_token, ident, .. } = &module;
    let (outer, inner): (Vec<_>, Vec<_>) =
        attrs.iter().partition(|attribute| matches!(attribute.style, syn::AttrStyle::Outer));
    let allow = lints_off();
    quote! {
        #(#outer)* #allow #vis #unsafety #mod_token #ident { #(#inner)* #content #beside }
    }
}

/// The function as rustc is to check it.
fn checked(mut function: ItemFn, known: Known, short: &ShortLengths) -> TokenStream {
    strip(&mut function.attrs, &["kernel"]);
    for parameter in &mut function.sig.inputs {
        let (FnArg::Typed(syn::PatType { attrs, .. })
        | FnArg::Receiver(syn::Receiver { attrs, .. })) = parameter;
        strip(attrs, &["builtin", "uniform", "workgroup", "private", "binding"]);
    }
    match known {
        Known::Definition => reword::body(&mut function.block, short),
        Known::Signature => function.block = parse_quote!({ loop {} }),
        Known::Kernel => {
            let ItemFn { vis, sig: syn::Signature { ident, .. }, .. } = &function;
            let attributes: Vec<_> = configured(&function.attrs).cloned().collect();
            function = parse_quote!(#(#attributes)* #vis fn #ident() {});
        }
    }
    let allow = lints_off();
    quote!(#allow #[inline] #function)
}

/// Names of WGSL's that are not in the prelude, where they would shadow those of others.
fn import() -> syn::ItemUse {
    parse_quote!(
        use ::hirace::prelude::kernels::*;
    )
}

/// A function that stands alone, with those names.
fn importing(mut function: ItemFn) -> ItemFn {
    function.block.stmts.insert(0, syn::Stmt::Item(Item::Use(import())));
    function
}

/// A function that was refused, where rust-analyzer alone sees it.
fn for_editors(function: &ItemFn, short: &ShortLengths) -> TokenStream {
    let function = checked(function.clone(), Known::Definition, short);
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = { #[cfg(rust_analyzer)] #function };
    }
}

/// The module beside a kernel.
fn module_of(function: &ItemFn, inside: &TokenStream) -> TokenStream {
    let ItemFn { attrs, vis, sig: syn::Signature { ident, .. }, .. } = function;
    let configured = configured(attrs);
    let about = format!("What `#[hirace::monitor]` made of the function `{ident}`.");
    quote! {
        #(#configured)*
        #[doc = #about]
        #[allow(unused, unreachable_pub, private_interfaces, private_bounds)]
        #[allow(clippy::all, clippy::pedantic)]
        #vis mod #ident { #inside }
    }
}

/// What decides whether an item is there at all.
fn configured(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}

fn strip(attributes: &mut Vec<Attribute>, names: &[&str]) {
    attributes.retain(|attribute| !names.iter().any(|name| attribute.path().is_ident(name)));
}

/// The code is never executed, and WGSL gives a meaning to what Rust warns of.
fn lints_off() -> TokenStream {
    quote! {
        #[allow(unused, arithmetic_overflow, unconditional_panic)]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
    }
}

#[cfg(test)]
mod tests;
