//! Finds the monitored items of a file, and those that only the compiler can see.
//!
//! A file is read without expanding macros and without evaluating `cfg`. Monitored items inside a macro call or a
//! `cfg` are reported by name, so that the user does not take them for checked.

use super::tree::Place;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemFn, ItemMod, Macro, UseTree};

/// The attributes that mark an item as monitored. `model` marks code that is only verified and never runs on a device.
pub const ATTRIBUTES: [&str; 2] = ["monitor", "model"];

/// Returns whether a monitored item is a model: an algorithm that is only verified and never runs on a device.
pub fn is_model(item: &Item) -> bool {
    let attributes = match item {
        Item::Fn(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        _ => return false,
    };
    attributes
        .iter()
        .any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "model"))
}

/// Returns whether a file with this text can contain monitored items. Most files have none, and they may contain Rust
/// that our parser does not support.
pub fn may_have_items(text: &str) -> bool {
    text.contains("monitor") || text.contains("hirace") && text.contains("model")
}

/// Returns whether an attribute path, written without spaces, is the full path of one of our attributes.
fn is_whole_path(path: &str) -> bool {
    path.strip_prefix("hirace::").is_some_and(|name| ATTRIBUTES.contains(&name))
}

/// The monitored items of a file.
#[derive(Debug, Default)]
pub struct MonitoredItems {
    /// The items that can be read, in source order.
    pub items: Vec<Item>,
    /// The scope of each of these items.
    pub scopes: Vec<Scope>,
    /// The items that cannot be read.
    pub unseen: Vec<UnreadableItem>,
}

/// The position of an item in its file.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The enclosing modules.
    pub modules: Vec<String>,
    /// The items of each enclosing function body, outermost first.
    pub blocks: Vec<Vec<Item>>,
}

/// Returns whether an item with the given `siblings` is monitored.
pub fn is_monitored(item: &Item, siblings: &[Item]) -> bool {
    let mut imports = Imports::default();
    siblings.iter().for_each(|item| {
        if let Item::Use(item) = item {
            imports.visit_item_use(item);
        }
    });
    let mut finder = Finder::new(imports.0);
    finder.visit_item(item);
    // Monitored items nested inside the item do not count.
    finder
        .found
        .scopes
        .first()
        .is_some_and(|scope| scope.modules.is_empty() && scope.blocks.is_empty())
}

/// A monitored item that cannot be read, or that may be configured out.
#[derive(Clone, Debug)]
pub struct UnreadableItem {
    /// Its name, if it has one before macro expansion.
    pub name: Option<String>,
    /// The location of its attribute.
    pub place: Place,
    /// The construct that hides it: `cfg(test)`, `kernels!`.
    pub hidden_by: String,
}

/// Finds the monitored items of `file`.
pub fn find(file: &syn::File) -> MonitoredItems {
    let mut imports = Imports::default();
    imports.visit_file(file);
    let mut finder = Finder::new(imports.0);
    for attribute in &file.attrs {
        finder.conditions.extend(cfg_condition(attribute));
    }
    finder.visit_file(file);
    finder.found
}

/// The attributes that the file imports, so that an unqualified `#[monitor]` is ours.
#[derive(Default)]
struct Imports(Vec<&'static str>);

impl Visit<'_> for Imports {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        if let UseTree::Path(path) = &item.tree
            && path.ident == "hirace"
        {
            let found = ATTRIBUTES.into_iter().filter(|name| imports(&path.tree, name));
            self.0.extend(found);
        }
    }
}

fn imports(tree: &UseTree, attribute: &str) -> bool {
    match tree {
        UseTree::Name(name) => name.ident == attribute,
        UseTree::Glob(_) => true,
        UseTree::Group(group) => group.items.iter().any(|tree| imports(tree, attribute)),
        UseTree::Path(_) | UseTree::Rename(_) => false,
    }
}

struct Finder {
    imported: Vec<&'static str>,
    /// The `cfg` conditions that enclose the current item.
    conditions: Vec<String>,
    /// The scope of the current item.
    scope: Scope,
    found: MonitoredItems,
}

impl Finder {
    fn new(imported: Vec<&'static str>) -> Self {
        let (conditions, scope, found) = (Vec::new(), Scope::default(), MonitoredItems::default());
        Self { imported, conditions, scope, found }
    }

