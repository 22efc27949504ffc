//! Expands `macro_rules!` macros, so that the items that they make are read like written ones. It supports what the macros of the
//! public crates use: the fragments `ident`, `ty`, `literal` and `tt`, and repetitions.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::parse::{ParseStream, Parser};

/// The rules of a macro: patterns with their templates.
pub struct Rules(Vec<(Vec<Pattern>, Vec<TokenTree>)>);

/// A part of the pattern of a rule.
enum Pattern {
    /// A token that the input must contain.
    Token(String),
    Group(Delimiter, Vec<Pattern>),
    /// `$name:fragment`.
    Fragment(String, String),
    /// `$(…)*`, with its separator.
    Repetition(Vec<Pattern>, Option<String>),
}

/// The tokens of a fragment, or of one that is repeated.
#[derive(Clone, Debug)]
enum Bound {
    One(TokenStream),
    Many(Vec<BTreeMap<String, Bound>>),
}

type Bindings = BTreeMap<String, Bound>;

/// Returns whether a token is this punctuation mark.
fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// Splits `sep op` after a repetition: the separator, and the number of tokens of both.
fn repetition_end(rest: &[TokenTree]) -> (Option<TokenTree>, usize) {
    let is_operator = |at: usize| ['*', '+', '?'].iter().any(|&op| is_punct(rest.get(at), op));
    match is_operator(0) {
        true => (None, 1),
        false => (rest.first().cloned(), 2),
    }
}

impl Rules {
    /// Reads the body of a `macro_rules!`.
    pub fn read(body: TokenStream) -> Option<Self> {
        let tokens: Vec<TokenTree> = body.into_iter().collect();
        let mut rules = Vec::new();
        // A rule is `(pattern) => { template }`, and rules are separated by semicolons.
        for rule in tokens.split(|token| is_punct(Some(token), ';')).filter(|rule| !rule.is_empty())
        {
            let [TokenTree::Group(pattern), _, _, TokenTree::Group(template)] = rule else {
                return None;
            };
            let pattern: Vec<TokenTree> = pattern.stream().into_iter().collect();
            rules.push((patterns(&pattern)?, template.stream().into_iter().collect()));
        }
        Some(Self(rules))
    }

    /// Returns the expansion of an input by the first rule that it matches.
    pub fn expand(&self, input: TokenStream) -> Option<TokenStream> {
        let input: Vec<TokenTree> = input.into_iter().collect();
        self.0.iter().find_map(|(pattern, template)| {
            let (bindings, rest) = matched(pattern, &input)?;
            rest.is_empty().then(|| transcribe(template, &bindings))
        })
    }
}

fn patterns(tokens: &[TokenTree]) -> Option<Vec<Pattern>> {
    let mut list = Vec::new();
    let mut rest = tokens;
    while let [token, after @ ..] = rest {
        rest = after;
        list.push(match (token, after) {
            (token, [TokenTree::Group(group), after @ ..]) if is_punct(Some(token), '$') => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let (separator, length) = repetition_end(after);
                rest = after.get(length..)?;
                Pattern::Repetition(patterns(&inner)?, separator.map(|token| token.to_string()))
            }
            (token, [name, _, fragment, after @ ..]) if is_punct(Some(token), '$') => {
                rest = after;
                Pattern::Fragment(name.to_string(), fragment.to_string())
            }
            (TokenTree::Group(group), _) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                Pattern::Group(group.delimiter(), patterns(&inner)?)
            }
            (token, _) => Pattern::Token(token.to_string()),
        });
    }
    Some(list)
}

