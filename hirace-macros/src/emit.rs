//! Generates the code that replaces the item.
//!
//! For an accepted kernel, that is the function, with hirace's attributes removed from its parameters, for rustc to
//! check, and the module of the same name with `kernel()`. The function is never executed, and `#[inline]` keeps it
//! from being compiled to machine code.
//!
//! For a rejected kernel, the same names are generated, but only the signature of the function, because the errors in
//! its body were reported already. Editors also get the body, to complete names in unfinished code. (rust-analyzer sets
//! `cfg(rust_analyzer)`.)
//!
//! Therefore each error is reported once, and code that uses the kernel's names still resolves.

use crate::compile::CompiledItem;
use crate::error_location;
use crate::host;
use crate::kernels::{is_kernel as is_kernel_of, overridable};
use crate::parts;
use crate::postconditions;
use crate::reword::{self, ShortLengths};
use hirace_rust::postcondition::ATTRIBUTE;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, Item, ItemFn, ItemMod, parse_quote};

/// Returns an accepted item, with `kernel()` next to each kernel, and the additional code `extras`.
pub fn accepted(
    item: Item,
    compiled: &CompiledItem,
    is_kernel: bool,
    extras: &TokenStream,
) -> TokenStream {
    let short = &compiled.short_lengths;
    match item {
        Item::Fn(function) if is_kernel => {
            let (kernel, shared) =
                (compiled.kernel(&function, &TokenStream::new()), compiled.shared());
            let module = module_of(&function, &quote!(#kernel #shared));
            let function = checked(with_import(function), EmittedPart::Definition, short);
            quote!(#function #module #extras)
        }
        Item::Mod(module) => {
            let shared = compiled.shared();
            in_module(module, &quote!(#shared #extras), host::shareable, short, |function| {
                (EmittedPart::Definition, Some(compiled.kernel(function, &quote!(super::))))
            })
        }
        other => {
            let host = host::shareable(std::slice::from_ref(&other));
            let item = other_item(other, EmittedPart::Definition, short);
            quote!(#item #host #extras)
        }
    }
}

/// Returns an item that uses others, with `kernel()` next to each kernel. The contents of `kernel()`, and errors, are
/// generated in `extras`.
pub fn composed(
    item: Item,
    is_kernel: bool,
    extras: &TokenStream,
    short: &ShortLengths,
) -> TokenStream {
    let overridable = overridable(&item);
    match item {
        Item::Fn(function) if is_kernel => {
            let module = module_of(&function, &parts::composed(&function, &[]));
            let function = checked(with_import(function), EmittedPart::Definition, short);
            quote!(#function #module #extras)
        }
        Item::Mod(module) => in_module(
            module,
            extras,
            |_| TokenStream::new(),
            short,
            |function| (EmittedPart::Definition, Some(parts::composed(function, &overridable))),
        ),
        other => {
            let item = other_item(other, EmittedPart::Definition, short);
            quote!(#item #extras)
        }
    }
}

/// Returns a rejected item with every name that the user may refer to, `extras`, and the errors.
pub fn refused(
    item: Item,
    error: &syn::Error,
    is_kernel: bool,
    extras: &TokenStream,
    short: &ShortLengths,
) -> TokenStream {
    let errors = error.to_compile_error();
    let item = match item {
        Item::Fn(function) if is_kernel => {
            let module = module_of(&function, &parts::absent(&function));
            let function = with_import(function);
            let editor = editor_item(&function, short);
            let function = checked(function, EmittedPart::Kernel, short);
            quote!(#editor #function #module)
        }
        Item::Fn(function) => {
            let function = with_import(function);
            let editor = editor_item(&function, short);
            let function = checked(function, EmittedPart::Signature, short);
            quote!(#editor #function #extras)
        }
        Item::Mod(module) => {
            let faulty = error_location::functions(&module, error);
            in_module(module, extras, host::absent, short, |function| {
                let part = match faulty.contains(&function.sig.ident.to_string()) {
                    true if is_kernel_of(function) => EmittedPart::Kernel,
                    true => EmittedPart::Signature,
                    false => EmittedPart::Definition,
                };
                (part, Some(parts::absent(function)))
            })
        }
        other => {
            let host = host::absent(std::slice::from_ref(&other));
            let item = other_item(other, EmittedPart::Definition, short);
            quote!(#item #host #extras)
        }
    };
    quote!(#item #errors)
}

/// Returns a model with its errors.
pub fn model(item: Item, error: Option<&syn::Error>, short: &ShortLengths) -> TokenStream {
    let errors = error.map(syn::Error::to_compile_error);
    let item = match item {
        Item::Mod(module) => {
            let none = TokenStream::new();
            in_module(
                module,
                &none,
                |_| TokenStream::new(),
                short,
                |_| (EmittedPart::Definition, None),
            )
        }
        other => other_item(other, EmittedPart::Definition, short),
    };
    quote!(#item #errors)
}

/// Returns an item that is not a kernel, without hirace's attributes.
fn other_item(item: Item, part: EmittedPart, short: &ShortLengths) -> TokenStream {
    let allow = lint_attributes();
    match item {
        Item::Fn(function) => checked(with_import(function), part, short),
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
            add_imports(&mut other);
            quote!(#other)
        }
        other => quote!(#allow #other),
    }
}

/// The part of a function that rustc receives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmittedPart {
    /// The whole function.
    Definition,
    /// The signature only.
    Signature,
    /// The name only, of a kernel, which is never called.
    Kernel,
}

/// Returns the module with its functions. `part_of` returns the part of a function that rustc receives, and the
/// contents of the module that is generated for a kernel.
fn in_module(
    mut module: ItemMod,
    extras: &TokenStream,
    host: fn(&[Item]) -> TokenStream,
    short: &ShortLengths,
    part_of: impl Fn(&ItemFn) -> (EmittedPart, Option<TokenStream>),
) -> TokenStream {
    let Some((_, items)) = &mut module.content else { return quote!(#module) };
    let import = import();
    let mut content = quote!(#import);
    content.extend(host(items));
    for item in std::mem::take(items) {
        content.extend(match item {
            Item::Fn(function) => {
                let (part, inside) = part_of(&function);
                let inside = inside.filter(|_| is_kernel_of(&function));
                let extras = inside.map(|inside| module_of(&function, &inside));
                let editor =
                    (part != EmittedPart::Definition).then(|| editor_item(&function, short));
                let function = checked(function, part, short);
                quote!(#editor #function #extras)
            }
            other => other_item(other, EmittedPart::Definition, short),
        });
    }
    let ItemMod { attrs, vis, unsafety, mod_token, ident, .. } = &module;
    let (outer, inner): (Vec<_>, Vec<_>) =
        attrs.iter().partition(|attribute| matches!(attribute.style, syn::AttrStyle::Outer));
    let allow = lint_attributes();
    quote! {
        #(#outer)* #allow #vis #unsafety #mod_token #ident { #(#inner)* #content #extras }
    }
}

/// Returns the part of a function that rustc checks, without the attributes of hirace.
fn checked(mut function: ItemFn, part: EmittedPart, short: &ShortLengths) -> TokenStream {
    let postcondition_checks = match part {
        EmittedPart::Definition => postconditions::checked(&function),
        EmittedPart::Signature | EmittedPart::Kernel => TokenStream::new(),
    };
    strip(&mut function.attrs, &["kernel", ATTRIBUTE]);
    for parameter in &mut function.sig.inputs {
        let (FnArg::Typed(syn::PatType { attrs, .. })
        | FnArg::Receiver(syn::Receiver { attrs, .. })) = parameter;
        strip(attrs, &["builtin", "uniform", "workgroup", "private", "binding"]);
    }
    match part {
        EmittedPart::Definition => reword::function(&mut function, short),
        EmittedPart::Signature => function.block = parse_quote!({ loop {} }),
        EmittedPart::Kernel => {
            let ItemFn { vis, sig: syn::Signature { ident, .. }, .. } = &function;
            let attributes: Vec<_> = cfg_attributes(&function.attrs).cloned().collect();
            function = parse_quote!(#(#attributes)* #vis fn #ident() {});
        }
    }
    let allow = lint_attributes();
    quote!(#allow #[inline] #function #postcondition_checks)
}

/// Returns the import of WGSL names that are not in the prelude, where they would shadow other names.
fn import() -> syn::ItemUse {
    parse_quote!(
        #[allow(unused_imports)]
        use ::hirace::prelude::kernels::*;
    )
}

/// Adds the import of WGSL names to a function outside of a module.
fn with_import(mut function: ItemFn) -> ItemFn {
    insert_import(&mut function.block);
    function
}

/// Adds the import of WGSL names to the functions of an `impl` or a trait outside of a module.
fn add_imports(item: &mut Item) {
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

/// Returns an item with a rejected function that only rust-analyzer compiles.
fn editor_item(function: &ItemFn, short: &ShortLengths) -> TokenStream {
    let function = checked(function.clone(), EmittedPart::Definition, short);
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = { #[cfg(rust_analyzer)] #function };
    }
}

/// Returns the module that is generated for a kernel.
fn module_of(function: &ItemFn, inside: &TokenStream) -> TokenStream {
    let ItemFn { attrs, vis, sig: syn::Signature { ident, .. }, .. } = function;
    let cfg_attributes = cfg_attributes(attrs);
    let documentation = format!("Generated by `#[hirace::monitor]` for the function `{ident}`.");
    quote! {
        #(#cfg_attributes)*
        #[doc = #documentation]
        #[allow(unused, unreachable_pub, private_interfaces, private_bounds)]
        #[allow(clippy::all, clippy::pedantic)]
        #vis mod #ident { #inside }
    }
}

/// Returns the `cfg` attributes among `attributes`.
fn cfg_attributes(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}

fn strip(attributes: &mut Vec<Attribute>, names: &[&str]) {
    attributes.retain(|attribute| !names.iter().any(|name| attribute.path().is_ident(name)));
}

/// Returns attributes that disable lints, because the code is never executed, and because WGSL defines operations that
/// Rust warns about.
fn lint_attributes() -> TokenStream {
    quote! {
        #[allow(unused, arithmetic_overflow, unconditional_panic)]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
    }
}

#[cfg(test)]
mod tests;
