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
use crate::ensured;
use crate::host;
use crate::kernels::is_kernel as is_kernel_of;
use crate::parts;
use crate::pipeline;
use crate::reword::{self, ShortLengths};
use hirace_program::ensured::ATTRIBUTE;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, Item, ItemFn, ItemMod, parse_quote};

/// The item, with `kernel()` beside each kernel, and `beside`.
pub fn accepted(item: Item, made: &Made, is_kernel: bool, beside: &TokenStream) -> TokenStream {
    let short = &made.short_lengths;
    match item {
        Item::Fn(function) if is_kernel => {
            let (kernel, shared) = (made.kernel(&function, &TokenStream::new()), made.shared());
            let module = module_of(&function, &quote!(#kernel #shared));
            let function = checked(importing(function), Known::Definition, short);
            quote!(#function #module #beside)
        }
        Item::Mod(module) => {
            let shared = made.shared();
            in_module(module, &quote!(#shared #beside), host::shareable, short, |function| {
                (Known::Definition, Some(made.kernel(function, &quote!(super::))))
            })
        }
        other => {
            let host = host::shareable(std::slice::from_ref(&other));
            let item = alone(other, Known::Definition, short);
            quote!(#item #host #beside)
        }
    }
}

/// An item that uses others, with `kernel()` beside each kernel. What these hold, and what is wrong, is made in `beside`.
pub fn composed(
    item: Item,
    is_kernel: bool,
    beside: &TokenStream,
    short: &ShortLengths,
) -> TokenStream {
    let overridable = pipeline::overridable(&item);
    match item {
        Item::Fn(function) if is_kernel => {
            let module = module_of(&function, &parts::composed(&function, &[]));
            let function = checked(importing(function), Known::Definition, short);
            quote!(#function #module #beside)
        }
        Item::Mod(module) => in_module(
            module,
            beside,
            |_| TokenStream::new(),
            short,
            |function| (Known::Definition, Some(parts::composed(function, &overridable))),
        ),
        other => {
            let item = alone(other, Known::Definition, short);
            quote!(#item #beside)
        }
    }
}

/// The item with every name that the user may refer to, `beside`, and the errors.
pub fn refused(
    item: Item,
    error: &syn::Error,
    is_kernel: bool,
    beside: &TokenStream,
    short: &ShortLengths,
) -> TokenStream {
    let errors = error.to_compile_error();
    let item = match item {
        Item::Fn(function) if is_kernel => {
            let module = module_of(&function, &parts::absent(&function));
            let function = importing(function);
            let editor = for_editors(&function, short);
            let function = checked(function, Known::Kernel, short);
            quote!(#editor #function #module)
        }
        Item::Fn(function) => {
            let function = importing(function);
            let editor = for_editors(&function, short);
            let function = checked(function, Known::Signature, short);
            quote!(#editor #function #beside)
        }
        Item::Mod(module) => {
            let blamed = blame::functions(&module, error);
            in_module(module, beside, host::absent, short, |function| {
                let known = match blamed.contains(&function.sig.ident.to_string()) {
                    true if is_kernel_of(function) => Known::Kernel,
                    true => Known::Signature,
                    false => Known::Definition,
                };
                (known, Some(parts::absent(function)))
            })
        }
        other => {
            let host = host::absent(std::slice::from_ref(&other));
            let item = alone(other, Known::Definition, short);
            quote!(#item #host #beside)
        }
    };
    quote!(#item #errors)
}

/// A model, with what is wrong with it.
pub fn model(item: Item, error: Option<&syn::Error>, short: &ShortLengths) -> TokenStream {
    let errors = error.map(syn::Error::to_compile_error);
    let item = match item {
        Item::Mod(module) => {
            let none = TokenStream::new();
            in_module(module, &none, |_| TokenStream::new(), short, |_| (Known::Definition, None))
        }
        other => alone(other, Known::Definition, short),
    };
    quote!(#item #errors)
}

/// An item that is no kernel, without our attributes.
fn alone(item: Item, known: Known, short: &ShortLengths) -> TokenStream {
    let allow = lints_off();
    match item {
        Item::Fn(function) => checked(importing(function), known, short),
        Item::Const(mut item) => {
            strip(&mut item.attrs, &["overridable"]);
            quote!(#allow #item)
        }
        Item::Struct(mut item) => {
            for member in &mut item.fields {
                strip(&mut member.attrs, &["align", "size"]);
            }
            quote!(#allow #item)
        }
        mut other @ (Item::Impl(_) | Item::Trait(_)) => {
            reword::item(&mut other, short);
            importing_inside(&mut other);
            quote!(#other)
        }
        other => quote!(#allow #other),
    }
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

/// The module with its functions as `of` says: how much of them, and what stands in the module of the name of one that
/// is a kernel.
fn in_module(
    mut module: ItemMod,
    beside: &TokenStream,
    host: fn(&[Item]) -> TokenStream,
    short: &ShortLengths,
    of: impl Fn(&ItemFn) -> (Known, Option<TokenStream>),
) -> TokenStream {
    let Some((_, items)) = &mut module.content else { return quote!(#module) };
    let import = import();
    let mut content = quote!(#import);
    content.extend(host(items));
    for item in std::mem::take(items) {
        content.extend(match item {
            Item::Fn(function) => {
                let (known, inside) = of(&function);
                let inside = inside.filter(|_| is_kernel_of(&function));
                let beside = inside.map(|inside| module_of(&function, &inside));
                let editor = (known != Known::Definition).then(|| for_editors(&function, short));
                let function = checked(function, known, short);
                quote!(#editor #function #beside)
            }
            other => alone(other, Known::Definition, short),
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
    let ensured = match known {
        Known::Definition => ensured::checked(&function),
        Known::Signature | Known::Kernel => TokenStream::new(),
    };
    strip(&mut function.attrs, &["kernel", ATTRIBUTE]);
    for parameter in &mut function.sig.inputs {
        let (FnArg::Typed(syn::PatType { attrs, .. })
        | FnArg::Receiver(syn::Receiver { attrs, .. })) = parameter;
        strip(attrs, &["builtin", "uniform", "workgroup", "private", "binding"]);
    }
    match known {
        Known::Definition => reword::function(&mut function, short),
        Known::Signature => function.block = parse_quote!({ loop {} }),
        Known::Kernel => {
            let ItemFn { vis, sig: syn::Signature { ident, .. }, .. } = &function;
            let attributes: Vec<_> = configured(&function.attrs).cloned().collect();
            function = parse_quote!(#(#attributes)* #vis fn #ident() {});
        }
    }
    let allow = lints_off();
    quote!(#allow #[inline] #function #ensured)
}

/// Names of WGSL's that are not in the prelude, where they would shadow those of others.
fn import() -> syn::ItemUse {
    parse_quote!(
        #[allow(unused_imports)]
        use ::hirace::prelude::kernels::*;
    )
}

/// A function that stands alone, with those names.
fn importing(mut function: ItemFn) -> ItemFn {
    insert_import(&mut function.block);
    function
}

/// The functions of an `impl` or a trait that stands alone, with those names.
fn importing_inside(item: &mut Item) {
    match item {
        Item::Impl(item) => {
            for member in &mut item.items {
                if let syn::ImplItem::Fn(function) = member {
                    insert_import(&mut function.block);
                }
            }
        }
        Item::Trait(item) => {
            for member in &mut item.items {
                if let syn::TraitItem::Fn(syn::TraitItemFn { default: Some(block), .. }) = member {
                    insert_import(block);
                }
            }
        }
        _ => {}
    }
}

fn insert_import(block: &mut syn::Block) {
    block.stmts.insert(0, syn::Stmt::Item(Item::Use(import())));
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
