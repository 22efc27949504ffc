//! Finds the functions and the tokens that errors refer to.

use hirace_program::diagnostic::Diagnostic;
use hirace_program::source_map::{LineColumn, SourceMap};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::{Item, ItemMod};

/// Returns the names of the functions of a module that contain errors. An error in another item counts for no function.
/// An error outside of all items, as in the expansion of a user's macro, counts for all functions.
pub fn functions(module: &ItemMod, error: &syn::Error) -> BTreeSet<String> {
    let items = module.content.iter().flat_map(|(_, items)| items);
    let functions = items.clone().filter_map(|item| match item {
        Item::Fn(function) => Some((extent(function), function.sig.ident.to_string())),
        _ => None,
    });
    let functions: Vec<_> = functions.collect();
    let others: Vec<_> = items.filter(|item| !matches!(item, Item::Fn(_))).map(extent).collect();
    let mut blamed = BTreeSet::new();
    for error in error.clone() {
        let place = start(error.span());
        let within = |(first, last): &(LineColumn, LineColumn)| (*first..*last).contains(&place);
        match functions.iter().find(|(extent, _)| within(extent)) {
            Some((_, name)) => {
                blamed.insert(name.clone());
            }
            None if others.iter().any(within) => {}
            None => blamed.extend(functions.iter().map(|(_, name)| name.clone())),
        }
    }
    blamed
}

fn extent(item: impl quote::ToTokens) -> (LineColumn, LineColumn) {
    let tokens = item.to_token_stream().into_iter();
    let places = tokens.map(|token| (start(token.span()), end(token.span())));
    places
        .reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
        .unwrap_or((NOWHERE, NOWHERE))
}

const NOWHERE: LineColumn = LineColumn { line: 0, column: 0 };

/// Converts a diagnostic with which naga rejects the WGSL of an item to a syntax error at the tokens of the item.
pub fn refusal<'a>(
    refused: &Diagnostic,
    source: &SourceMap,
    tokens: &TokenStream,
    all: impl Iterator<Item = (&'a String, &'a TokenStream)> + Clone,
) -> syn::Error {
    let notes = refused.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = refused.help.iter().map(|help| format!("\nhelp: {help}"));
    let message = refused.message.clone() + &notes.chain(help).collect::<String>();
    syn::Error::new_spanned(blamed(refused, source, tokens, all), message)
}

/// Returns the tokens that a diagnostic points at. `all` has the name of each file with its tokens. Returns `tokens`, all
/// tokens of the item, if there are none.
pub fn blamed<'a>(
    of: &Diagnostic,
    source: &SourceMap,
    tokens: &TokenStream,
    all: impl Iterator<Item = (&'a String, &'a TokenStream)> + Clone,
) -> TokenStream {
    let places = of.labels.iter().filter(|(span, _)| !span.is_empty());
    let mut found = places.flat_map(|(span, _)| {
        let file = source.file(span.start);
        let (first, last) = (source.position(span.start), source.position(span.end));
        let there = all.clone().filter(move |(name, _)| *name == file);
        there.map(move |(_, tokens)| between(tokens, first, last))
    });
    found.find(|tokens| !tokens.is_empty()).unwrap_or_else(|| tokens.clone())
}

/// Returns the tokens between two locations, including those in groups that are only partly between them.
fn between(tokens: &TokenStream, first: LineColumn, last: LineColumn) -> TokenStream {
    let mut found = TokenStream::new();
    for token in tokens.clone() {
        if first <= start(token.span()) && end(token.span()) <= last {
            found.extend([token]);
        } else if let TokenTree::Group(group) = token {
            found.extend(between(&group.stream(), first, last));
        }
    }
    found
}

fn start(span: proc_macro2::Span) -> LineColumn {
    place(span.start())
}

fn end(span: proc_macro2::Span) -> LineColumn {
    place(span.end())
}

fn place(place: proc_macro2::LineColumn) -> LineColumn {
    LineColumn { line: place.line as u32, column: place.column as u32 + 1 }
}
