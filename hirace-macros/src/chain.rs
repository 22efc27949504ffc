//! From the names that an item takes from outside to what they lead to: macros that call one another.
//!
//! Each name is imported under one that only we use, in a block of its own. Where it is no monitored item's there is a
//! macro in the block around that one, which adds nothing. So what is missing is found as what is there is, and is
//! said where kernels are lowered.
//!
//! ```text
//! const _: () = {
//!     macro_rules! __hirace_missing { … }
//!     use __hirace_missing as __hirace_0;
//!     const _: () = {
//!         use helpers::square as __hirace_0;            // the function, and its macro if it has one
//!         const _: () = { __hirace_0! { … } };          // apart: an import waits for all macros that stand beside it
//!     };
//! };
//! ```

use crate::exports::{self, is_ambiguous};
use hirace_program::front::rust::compose::free::shown;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::Path;
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, LitStr, braced, bracketed};

/// What is made at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// What the item's kernels hold.
    Kernels,
    /// Macros that others may use.
    Exports,
}

/// What the end of a chain is given, but for bundles.
pub struct State {
    /// What to make.
    pub end: End,
    /// Of the attribute.
    pub arguments: TokenStream,
    /// What the item's first part was called when the chain began: tokens are shown otherwise when they have come through
    /// macros.
    pub key: String,
    /// The foreign paths of the item, as text: each has a bundle.
    pub paths: Vec<String>,
    /// The item.
    pub item: TokenStream,
    /// For how many steps `impl`s were waited for.
    pub waited: usize,
}

/// The block that makes what the kernels of an item hold.
pub fn kernels(
    key: &str,
    paths: &[Path],
    arguments: &TokenStream,
    item: &TokenStream,
) -> TokenStream {
    let here: Vec<&Path> = paths.iter().filter(|path| !is_bare(path)).collect();
    let names =
        || paths.iter().enumerate().filter(|(_, path)| !is_bare(path)).map(|(at, _)| name(at));
    let imports = here.iter().zip(names()).map(|(path, name)| import(path, &name, &quote!()));
    let missing = names();
    let rules = exports::rules(&TokenStream::new(), &Ident::new("_missing", Span::call_site()));
    let call = call(
        paths,
        State {
            end: End::Kernels,
            key: key.to_owned(),
            arguments: arguments.clone(),
            paths: Vec::new(),
            item: item.clone(),
            waited: 0,
        },
    );
    quote! {
        const _: () = {
            #[allow(unused_macros)]
            macro_rules! __hirace_missing { #rules }
            #(#[allow(unused_imports)] use __hirace_missing as #missing;)*
            const _: () = {
                #(#imports)*
                const _: () = { #call };
            };
        };
    }
}

/// The module `name` that has the macros of an item for others.
pub fn exporting(
    name: &Ident,
    key: &str,
    paths: &[Path],
    arguments: &TokenStream,
    item: &TokenStream,
) -> TokenStream {
    let imports = paths
        .iter()
        .enumerate()
        .map(|(at, path)| import(&from_within(path), &self::name(at), &quote!(pub(super))));
    let names: Vec<Ident> = (0..paths.len()).map(self::name).collect();
    let first = call_named(
        &names,
        State {
            end: End::Exports,
            key: key.to_owned(),
            arguments: arguments.clone(),
            paths: paths.iter().map(shown).collect(),
            item: item.clone(),
            waited: 0,
        },
    );
    quote! {
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        mod #name {
            mod imports {
                pub(super) use super::super::*;
                #(#imports)*
            }
            #(use self::imports::#names;)*
            #first
        }
    }
}

/// Whether a name is called as it is: an import cannot tell it from an attribute.
fn is_bare(path: &Path) -> bool {
    path.get_ident().is_some_and(|name| is_ambiguous(&name.to_string()))
}

fn name(at: usize) -> Ident {
    format_ident!("__hirace_{at}")
}

/// The import of a path, which stands where the path does: what rustc says of it is said there.
fn import(path: &Path, name: &Ident, visibility: &TokenStream) -> TokenStream {
    let span = path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
    let import = at(quote!(use), span);
    let renamed = at(quote!(as #name;), span);
    quote!(#[allow(unused_imports)] #visibility #import #path #renamed)
}

fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let place = Span::call_site().located_at(span);
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(place);
            token
        })
        .collect()
}

/// A path as it is written two modules further in.
fn from_within(path: &Path) -> Path {
    let mut path = path.clone();
    let first = path.segments.first().map(|segment| segment.ident.clone());
    if path.leading_colon.is_none()
        && let Some(first) = first.filter(|first| first == "self" || first == "super")
    {
        let up = Ident::new("super", first.span());
        let up = || syn::PathSegment::from(up.clone());
        let rest: Vec<_> =
            path.segments.iter().skip(usize::from(first == "self")).cloned().collect();
        path.segments = [up(), up()].into_iter().chain(rest).collect();
    }
    path
}

fn call(paths: &[Path], state: State) -> TokenStream {
    let names: Vec<Ident> = paths
        .iter()
        .enumerate()
        .map(|(at, path)| {
            path.get_ident().filter(|_| is_bare(path)).cloned().unwrap_or_else(|| name(at))
        })
        .collect();
    call_named(&names, State { paths: paths.iter().map(shown).collect(), ..state })
}

/// The call of the first, which goes on to the others.
fn call_named(names: &[Ident], state: State) -> TokenStream {
    match names.split_first() {
        Some((first, rest)) => quote!(#first! { __hirace { #({#rest})* } #state }),
        // A step later, as if there were some.
        None => quote! {
            use ::hirace::__compose as __hirace_step;
            __hirace_step! { #state }
        },
    }
}

impl ToTokens for State {
    fn to_tokens(&self, to: &mut TokenStream) {
        let Self { end, key, arguments, paths, item, waited } = self;
        let end = match end {
            End::Kernels => quote!(kernels),
            End::Exports => quote!(exports),
        };
        to.extend(quote!({ #end #key [#arguments] [#(#paths)*] { #item } #waited }));
    }
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (content, arguments, listed, item);
        braced!(content in input);
        let end: Ident = content.parse()?;
        let key = content.parse::<LitStr>()?.value();
        bracketed!(arguments in content);
        bracketed!(listed in content);
        let mut paths = Vec::new();
        while !listed.is_empty() {
            paths.push(listed.parse::<LitStr>()?.value());
        }
        braced!(item in content);
        Ok(Self {
            end: if end == "exports" { End::Exports } else { End::Kernels },
            key,
            arguments: arguments.parse()?,
            paths,
            item: item.parse()?,
            waited: content.parse::<LitInt>()?.base10_parse()?,
        })
    }
}

/// Whether tokens can stand in a macro: it would take a `$` for its own.
pub fn can_be_held(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().all(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() != '$',
        TokenTree::Group(group) => can_be_held(&Group::stream(&group)),
        _ => true,
    })
}
