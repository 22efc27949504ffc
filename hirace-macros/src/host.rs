//! Implements `HostShareable` for structs of a monitored module, so that tests can write them to buffers and read them
//! back.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::{Item, ItemStruct};

/// Returns implementations of `HostShareable` for each struct of `items` that has a size and only members that buffers
/// can hold.
pub fn shareable(items: &[Item]) -> TokenStream {
    shareable_with(items, [])
}

/// Returns the same for structs whose member types may also be `elsewhere`.
pub fn shareable_with<'a>(
    items: &'a [Item],
    elsewhere: impl IntoIterator<Item = &'a Item>,
) -> TokenStream {
    let structs_of = |item: &'a Item| match item {
        Item::Struct(item) => Some(item),
        _ => None,
    };
    let own: Vec<&ItemStruct> = items.iter().filter_map(structs_of).collect();
    let elsewhere = elsewhere.into_iter().filter_map(structs_of);
    let all: Vec<&ItemStruct> = own.iter().copied().chain(elsewhere).collect();
    let mut private: BTreeSet<String> = [
        "bool", "BVec2", "BVec3", "BVec4", "usize", "isize", "u8", "i8", "u16", "i16", "Option",
        "Result", "Ordering",
    ]
    .map(str::to_owned)
    .into();
    private.extend(items.iter().filter_map(|item| match item {
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    }));
    // A struct with a member that buffers cannot hold is such a type itself.
    for _ in &all {
        let more = all.iter().filter(|item| has_any(item, &private));
        let more: Vec<String> = more.map(|item| item.ident.to_string()).collect();
        private.extend(more);
    }
    own.into_iter()
        .filter(|item| !private.contains(&item.ident.to_string()))
        .map(implementation)
        .collect()
}

/// Returns placeholder implementations for the structs of a rejected module, without requirements on their members.
pub fn absent(items: &[Item]) -> TokenStream {
    let structs = items.iter().filter_map(|item| match item {
        Item::Struct(item) if item.generics.params.is_empty() => Some(&item.ident),
        _ => None,
    });
    let implementation = structs.map(|ident| {
        quote! {
            impl ::hirace::HostShareable for #ident {
                fn shape() -> ::hirace::Shape { loop {} }
                fn write(&self, _to: &mut ::std::vec::Vec<::core::primitive::u8>) {}
                fn read(_from: &mut ::hirace::Scalars<'_>) -> Self { loop {} }
            }
        }
    });
    implementation.collect()
}

fn has_any(item: &ItemStruct, names: &BTreeSet<String>) -> bool {
    let types = || item.fields.iter().map(|member| &member.ty);
    types().any(|ty| matches!(ty, syn::Type::Slice(_)) || mentions(ty.to_token_stream(), names))
}

fn mentions(tokens: TokenStream, names: &BTreeSet<String>) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => names.contains(&name.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

fn implementation(item: &ItemStruct) -> TokenStream {
    let ItemStruct { ident, fields, generics, .. } = item;
    if fields.is_empty() || !generics.params.is_empty() {
        return TokenStream::new();
    }
    let names: Vec<_> = fields.members().collect();
    let shapes = fields.iter().map(shape);
    quote! {
        impl ::hirace::HostShareable for #ident {
            fn shape() -> ::hirace::Shape {
                ::hirace::Shape::Struct(::std::vec![
                    #(#shapes),*
                ])
            }

            fn write(&self, to: &mut ::std::vec::Vec<::core::primitive::u8>) {
                #(::hirace::HostShareable::write(&self.#names, to);)*
            }

            fn read(from: &mut ::hirace::Scalars<'_>) -> Self {
                Self { #(#names: ::hirace::HostShareable::read(from)),* }
            }
        }
    }
}

/// Returns the shape of a member, which may have an alignment or a size of its own.
fn shape(member: &syn::Field) -> TokenStream {
    let ty = &member.ty;
    let shape = quote!(<#ty as ::hirace::HostShareable>::shape());
    let given = |name: &str| {
        let found = member.attrs.iter().find(|attribute| attribute.path().is_ident(name));
        found.and_then(|attribute| attribute.parse_args::<syn::LitInt>().ok())
    };
    let written = |number: &Option<syn::LitInt>| match number {
        Some(number) => quote!(::core::option::Option::Some(#number)),
        None => quote!(::core::option::Option::None),
    };
    let (align, size) = (given("align"), given("size"));
    if align.is_none() && size.is_none() {
        return shape;
    }
    let (align, size) = (written(&align), written(&size));
    quote! {
        ::hirace::Shape::WithLayout {
            shape: ::std::boxed::Box::new(#shape),
            align: #align,
            size: #size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn structs_with_what_no_buffer_holds_are_left_out() {
        let items: Vec<Item> = vec![
            parse_quote!(
                struct Outer {
                    inner: [Inner; 3],
                    x: f32,
                }
            ),
            parse_quote!(
                struct Inner {
                    on: bool,
                }
            ),
            parse_quote!(
                struct List {
                    count: u32,
                    items: [u32],
                }
            ),
            parse_quote!(
                struct Sums {
                    x: Atomic<i32>,
                    at: Vec3,
                }
            ),
        ];
        let text = shareable(&items).to_string();
        assert_eq!(text.matches("impl").count(), 1);
        assert!(text.contains("for Sums"));
    }
}
