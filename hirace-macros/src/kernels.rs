//! Finds the kernels of an item.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, GenericParam, Item, ItemConst, ItemFn, MetaList, Token, parse_quote};

/// Returns the item as in the source, with the attribute that the compiler removed.
pub fn attributed(item: &Item, arguments: TokenStream) -> Item {
    with_attribute(item, quote!(hirace::monitor), arguments)
}

/// Returns the same for a model.
pub fn model(item: &Item, arguments: TokenStream) -> Item {
    with_attribute(item, quote!(hirace::model), arguments)
}

fn with_attribute(item: &Item, path: TokenStream, arguments: TokenStream) -> Item {
    let mut item = item.clone();
    if let Some(attributes) = attributes(&mut item) {
        attributes.insert(
            0,
            match arguments.is_empty() {
                true => parse_quote!(#[#path]),
                false => parse_quote!(#[#path(#arguments)]),
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

/// Returns whether a function of a monitored module is a kernel.
pub fn is_kernel(function: &ItemFn) -> bool {
    function.attrs.iter().any(|attribute| attribute.path().is_ident("kernel"))
}

/// Returns the kernels of an item: those of a module, or the item itself, if it is one.
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

/// Returns the const parameters of a generic kernel.
pub fn parameters(function: &ItemFn) -> impl Iterator<Item = &syn::ConstParam> {
    function.sig.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Const(parameter) => Some(parameter),
        _ => None,
    })
}

/// Returns the const parameters of a kernel, as declared.
pub fn const_parameters(function: &ItemFn) -> TokenStream {
    let parameters = parameters(function).map(|parameter| {
        let syn::ConstParam { ident, ty, .. } = parameter;
        quote!(const #ident: #ty)
    });
    quote!(#(#parameters),*)
}

/// Returns the three expressions of a kernel's workgroup size; `None` if Rust cannot evaluate them at compile time.
/// `arguments` are those of `#[hirace::monitor]`, if it is on the function itself.
pub fn workgroup_size(function: &ItemFn, arguments: &TokenStream) -> Option<[Expr; 3]> {
    let own = function.attrs.iter().find(|attribute| attribute.path().is_ident("kernel"));
    let lists = Punctuated::<MetaList, Token![,]>::parse_terminated;
    let lists = match own {
        Some(attribute) => attribute.parse_args_with(lists),
        None => lists.parse2(arguments.clone()),
    };
    let list = lists.ok()?.into_iter().find(|list| list.path.is_ident("workgroup_size"))?;
    let sizes = list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated).ok()?;
    let mut calls = Calls(false);
    sizes.iter().for_each(|size| calls.visit_expr(size));
    // Stand-ins for WGSL functions cannot be executed in Rust.
    if calls.0 {
        return None;
    }
    let mut sizes = sizes.into_iter();
    Some([(); 3].map(|()| sizes.next().unwrap_or_else(|| parse_quote!(1))))
}

/// A visitor that finds out whether a function is called.
struct Calls(bool);

impl Visit<'_> for Calls {
    fn visit_expr_call(&mut self, _: &syn::ExprCall) {
        self.0 = true;
    }

    fn visit_expr_method_call(&mut self, _: &syn::ExprMethodCall) {
        self.0 = true;
    }
}

/// Returns the overridable constants of an item.
pub fn overridable(item: &Item) -> Vec<ItemConst> {
    let Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) = item else { return Vec::new() };
    let constants = items.iter().filter_map(|item| match item {
        Item::Const(item) => Some(item),
        _ => None,
    });
    let marked = |item: &&ItemConst| {
        item.attrs.iter().any(|attribute| attribute.path().is_ident("overridable"))
    };
    constants.filter(marked).cloned().collect()
}