    /// Records an item if it is monitored. Returns whether it is.
    fn record_if_monitored(
        &mut self,
        attributes: &[Attribute],
        name: &Ident,
        item: impl FnOnce() -> Item,
    ) -> bool {
        if let Some(attribute) = attributes.iter().find(|attribute| self.is_monitor(attribute)) {
            match self.conditions.last() {
                None => {
                    self.found.items.push(item());
                    self.found.scopes.push(self.scope.clone());
                }
                Some(condition) => {
                    self.record_unreadable(Some(name.to_string()), attribute, condition.clone());
                }
            }
            return true;
        }
        // `#[cfg_attr(feature = "gpu", hirace::monitor)]`
        let conditional = attributes.iter().find(|attribute| {
            attribute.path().is_ident("cfg_attr")
                && ATTRIBUTES.iter().any(|name| {
                    text(attribute.meta.to_token_stream()).contains(&format!("hirace::{name}"))
                })
        });
        if let Some(attribute) = conditional {
            self.record_unreadable(Some(name.to_string()), attribute, attribute_text(attribute));
        }
        conditional.is_some()
    }

    fn record_unreadable(
        &mut self,
        name: Option<String>,
        attribute: impl ToTokens,
        hidden_by: String,
    ) {
        let place = place(attribute.to_token_stream());
        self.found.unseen.push(UnreadableItem { name, place, hidden_by });
    }

    fn is_monitor(&self, attribute: &Attribute) -> bool {
        self.is_path(&text(attribute.path().to_token_stream()))
    }

    fn is_path(&self, path: &str) -> bool {
        let path = path.strip_prefix("::").unwrap_or(path);
        is_whole_path(path) || self.imported.contains(&path)
    }

    /// Calls `visit_item` inside the `cfg` conditions of `attributes`.
    fn with_conditions(&mut self, attributes: &[Attribute], visit_item: impl FnOnce(&mut Self)) {
        let depth = self.conditions.len();
        self.conditions.extend(attributes.iter().filter_map(cfg_condition));
        visit_item(self);
        self.conditions.truncate(depth);
    }

    /// Looks for monitored items in the arguments or the definition of a macro.
    fn look_in_macro(&mut self, name: &str, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let after_hash = index > 0 && is_punct(&tokens[index - 1], '#');
            if after_hash && group.delimiter() == Delimiter::Bracket {
                let inside = group.stream().into_iter();
                let path: TokenStream =
                    inside.take_while(|token| !matches!(token, TokenTree::Group(_))).collect();
                if self.is_path(&text(path)) {
                    self.record_unreadable(declared_name(&tokens[index..]), group, name.to_owned());
                }
            } else {
                self.look_in_macro(name, group.stream());
            }
        }
    }
}

impl Visit<'_> for Finder {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        self.with_conditions(&function.attrs, |finder| {
            let item = || Item::Fn(function.clone());
            if !finder.record_if_monitored(&function.attrs, &function.sig.ident, item) {
                visit::visit_item_fn(finder, function);
            }
        });
    }

    fn visit_item_mod(&mut self, module: &ItemMod) {
        self.with_conditions(&module.attrs, |finder| {
            let item = || Item::Mod(module.clone());
            if !finder.record_if_monitored(&module.attrs, &module.ident, item) {
                finder.scope.modules.push(crate::identifier::text(&module.ident));
                visit::visit_item_mod(finder, module);
                finder.scope.modules.pop();
            }
        });
    }

    fn visit_block(&mut self, block: &syn::Block) {
        let items = block.stmts.iter().filter_map(|stmt| match stmt {
            syn::Stmt::Item(item) => Some(item.clone()),
            _ => None,
        });
        self.scope.blocks.push(items.collect());
        visit::visit_block(self, block);
        self.scope.blocks.pop();
    }

    fn visit_item(&mut self, item: &Item) {
        // An item that cannot be a kernel is recorded here and rejected when kernels are read.
        let type_name;
        let attributed = match item {
            Item::Struct(item) => Some((&item.attrs, &item.ident)),
            Item::Enum(item) => Some((&item.attrs, &item.ident)),
            Item::Trait(item) => Some((&item.attrs, &item.ident)),
            Item::Const(item) => Some((&item.attrs, &item.ident)),
            Item::Static(item) => Some((&item.attrs, &item.ident)),
            Item::Type(item) => Some((&item.attrs, &item.ident)),
            Item::Impl(item) => {
                type_name = last_name(item.self_ty.to_token_stream())
                    .unwrap_or_else(|| Ident::new("impl", item.impl_token.span));
                Some((&item.attrs, &type_name))
            }
            _ => None,
        };
        let is_recorded = attributed.is_some_and(|(attributes, name)| {
            let mut is_recorded = false;
            self.with_conditions(attributes, |finder| {
                is_recorded = finder.record_if_monitored(attributes, name, || item.clone());
            });
            is_recorded
        });
        if !is_recorded {
            visit::visit_item(self, item);
        }
    }

    fn visit_macro(&mut self, invoked: &Macro) {
        let name = text(invoked.path.to_token_stream()) + "!";
        self.look_in_macro(&name, invoked.tokens.clone());
    }
}

/// Returns the text of a `cfg(…)` attribute, or `None` for another attribute.
fn cfg_condition(attribute: &Attribute) -> Option<String> {
    attribute.path().is_ident("cfg").then(|| attribute_text(attribute))
}

