//! Tests with damaged kernels: tokens are deleted, duplicated, swapped, replaced or negated. No kernel may cause a panic, and the
//! WGSL of a kernel that is still accepted must be valid.

use super::accepted::{Wrong, valid};
use super::refused::files;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use proptest::prelude::*;
use quote::ToTokens;
use std::sync::LazyLock;

/// The items of all files, each as a list of tokens. Each delimiter is a token of its own.
static ITEMS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let mut items = Vec::new();
    for file in files("accepted").into_iter().chain(files("refused")) {
        let text = std::fs::read_to_string(file).unwrap();
        for item in syn::parse_file(&text).unwrap().items {
            let mut words = Vec::new();
            flatten(item.to_token_stream(), &mut words);
            items.push(words);
        }
    }
    items
});

fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    let mut joint = false;
    for token in tokens {
        let glued = std::mem::take(&mut joint);
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            TokenTree::Punct(punct) => {
                joint = punct.spacing() == proc_macro2::Spacing::Joint;
                push(words, &punct.to_string(), glued);
            }
            other => push(words, &other.to_string(), glued),
        }
    }
}

fn push(words: &mut Vec<String>, word: &str, glued: bool) {
    match words.last_mut() {
        Some(last) if glued => last.push_str(word),
        _ => words.push(word.to_owned()),
    }
}

#[derive(Clone, Debug)]
enum Damage {
    Delete(usize),
    Duplicate(usize),
    Swap(usize, usize),
    Replace(usize, usize),
    Negate(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<usize>();
    prop_oneof![
        at.prop_map(Damage::Delete),
        at.prop_map(Damage::Duplicate),
        (at, 1_usize..4).prop_map(|(at, by)| Damage::Swap(at, by)),
        (at, any::<usize>()).prop_map(|(at, from)| Damage::Replace(at, from)),
        at.prop_map(Damage::Negate),
    ]
}

fn apply(words: &mut Vec<String>, damage: &Damage) {
    let inner: Vec<usize> = (0..words.len()).filter(|&i| !"(){}[]".contains(&words[i])).collect();
    if inner.is_empty() {
        return;
    }
    let at = |n: usize| inner[n % inner.len()];
    match *damage {
        Damage::Delete(n) => {
            words.remove(at(n));
        }
        Damage::Duplicate(n) => words.insert(at(n), words[at(n)].clone()),
        Damage::Swap(n, by) => words.swap(at(n), at(n.wrapping_add(by))),
        Damage::Replace(n, from) => words[at(n)] = words[at(from)].clone(),
        Damage::Negate(n) => words.insert(at(n), "-".to_owned()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn damaged_kernels_are_refused_or_valid(
        which in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let mut words = which.get(&ITEMS).clone();
        for damage in &damages {
            apply(&mut words, damage);
        }
        let text = words.join(" ");
        if let Ok(item) = syn::parse_str::<syn::Item>(&text)
            && let Err(Wrong::Invalid(error)) = valid(&item)
        {
            prop_assert!(false, "{text}\n{error}");
        }
    }
}