/// Matches the start of an input. Returns the bindings and the rest of the input.
fn matched<'a>(list: &[Pattern], input: &'a [TokenTree]) -> Option<(Bindings, &'a [TokenTree])> {
    let (mut bindings, mut rest) = (Bindings::new(), input);
    for pattern in list {
        match pattern {
            Pattern::Token(token) => {
                let (first, after) = rest.split_first()?;
                (first.to_string() == *token).then_some(())?;
                rest = after;
            }
            Pattern::Group(delimiter, inner) => {
                let (TokenTree::Group(group), after) = rest.split_first()? else { return None };
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                let (own, left) = matched(inner, &tokens)?;
                (group.delimiter() == *delimiter && left.is_empty()).then_some(())?;
                bindings.extend(own);
                rest = after;
            }
            Pattern::Fragment(name, kind) => {
                let (tokens, length) = fragment(kind, rest)?;
                bindings.insert(name.clone(), Bound::One(tokens));
                rest = &rest[length..];
            }
            Pattern::Repetition(inner, separator) => {
                let mut all = Vec::new();
                while let Some((own, after)) = matched(inner, rest).filter(|_| !rest.is_empty()) {
                    all.push(own);
                    rest = after;
                    match (separator, rest.split_first()) {
                        (Some(separator), Some((first, after)))
                            if first.to_string() == *separator =>
                        {
                            rest = after;
                        }
                        (Some(_), _) => break,
                        (None, _) => {}
                    }
                }
                for name in names(inner) {
                    bindings.insert(name, Bound::Many(all.clone()));
                }
            }
        }
    }
    Some((bindings, rest))
}

/// Returns the names of the fragments of a pattern.
fn names(list: &[Pattern]) -> Vec<String> {
    let of = |pattern: &Pattern| match pattern {
        Pattern::Token(_) => Vec::new(),
        Pattern::Fragment(name, _) => vec![name.clone()],
        Pattern::Group(_, inner) | Pattern::Repetition(inner, _) => names(inner),
    };
    list.iter().flat_map(of).collect()
}

/// Returns the first fragment of this kind, and its number of tokens.
fn fragment(kind: &str, input: &[TokenTree]) -> Option<(TokenStream, usize)> {
    let first = input.first()?;
    let is_one = match kind {
        "ident" => matches!(first, TokenTree::Ident(_)),
        "literal" => matches!(first, TokenTree::Literal(_)),
        "tt" => true,
        "ty" => {
            let parse = |input: ParseStream<'_>| {
                let ty: syn::Type = input.parse()?;
                let rest: TokenStream = input.parse()?;
                Ok((ty.into_token_stream(), rest.into_iter().count()))
            };
            let (ty, rest) = parse.parse2(input.iter().cloned().collect()).ok()?;
            return Some((ty, input.len() - rest));
        }
        _ => return None,
    };
    is_one.then(|| (first.to_token_stream(), 1))
}

fn transcribe(template: &[TokenTree], bindings: &Bindings) -> TokenStream {
    let mut out = TokenStream::new();
    let mut rest = template;
    while let [token, after @ ..] = rest {
        rest = after;
        match (token, after) {
            (token, [TokenTree::Group(group), after @ ..]) if is_punct(Some(token), '$') => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let (separator, length) = repetition_end(after);
                rest = after.get(length..).unwrap_or_default();
                for (at, own) in repeated(&inner, bindings).into_iter().enumerate() {
                    out.extend(separator.clone().filter(|_| at > 0));
                    let mut all = bindings.clone();
                    all.extend(own);
                    out.extend(transcribe(&inner, &all));
                }
            }
            (token, [TokenTree::Ident(name), after @ ..]) if is_punct(Some(token), '$') => {
                rest = after;
                match bindings.get(&name.to_string()) {
                    Some(Bound::One(tokens)) => out.extend(tokens.clone()),
                    _ => name.to_tokens(&mut out),
                }
            }
            (TokenTree::Group(group), _) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let group = Group::new(group.delimiter(), transcribe(&inner, bindings));
                out.extend([TokenTree::Group(group)]);
            }
            (token, _) => token.to_tokens(&mut out),
        }
    }
    out
}

/// Returns the bindings of each iteration of a repetition: those of the first fragment in it that is repeated.
fn repeated(template: &[TokenTree], bindings: &Bindings) -> Vec<Bindings> {
    let mut found = None;
    let mut pending: Vec<TokenTree> = template.to_vec();
    while let (None, false) = (&found, pending.is_empty()) {
        let next = pending.remove(0);
        if let TokenTree::Group(group) = &next {
            pending.splice(0..0, group.stream());
        }
        if let Some(Bound::Many(all)) = bindings.get(&next.to_string()) {
            found = Some(all.clone());
        }
    }
    found.unwrap_or_default()
}
