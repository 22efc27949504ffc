//! A bundle: a monitored item with everything that it needs, as the macros of a chain pass it on.

use hirace_rust::compose::ForeignItem;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, braced, bracketed};

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

/// Returns a bundle as tokens.
pub fn bundle(root: &str, foreign: &[ForeignItem], impls: &TokenStream) -> TokenStream {
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

/// Returns the name of the macro of the item with this key.
pub fn macro_name(key: &str) -> Ident {
    format_ident!("__hirace_{key}")
}

/// An `impl` that the macro of a type lists.
#[derive(Clone)]
pub struct ListedImpl {
    /// The crate that contains it.
    pub within: String,
    /// `$crate`, which resolves to that crate from anywhere.
    pub root: TokenTree,
    /// The name of its macro.
    pub name: Ident,
}

impl ToTokens for ListedImpl {
    fn to_tokens(&self, to: &mut TokenStream) {
        let Self { within, root, name } = self;
        to.extend(quote!({ #within #root #name }));
    }
}

impl Parse for ListedImpl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        braced!(content in input);
        let within: LitStr = content.parse()?;
        Ok(Self { within: within.value(), root: content.parse()?, name: content.parse()? })
    }
}