/// Returns the text of an attribute as it is usually written.
fn attribute_text(attribute: &Attribute) -> String {
    attribute
        .meta
        .to_token_stream()
        .to_string()
        .replace(" (", "(")
        .replace(" ,", ",")
        .replace(" :: ", "::")
}

/// Returns the last name of the path that these tokens form.
fn last_name(path: TokenStream) -> Option<Ident> {
    syn::parse2::<syn::Path>(path).ok()?.segments.pop().map(|last| last.ident)
}

/// Returns the name of the first function or module that these tokens declare.
fn declared_name(tokens: &[TokenTree]) -> Option<String> {
    let keyword = tokens.iter().position(
        |token| matches!(token, TokenTree::Ident(ident) if ident == "fn" || ident == "mod"),
    )?;
    match tokens.get(keyword + 1)? {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns the tokens as text without spaces.
fn text(tokens: TokenStream) -> String {
    let mut text = tokens.to_string();
    text.retain(|c| !c.is_whitespace());
    text
}

fn place(tokens: TokenStream) -> Place {
    let mut spans = tokens.into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    Place { first, last: spans.last().unwrap_or(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, line, and the hiding construct.
    type HiddenItem = (Option<String>, usize, String);

    fn find_in(text: &str) -> (Vec<String>, Vec<HiddenItem>) {
        let found = find(&syn::parse_file(text).unwrap());
        let name = |item: &Item| match item {
            Item::Fn(item) => item.sig.ident.to_string(),
            Item::Mod(item) => item.ident.to_string(),
            _ => "?".to_owned(),
        };
        let unseen = found.unseen.into_iter();
        let unseen = unseen.map(|u| (u.name, u.place.first.start().line, u.hidden_by));
        (found.items.iter().map(name).collect(), unseen.collect())
    }

    fn hidden(name: &str, line: usize, hidden_by: &str) -> HiddenItem {
        (Some(name.to_owned()), line, hidden_by.to_owned())
    }

    #[test]
    fn kernels_are_found_in_functions_and_modules() {
        let (items, unseen) = find_in(
            "#[hirace::monitor(workgroup_size(64))] fn one() {}
             fn none() { #[::hirace::monitor(workgroup_size(1))] fn inner() {} }
             mod outer { #[hirace::monitor] pub mod two { fn f() {} } fn none() {} }
             #[other::monitor] fn not_ours() {}
             #[monitor] fn not_imported() {}",
        );
        assert_eq!(items, ["one", "inner", "two"]);
        assert!(unseen.is_empty());
    }

    #[test]
    fn the_attribute_may_be_imported() {
        for import in ["hirace::monitor", "hirace::{Kernel, monitor}", "hirace::*"] {
            let (items, _) = find_in(&format!("use {import}; #[monitor] mod kernels {{}}"));
            assert_eq!(items, ["kernels"], "{import}");
        }
        assert!(find_in("use other::monitor; #[monitor] mod kernels {}").0.is_empty());
    }

    #[test]
    fn models_are_found_like_kernels() {
        let (items, _) = find_in(
            "use hirace::{model, prelude::*};
             #[model] mod one {}
             #[hirace::model(workgroup_size(1))] fn two() {}
             #[monitor] mod not_imported {}",
        );
        assert_eq!(items, ["one", "two"]);
        assert!(may_have_items("use hirace::model;") && !may_have_items("mod model;"));
    }

    #[test]
    fn items_behind_a_cfg_are_reported_by_name() {
        let (items, hidden_items) = find_in(
            "#[cfg(test)]
             mod tests {
                 #[hirace::monitor(workgroup_size(1))]
                 fn one() {}
             }
             #[cfg(feature = \"gpu\")] #[hirace::monitor] mod two {}
             #[cfg_attr(feature = \"gpu\", hirace::monitor)]
             mod three {}
             #[cfg_attr(feature = \"gpu\", inline)] fn none() {}",
        );
        assert!(items.is_empty());
        let expected = [
            hidden("one", 3, "cfg(test)"),
            hidden("two", 6, "cfg(feature = \"gpu\")"),
            hidden("three", 7, "cfg_attr(feature = \"gpu\", hirace::monitor)"),
        ];
        assert_eq!(hidden_items, expected);
    }

    #[test]
    fn items_in_a_macro_are_reported_by_name() {
        let (items, hidden_items) = find_in(
            "macro_rules! make { ($name:ident) => {
                 #[hirace::monitor(workgroup_size(64))] fn $name() {}
             } }
             kernels! { #[hirace::monitor] pub mod two {} #[other] mod three {} }
             fn f() { println!(\"hirace::monitor\"); }",
        );
        assert!(items.is_empty());
        let nameless = (None, 2, "macro_rules!".to_owned());
        assert_eq!(hidden_items, [nameless, hidden("two", 4, "kernels!")]);
    }
}
