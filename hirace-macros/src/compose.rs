//! The end of a chain: generates code for an item together with everything that it uses.

use crate::bundle::Bundle;
use crate::chain::{End, State};
use crate::exports;
use crate::{compile, host, impls, kernels, parts};
use hirace_rust::compose::{ForeignItem, Part, lacks_size, merge_with_uses, split};
use hirace_rust::lower::lower;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Item, ItemFn};

/// The input of the end of a chain.
pub struct Chain {
    state: State,
    bundles: Vec<Bundle>,
}

impl Parse for Chain {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let state = input.parse()?;
        let mut bundles = Vec::new();
        while !input.is_empty() {
            bundles.push(input.parse()?);
        }
        Ok(Self { state, bundles })
    }
}

/// Generates the code.
pub fn end(Chain { state, bundles }: Chain) -> syn::Result<TokenStream> {
    let item: Item = syn::parse2(state.item.clone())?;
    let is_kernel = is_kernel(&item, &state.arguments);
    let kernels = kernels::of(&item, is_kernel);
    let attributed = kernels::attributed(&item, state.arguments.clone());
    let (mut uses, mut foreign) = (Vec::new(), Vec::<ForeignItem>::new());
    let mut paths = state.paths.iter();
    for Bundle { found, .. } in &bundles {
        let path = paths.next();
        let Some((root, items)) = found else { continue };
        uses.extend(path.map(|path| (path.clone(), root.clone())));
        for item in items {
            if foreign.iter().all(|known| known.key != item.key) {
                foreign.push(item.clone());
            }
        }
    }
    let wanted = impls::wanted(&bundles, &foreign, &state.key);
    // Errors in those were reported at their own items.
    let refused = foreign.iter().any(ForeignItem::is_refused);
    match state.end {
        End::Exports => {
            // An item that needs an `impl` which is not available yet is checked where kernels are compiled.
            let lowers = || lower(&merge_with_uses(&attributed, &uses, &foreign)).is_ok();
            let refused = refused || wanted.is_empty() && !lowers();
            let mut parts = split(&item, &uses);
            if let (Item::Impl(_), [part]) = (&item, &mut parts[..]) {
                part.foreign.key = state.key;
            }
            Ok(for_others(&item, &parts, &foreign, &bundles, refused))
        }
        End::Kernels if impls::is_unreachable(&item, &state.key, &bundles) => {
            Err(impls::unreachable_error(&item))
        }
        End::Kernels if !wanted.is_empty() => impls::continue_chain(&wanted, state, &bundles),
        End::Kernels if refused => Ok(absent(&item, &kernels)),
        End::Kernels => {
            match compile::compile(&item, &state.arguments, &state.item, &uses, &foreign) {
                Ok(made) => {
                    let shared = made.shared();
                    let kernels = kernels.into_iter().map(|kernel| made.monitored(kernel));
                    let host =
                        host::shareable_with(items(&item), foreign.iter().flat_map(|f| &f.items));
                    Ok(quote!(#shared #(#kernels)* #host))
                }
                Err(error) => {
                    let (absent, errors) = (absent(&item, &kernels), error.to_compile_error());
                    Ok(quote!(#absent #errors))
                }
            }
        }
    }
}

fn absent(item: &Item, kernels: &[&ItemFn]) -> TokenStream {
    let kernels = kernels.iter().map(|kernel| parts::absent_parts(kernel));
    let host = host::absent(items(item));
    quote!(#(#kernels)* #host)
}

fn for_others(
    item: &Item,
    parts: &[Part],
    foreign: &[ForeignItem],
    bundles: &[Bundle],
    refused: bool,
) -> TokenStream {
    let (visible, private) = visible(item, parts);
    let listed = bundles.iter().flat_map(|bundle| &bundle.impls);
    let own = impls::list(&types(item));
    let macros = exports::exports(&visible, &private, foreign, &quote!(#own #(#listed)*), refused);
    if let (Item::Impl(_), [part]) = (item, &visible[..]) {
        impls::made(&part.foreign.key);
        return macros;
    }
    let names = visible.iter().map(|part| {
        let (export, name) = (exports::export_name(part), &part.name);
        match exports::is_public(part) {
            true => quote!(pub use #export as #name;),
            false => quote!(pub(crate) use #export as #name;),
        }
    });
    quote!(#macros #(#names)*)
}

/// Returns the name of the type that an item defines, if it does, to which separate `impl`s may belong.
pub fn types(item: &Item) -> Vec<String> {
    match item {
        Item::Struct(syn::ItemStruct { ident, .. }) | Item::Enum(syn::ItemEnum { ident, .. }) => {
            vec![ident.to_string()]
        }
        _ => Vec::new(),
    }
}

/// Returns the parts that others can name, and those that only the item itself can.
pub fn visible<'a>(item: &Item, parts: &'a [Part]) -> (Vec<&'a Part>, Vec<&'a Part>) {
    let all = !matches!(item, Item::Mod(_));
    parts.iter().partition(|part| all || !matches!(part.visibility, syn::Visibility::Inherited))
}

/// Returns the items of a module, or the single item.
fn items(item: &Item) -> &[Item] {
    match item {
        Item::Mod(module) => module.content.as_ref().map_or(&[], |(_, items)| items),
        other => std::slice::from_ref(other),
    }
}

/// Returns whether a single item is a kernel: its attribute gives the workgroup size.
pub fn is_kernel(item: &Item, arguments: &TokenStream) -> bool {
    matches!(item, Item::Fn(ItemFn { .. })) && (!arguments.is_empty() || lacks_size(item))
}
