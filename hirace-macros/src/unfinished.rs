//! Recovers unfinished items whose function bodies cannot be parsed.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

/// Returns the item with `loop {}` as the body of each function. Its names and signatures can then be parsed, if the syntax error
/// is in a body.
pub fn without_bodies(item: TokenStream) -> TokenStream {
    // The contents of the next braces, determined by the keyword before them.
    let mut braces = BraceContents::Other;
    let tokens = item.into_iter().map(|token| match token {
        TokenTree::Ident(ref word) if word == "fn" => {
            braces = BraceContents::Body;
            token
        }
        TokenTree::Ident(ref word) if word == "mod" => {
            braces = BraceContents::Items;
            token
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let content = match std::mem::replace(&mut braces, BraceContents::Other) {
                BraceContents::Body => quote!(loop {}),
                BraceContents::Items => without_bodies(group.stream()),
                BraceContents::Other => group.stream(),
            };
            let mut replaced = Group::new(Delimiter::Brace, content);
            replaced.set_span(group.span());
            replaced.into()
        }
        other => other,
    });
    tokens.collect()
}

/// The contents of braces.
enum BraceContents {
    Body,
    Items,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_function_bodies_are_replaced() {
        let item = quote!(
            mod m {
                const N: u32 = { 3 };
                fn f(x: u32) -> u32 { x + }
            }
        );
        let expected = quote!(
            mod m {
                const N: u32 = { 3 };
                fn f(x: u32) -> u32 {
                    loop {}
                }
            }
        );
        assert_eq!(without_bodies(item).to_string(), expected.to_string());
    }
}
