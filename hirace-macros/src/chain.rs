//! Resolves the outside names of an item to the monitored items that they name, through macros that call one another.
//!
//! Each name is imported under a private name, in a block of its own. The enclosing block defines a fallback macro with
//! that name, which adds nothing and is used if the name is not that of a monitored item. So a missing item is resolved
//! like an existing one, and the error is reported when kernels are lowered.
//!
//! ```text
//! const _: () = {
//!     macro_rules! __hirace_missing { … }
//!     use __hirace_missing as __hirace_0;
//!     const _: () = {
//!         use helpers::square as __hirace_0;            // the function, and its macro if it has one
//!         const _: () = { __hirace_0! { … } };          // separate: an import waits for all macros next to it
//!     };
//! };
//! ```
//!
//! The last macro of a chain calls `__compose!` (`compose`), which lowers the item with everything that it uses. An
//! item that uses no other item needs no chain: the attribute expands it at once.
//!
//! The blocks are needed because rustc does not resolve an import while a macro next to it is not expanded. A glob
//! import as the fallback would be ambiguous (E0659). Of the code in a block, only trait `impl`s have an effect outside
//! it, since they need no name. Therefore `kernel()`, `pipeline()` and `Args` are generated from the kernel's signature
//! alone, and the end of the chain adds everything else as `impl`s of the traits `Monitored` and `pipeline::ParameterType` of
//! `hirace`.
//!
//! Two alternatives were rejected. Reading the used items from the file that a span names does not resolve names, and
//! misses what an editor has not saved. Combining the texts when `kernel()` is first called loses errors at tokens.

use crate::exports::{self, is_ambiguous};
use hirace_rust::compose::free::path_text;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::Path;
use syn::parse::{Parse, ParseStream};
use syn::{LitInt, LitStr, braced, bracketed};

/// What the end of a chain generates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The trait implementations of the item's kernels.
    Kernels,
    /// The macros through which others can use the item.
    Exports,
}

/// The input of the end of a chain, apart from bundles.
pub struct State {
    /// What to generate.
    pub end: End,
    /// The arguments of the attribute.
    pub arguments: TokenStream,
    /// The key of the item's first part when the chain began. It is kept because tokens are printed differently after
    /// they went through macros.
    pub key: String,
    /// The foreign paths of the item, as text; each has a bundle.
    pub paths: Vec<String>,
    /// The item.
    pub item: TokenStream,
    /// The number of steps that the chain has waited for `impl`s.
    pub waited: usize,
}

/// Returns the block that generates the trait implementations of an item's kernels.
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

/// Returns the module `name` with the macros of an item for others.
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
            paths: paths.iter().map(path_text).collect(),
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

/// Returns whether a name is called directly, because an import cannot distinguish it from an attribute.
fn is_bare(path: &Path) -> bool {
    path.get_ident().is_some_and(|name| is_ambiguous(&name.to_string()))
}

fn name(at: usize) -> Ident {
    format_ident!("__hirace_{at}")
}

/// Returns the import of a path, with the path's span, so that rustc reports errors there.
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

/// Returns a path as seen from two modules further inside.
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
    call_named(&names, State { paths: paths.iter().map(path_text).collect(), ..state })
}

/// Returns the call of the first macro, which goes on to the others.
fn call_named(names: &[Ident], state: State) -> TokenStream {
    match names.split_first() {
        Some((first, rest)) => quote!(#first! { __hirace { #({#rest})* } #state }),
        // Takes one step, as if there were names.
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

/// Returns whether tokens can be the body of a macro, which would interpret a `$`.
pub fn is_valid_macro_body(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().all(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() != '$',
        TokenTree::Group(group) => is_valid_macro_body(&Group::stream(&group)),
        _ => true,
    })
}
