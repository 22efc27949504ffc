//! Splits a monitored item into the parts that other items can use.

use super::free::{self, Scope, declared, path_text};
use super::{ForeignItem, belongs_to, key};
use crate::find::ATTRIBUTES;
use crate::identifier::text;
use quote::ToTokens;
use rustc_hash::{FxHashMap, FxHashSet};
use syn::{Attribute, Ident, Item, ItemImpl, Visibility};

/// An item that other items can use.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name. A standalone `impl` has a name that cannot occur in source code.
    pub name: Ident,
    /// Its visibility.
    pub visibility: Visibility,
    /// The item as other items see it.
    pub foreign: ForeignItem,
}

/// Returns the parts of `item`: the item itself, or the items of a module. `uses` are the foreign paths of the item, each with the
/// key of the item that it leads to; each part gets the ones that it contains. Kernels are not parts, because no other item can use
/// them.
pub fn split(item: &Item, uses: &[(String, String)]) -> Vec<Part> {
    let items: &[Item] = match item {
        Item::Mod(module) => module.content.as_ref().map_or(&[], |(_, items)| items),
        Item::Impl(item) => return vec![impl_part(item, uses)],
        other => std::slice::from_ref(other),
    };
    let named: Vec<(&Ident, &Item)> = items
        .iter()
        .filter(|item| !is_kernel(item))
        .filter_map(|item| Some((declared(item)?, item)))
        .collect();
    let keys: FxHashMap<String, String> =
        named.iter().map(|(name, item)| (text(name), key(name, item))).collect();
    let imported = Scope::of(items).imported_names;
    let mut parts = Vec::new();
    for (name, item) in &named {
        let Some(visibility) = visibility(item) else { continue };
        let mut part_items = vec![(*item).clone()];
        part_items.extend(impls(items, &text(name), &keys).cloned());
        let own = Scope {
            own: FxHashSet::from_iter([text(name)]),
            imported_names: own_names(&keys, &imported),
        };
        let mut own_uses = Vec::new();
        for path in free::paths(&part_items, &own) {
            let path = path_text(&path);
            let sibling = keys.get(path.strip_prefix("self::").unwrap_or(&path));
            let outside = uses.iter().find(|(written, _)| *written == path).map(|(_, key)| key);
            if let Some(key) = sibling.or(outside) {
                own_uses.push((path, key.clone()));
            }
        }
        let foreign = ForeignItem {
            key: keys.get(&text(name)).cloned().unwrap_or_default(),
            items: part_items,
            uses: own_uses,
            of: None,
        };
        parts.push(Part { name: (*name).clone(), visibility: visibility.clone(), foreign });
    }
    parts
}

/// Returns the part of a standalone `impl`. Every item that uses the impl's type or trait gets it too.
fn impl_part(item: &ItemImpl, uses: &[(String, String)]) -> Part {
    let place = item.impl_token.span;
    let key = key(&Ident::new("impl", place), item);
    let belongs = belongs_to(item).map(|path| path_text(&path));
    let of =
        uses.iter().find(|(path, _)| Some(path) == belongs.as_ref()).map(|(_, key)| key.clone());
    let items = vec![Item::Impl(item.clone())];
    let name = Ident::new(&key, place);
    let foreign = ForeignItem { key, items, uses: uses.to_vec(), of };
    Part { name, visibility: Visibility::Public(Default::default()), foreign }
}

/// Returns the part with this key and everything that it needs, transitively, from `parts` and `others`.
pub fn closure(key: &str, parts: &[Part], others: &[ForeignItem]) -> Vec<ForeignItem> {
    let all = || parts.iter().map(|part| &part.foreign).chain(others);
    let (mut closure, mut next): (Vec<ForeignItem>, Vec<&str>) = (Vec::new(), vec![key]);
    while let Some(key) = next.pop() {
        if closure.iter().all(|foreign| foreign.key != key)
            && let Some(found) = all().find(|foreign| foreign.key == key)
        {
            closure.push(found.clone());
            next.extend(found.uses.iter().rev().map(|(_, key)| key.as_str()));
        }
    }
    closure
}

/// Returns the `impl`s of a type. For a trait, returns those for types that are not declared next to it.
fn impls<'a>(
    items: &'a [Item],
    name: &'a str,
    siblings: &'a FxHashMap<String, String>,
) -> impl Iterator<Item = &'a Item> {
    items.iter().filter(move |item| {
        let Item::Impl(item) = item else { return false };
        let of = last(&item.self_ty.to_token_stream());
        let of_trait =
            item.trait_.as_ref().and_then(|implemented| last(&implemented.1.to_token_stream()));
        match of {
            Some(of) if siblings.contains_key(&of) => of == name,
            _ => of_trait.is_some_and(|of| of == name),
        }
    })
}

/// Returns the last name of a path, without its generic arguments.
fn last(path: &proc_macro2::TokenStream) -> Option<String> {
    let path: syn::Path = syn::parse2(path.clone()).ok()?;
    path.segments.last().map(|segment| text(&segment.ident))
}

/// Returns the names that shadow the prelude in a part of a module: its siblings and the imported names.
fn own_names(keys: &FxHashMap<String, String>, imported: &FxHashSet<String>) -> FxHashSet<String> {
    keys.keys().chain(imported).cloned().collect()
}

/// Returns whether an item is a kernel, standalone or in a module.
pub fn is_kernel(item: &Item) -> bool {
    let of = |attribute: &Attribute| {
        let name = attribute.path().segments.last().map(|segment| text(&segment.ident));
        let is_list = matches!(attribute.meta, syn::Meta::List(_));
        name.is_some_and(|name| name == "kernel" || ATTRIBUTES.contains(&name.as_str()) && is_list)
    };
    matches!(item, Item::Fn(function) if function.attrs.iter().any(of))
}

fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Fn(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Const(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<Part> {
        split(&syn::parse_str(text).unwrap(), &[("super::N".to_owned(), "N_1".to_owned())])
    }

    #[test]
    fn a_module_is_split_into_its_items_without_kernels() {
        let parts = parts(
            "mod m { pub const TWO: u32 = 2 * super::N; pub(crate) fn twice(x: u32) -> u32 { half(x) * TWO }
             fn half(x: u32) -> u32 { x / 2 } #[kernel(workgroup_size(1))] pub fn k() {}
             pub struct P { x: u32 } impl P { fn f(&self) -> u32 { twice(self.x) } } }",
        );
        let names: Vec<String> = parts.iter().map(|part| part.name.to_string()).collect();
        assert_eq!(names, ["TWO", "twice", "half", "P"]);
        let uses = |of: usize| -> Vec<&str> {
            parts[of].foreign.uses.iter().map(|(path, _)| path.as_str()).collect()
        };
        assert_eq!(
            (uses(0), uses(1), uses(3)),
            (vec!["super::N"], vec!["half", "TWO"], vec!["twice"])
        );
        assert_eq!(parts[3].foreign.items.len(), 2);
        let needed = closure(&parts[3].foreign.key, &parts, &[]);
        let needed: Vec<&str> = needed.iter().map(|f| f.key.split_once('_').unwrap().0).collect();
        assert_eq!(needed, ["P", "twice", "half", "TWO"]);
    }
}
