//! Errors at tokens, collected so that all are reported at once.

use super::super::tree::Place;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// The errors found so far.
#[derive(Default)]
pub struct Errors(Vec<syn::Error>);

impl Errors {
    pub fn push(&mut self, error: syn::Error) {
        if !error.to_string().is_empty() {
            self.0.push(error);
        }
    }

    /// Returns the value of `result`. An error is stored.
    pub fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Returns the number of errors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all errors as one, sorted by location, or `Ok` if there are none.
    pub fn finish(self) -> syn::Result<()> {
        let mut all: Vec<syn::Error> = self.0.into_iter().flatten().collect();
        all.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        let mut seen = Vec::new();
        all.retain(|error| {
            let start = error.span().start();
            let key = (start.line, start.column, error.to_string());
            let new = !seen.contains(&key);
            seen.push(key);
            new
        });
        let combined = all.into_iter().reduce(|mut first, next| {
            first.combine(next);
            first
        });
        combined.map_or(Ok(()), Err)
    }
}

/// Creates an error at a place.
pub fn error(place: Place, message: impl std::fmt::Display) -> syn::Error {
    // An error extends from its first to its last token; these two tokens have the place's spans.
    let ends: TokenStream = [place.first, place.last]
        .into_iter()
        .map(|span| TokenTree::from(Ident::new("here", span)))
        .collect();
    syn::Error::new_spanned(ends, message)
}

/// Returns an error at a place as a `Result`.
pub fn refuse<T>(place: Place, message: impl std::fmt::Display) -> syn::Result<T> {
    Err(error(place, message))
}

/// Returns the place of tokens.
pub fn place(tokens: &impl ToTokens) -> Place {
    let mut ends: Option<Place> = None;
    for token in tokens.to_token_stream() {
        let here = token_place(&token);
        ends = Some(Place { first: ends.map_or(here.first, |ends| ends.first), last: here.last });
    }
    ends.unwrap_or_else(|| at(Span::call_site()))
}

/// Returns the place of one token.
pub fn at(span: Span) -> Place {
    Place { first: span, last: span }
}

fn token_place(token: &TokenTree) -> Place {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => place(&group.stream()),
        TokenTree::Group(group) => Place { first: group.span_open(), last: group.span_close() },
        token => at(token.span()),
    }
}

/// Returns an error that stands for one that has been reported. It is empty and adds nothing to the report.
pub fn already_reported() -> syn::Error {
    syn::Error::new(Span::call_site(), "")
}
