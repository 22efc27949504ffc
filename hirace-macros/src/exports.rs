//! Exports an item to others: its tokens, in a macro that has its name.
//!
//! A name is imported in all namespaces: `use helpers::square` imports the function and, in the namespace of macros,
//! the macro with its tokens. An item that uses `square` calls that macro with a continuation (`chain`), and the macro
//! adds a bundle: the item, and everything that it needs. So rustc resolves every name, and no file has to be read.

use crate::impls::{ListedImpl, macro_name};
use hirace_rust::compose::{ForeignItem, Part, closure, is_builtin_attribute, shadows_a_macro};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Visibility, braced, bracketed};

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

/// Returns a bundle as tokens.
fn bundle(root: &str, foreign: &[ForeignItem], impls: &TokenStream) -> TokenStream {
    let foreign = foreign.iter().map(|ForeignItem { key, items, uses, of }| {
        let (paths, keys) = (uses.iter().map(|(path, _)| path), uses.iter().map(|(_, key)| key));
        let items: TokenStream = items.iter().map(|item| plain(item.to_token_stream())).collect();
        let of = of.iter();
        quote!({ #key [#(#paths #keys)*] [#(#of)*] { #items } })
    });
    quote!(#root [#impls] #(#foreign)*)
}

/// Returns the tokens without invisible groups. Spans are kept.
fn plain(tokens: TokenStream) -> TokenStream {
    let token = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => plain(group.stream()),
        TokenTree::Group(group) => {
            let mut copy = Group::new(group.delimiter(), plain(group.stream()));
            copy.set_span(group.span());
            TokenTree::from(copy).into()
        }
        other => other.into(),
    };
    tokens.into_iter().map(token).collect::<Vec<TokenStream>>().into_iter().collect()
}

/// The monitored item that a path resolved to.
#[derive(Default)]
pub struct Bundle {
    /// The key of an item, and all items that belong to it; `None` if the path does not name a monitored item.
    pub found: Option<(String, Vec<ForeignItem>)>,
    /// The separate `impl`s of types among these.
    pub impls: Vec<ListedImpl>,
}

impl ToTokens for Bundle {
    fn to_tokens(&self, to: &mut TokenStream) {
        let impls = &self.impls;
        let impls = quote!(#(#impls)*);
        let all = self.found.as_ref().map(|(root, foreign)| bundle(root, foreign, &impls));
        to.extend(quote!([#all]));
    }
}

impl Parse for Bundle {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        bracketed!(content in input);
        if content.is_empty() {
            return Ok(Self::default());
        }
        let root: LitStr = content.parse()?;
        let listed;
        bracketed!(listed in content);
        let mut impls = Vec::new();
        while !listed.is_empty() {
            impls.push(listed.parse()?);
        }
        let mut foreign = Vec::new();
        while !content.is_empty() {
            foreign.push(one(&content)?);
        }
        Ok(Self { found: Some((root.value(), foreign)), impls })
    }
}

fn one(input: ParseStream<'_>) -> syn::Result<ForeignItem> {
    let (content, pairs, belongs, tokens);
    braced!(content in input);
    let key: LitStr = content.parse()?;
    bracketed!(pairs in content);
    let mut uses = Vec::new();
    while !pairs.is_empty() {
        let (path, key): (LitStr, LitStr) = (pairs.parse()?, pairs.parse()?);
        uses.push((path.value(), key.value()));
    }
    bracketed!(belongs in content);
    let of = belongs.parse::<Option<LitStr>>()?.map(|key| key.value());
    braced!(tokens in content);
    let mut items = Vec::new();
    while !tokens.is_empty() {
        items.push(tokens.parse()?);
    }
    Ok(ForeignItem { key: key.value(), items, uses, of })
}
