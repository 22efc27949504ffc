//! Which functions of an item are kernels.

use proc_macro2::TokenStream;
use syn::{GenericParam, Item, ItemFn, parse_quote};

/// The item as it stands in the source: with the attribute that the compiler took off.
pub fn attributed(item: &Item, arguments: TokenStream) -> Item {
    let mut item = item.clone();
    if let Some(attributes) = attributes(&mut item) {
        attributes.insert(
            0,
            match arguments.is_empty() {
                true => parse_quote!(#[hirace::monitor]),
                false => parse_quote!(#[hirace::monitor(#arguments)]),
            },
        );
    }
    item
}

fn attributes(item: &mut Item) -> Option<&mut Vec<syn::Attribute>> {
    Some(match item {
        Item::Fn(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Const(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}

/// Whether a function of a monitored module is a kernel.
pub fn is_kernel(function: &ItemFn) -> bool {
    function.attrs.iter().any(|attribute| attribute.path().is_ident("kernel"))
}

/// The kernels of an item: of a module, or itself, if it is one.
pub fn of(item: &Item, is_kernel_itself: bool) -> Vec<&ItemFn> {
    match item {
        Item::Fn(function) if is_kernel_itself => vec![function],
        Item::Mod(module) => {
            let items = module.content.iter().flat_map(|(_, items)| items);
            let functions = items.filter_map(|item| match item {
                Item::Fn(function) => Some(function),
                _ => None,
            });
            functions.filter(|function| is_kernel(function)).collect()
        }
        _ => Vec::new(),
    }
}

/// The const parameters of a generic kernel.
pub fn parameters(function: &ItemFn) -> impl Iterator<Item = &syn::ConstParam> {
    function.sig.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Const(parameter) => Some(parameter),
        _ => None,
    })
}
