//! Merges an item and everything that it uses into one module.

use super::ForeignItem;
use super::free::{self, FreeName, Scope, is_followed};
use crate::find::{ATTRIBUTES, is_model};
use crate::identifier::text;
use rustc_hash::{FxHashMap, FxHashSet};
use syn::{Attribute, Ident, Item, ItemMod, Meta, parse_quote};

/// Adds to `item` everything that it uses. `uses` lists the paths as written in the item, each with the key of an item
/// in `foreign`; the uses of those items are followed too. A standalone item becomes an item of a new module. Paths
/// are replaced by names that are unique there.
///
/// A path to an item that is not in `foreign` is kept, and lowering reports it as unknown.
pub fn merge(item: &Item, uses: &[(String, String)], foreign: &[ForeignItem]) -> Item {
    let (mut module, alone): (ItemMod, bool) = match item {
        Item::Mod(module) => (module.clone(), false),
        other if is_model(other) => (parse_quote!(#[hirace::model] mod alone { #other }), true),
        other => (parse_quote!(#[hirace::monitor] mod alone { #other }), true),
    };
    let mut items = module.content.take().map_or(Vec::new(), |(_, items)| items);
    let own = Scope::of(&items);
    items.retain(|item| !matches!(item, Item::Use(item) if is_followed(item)));
    if alone {
        items.iter_mut().for_each(in_module);
    }
    let reached = reached(uses, foreign);
    let given = given(&own, &items, &reached);
    for item in &mut items {
        rename(item, &own, uses, &given);
    }
    for foreign in reached {
        let own = Scope::of(&foreign.items);
        let own = Scope { imported: written(&foreign.uses), ..own };
        for item in &foreign.items {
            let mut item = item.clone();
            in_module(&mut item);
            rename(&mut item, &own, &foreign.uses, &given);
            if let Some(name) = free::declared(&item).map(text)
                && let Some(given) = given.get(foreign.key.as_str())
                && name != *given
            {
                call(&mut item, &name, given);
            }
            items.push(item);
        }
    }
    module.content = Some((syn::token::Brace::default(), items));
    Item::Mod(module)
}

/// Returns the items of `all` that are used, transitively, without duplicates and in order of first use.
fn reached<'a>(uses: &[(String, String)], all: &'a [ForeignItem]) -> Vec<&'a ForeignItem> {
    let by_key: FxHashMap<&str, &ForeignItem> =
        all.iter().rev().map(|foreign| (foreign.key.as_str(), foreign)).collect();
    let (mut reached, mut seen) = (Vec::new(), FxHashSet::default());
    let mut next: Vec<&str> = uses.iter().rev().map(|(_, key)| key.as_str()).collect();
    while let Some(key) = next.pop() {
        if seen.insert(key)
            && let Some(foreign) = by_key.get(key)
        {
            reached.push(*foreign);
            let impls = all.iter().rev().filter(|other| other.of.as_deref() == Some(key));
            next.extend(impls.map(|other| other.key.as_str()));
            next.extend(foreign.uses.iter().rev().map(|(_, key)| key.as_str()));
        }
    }
    reached
}

/// Returns the paths that are resolved.
fn written(uses: &[(String, String)]) -> FxHashSet<String> {
    uses.iter().map(|(path, _)| path.clone()).collect()
}

/// Chooses a name for each foreign item, by key: its own name, unless that is taken.
fn given<'a>(
    own: &Scope,
    items: &[Item],
    reached: &[&'a ForeignItem],
) -> FxHashMap<&'a str, String> {
    // A local could shadow an item that was written as `helpers::scale`.
    let foreign = reached.iter().flat_map(|foreign| &foreign.items);
    let mut taken: FxHashSet<String> =
        items.iter().chain(foreign).flat_map(free::bound_names).collect();
    taken.extend(own.own.iter().cloned());
    let mut given = FxHashMap::default();
    for foreign in reached {
        let Some(name) = foreign.items.iter().find_map(free::declared).map(text) else { continue };
        let others = (1..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(others).find(|name| !taken.contains(name));
        let free = free.unwrap_or(name);
        taken.insert(free.clone());
        given.insert(foreign.key.as_str(), free);
    }
    given
}

/// Replaces foreign paths in an item by the names of the items that they lead to.
fn rename(
    item: &mut Item,
    own: &Scope,
    uses: &[(String, String)],
    given: &FxHashMap<&str, String>,
) {
    let named = |path: &syn::Path| {
        let path = free::path_text(path);
        let (_, key) = uses.iter().find(|(written, _)| *written == path)?;
        given.get(key.as_str())
    };
    free::visit_free_names(item, own, &mut |free| {
        let Some(name) = named(&free.path()) else { return };
        match free {
            FreeName::Constant(ident) => *ident = Ident::new(name, ident.span()),
            FreeName::Path(path, segments) => {
                let mut rest: Vec<syn::PathSegment> =
                    path.segments.iter().skip(segments - 1).cloned().collect();
                if let Some(first) = rest.first_mut() {
                    first.ident = Ident::new(name, first.ident.span());
                }
                path.leading_colon = None;
                path.segments = rest.into_iter().collect();
            }
        }
    });
}

/// Renames the item that `item` declares, including its uses in itself.
fn call(item: &mut Item, name: &str, given: &str) {
    let uses = [(name.to_owned(), name.to_owned())];
    rename(item, &Scope::default(), &uses, &FxHashMap::from_iter([(name, given.to_owned())]));
    let ident = match item {
        Item::Fn(item) => &mut item.sig.ident,
        Item::Struct(item) => &mut item.ident,
        Item::Enum(item) => &mut item.ident,
        Item::Const(item) => &mut item.ident,
        Item::Type(item) => &mut item.ident,
        Item::Trait(item) => &mut item.ident,
        _ => return,
    };
    *ident = Ident::new(given, ident.span());
}

/// Changes the attributes of a standalone item to those of a module's item: a kernel gets `kernel` in place of
/// `monitor`, other items lose it.
fn in_module(item: &mut Item) {
    let attributes = match item {
        Item::Fn(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Const(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        _ => return,
    };
    attributes
        .retain(|attribute| !(is_monitor(attribute) && matches!(attribute.meta, Meta::Path(_))));
    for attribute in attributes.iter_mut().filter(|attribute| is_monitor(attribute)) {
        if let Meta::List(list) = &mut attribute.meta {
            let span = list
                .path
                .segments
                .last()
                .map_or_else(proc_macro2::Span::call_site, |s| s.ident.span());
            list.path = Ident::new("kernel", span).into();
        }
    }
}

fn is_monitor(attribute: &Attribute) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|segment| ATTRIBUTES.iter().any(|name| segment.ident == name))
}

#[cfg(test)]
mod tests;
