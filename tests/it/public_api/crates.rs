//! The items of crates as their sources define them, and what paths refer to. Features are on, except those named in
//! [`Crates::read`]; tests are left out, and the macros of a crate are expanded.

use super::expand::Rules;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, Meta, Token, UseTree, Visibility};

/// A module: its crate, and its path in it.
pub type ModulePath = Vec<String>;

/// The items of a module.
#[derive(Default)]
pub struct Module {
    pub items: Vec<Item>,
    pub uses: Vec<Use>,
    /// The child modules: whether they are public, and their `cfg` features.
    pub children: BTreeMap<String, Child>,
    /// The features that the module needs.
    pub features: BTreeSet<String>,
}

/// The declaration of a child module.
pub struct Child {
    pub is_public: bool,
    pub features: BTreeSet<String>,
}

/// A name that a `use` declaration introduces.
pub struct Use {
    /// The name; `None` for all names of a module.
    pub name: Option<String>,
    pub path: Vec<String>,
    pub is_public: bool,
    pub features: BTreeSet<String>,
}

/// What a path refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Referent {
    Module(ModulePath),
    /// The item with this index of a module.
    Item(ModulePath, usize),
    /// A path into a crate that was not read.
    External(Vec<String>),
}

/// The crates that were read.
pub struct Crates {
    pub modules: BTreeMap<ModulePath, Module>,
    disabled: &'static [&'static str],
    /// The crate whose macros must be expanded.
    root: String,
}

impl Crates {
    /// Reads the crates with these names and source folders. All features but `disabled` are on.
    pub fn read(
        crates: &[(&str, &Path)],
        disabled: &'static [&'static str],
    ) -> Result<Self, Failed> {
        let root = crates.first().map_or_else(String::new, |(name, _)| (*name).to_owned());
        let mut read = Self { modules: BTreeMap::new(), disabled, root };
        for &(name, src) in crates {
            let file = syn::parse_file(&std::fs::read_to_string(src.join("lib.rs"))?)?;
            read.add(vec![name.to_owned()], src, file.items, Module::default(), &mut Vec::new())?;
        }
        Ok(read)
    }

    /// Adds the items of a module. `folder` contains the files of its children, and `macros` are the macros in scope.
    fn add(
        &mut self,
        path: ModulePath,
        folder: &Path,
        items: Vec<Item>,
        mut module: Module,
        macros: &mut Vec<(String, Rules)>,
    ) -> Result<(), Failed> {
        let outer = macros.len();
        // Reversed, so that the next item is the last.
        let mut pending: Vec<Item> = items.into_iter().rev().collect();
        while let Some(item) = pending.pop() {
            let attributes = attributes(&item);
            if !self.is_enabled(attributes) {
                continue;
            }
            let features = self.features(attributes);
            match item {
                Item::Use(item) => {
                    let is_public = is_public(&item.vis) && !is_hidden(&item.attrs);
                    let mut add = |name, path| {
                        let features = features.clone();
                        module.uses.push(Use { name, path, is_public, features });
                    };
                    leaves(&item.tree, &mut Vec::new(), &mut add);
                }
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let is_public = is_public(&item.vis) && !is_hidden(&item.attrs);
                    let child = path.iter().cloned().chain([name.clone()]).collect();
                    // The features of the other crates have other names.
                    let needed =
                        if path[0] == self.root { features.clone() } else { BTreeSet::new() };
                    let inner =
                        Module { features: &module.features | &needed, ..Module::default() };
                    module.children.insert(name.clone(), Child { is_public, features });
                    match item.content {
                        Some((_, items)) => {
                            self.add(child, &folder.join(name), items, inner, macros)?
                        }
                        None => {
                            let file = file_of(folder, &name, &item.attrs);
                            let items = syn::parse_file(&std::fs::read_to_string(&file)?)?.items;
                            let is_root = file.ends_with("mod.rs");
                            let folder =
                                if is_root { file.with_file_name("") } else { folder.join(&name) };
                            self.add(child, &folder, items, inner, macros)?;
                        }
                    }
                }
                Item::Macro(item) => match (&item.ident, item.mac.path.get_ident()) {
                    (Some(name), _) => {
                        macros.extend(
                            Rules::read(item.mac.tokens).map(|rules| (name.to_string(), rules)),
                        );
                    }
                    (None, Some(name)) => {
                        let called = macros.iter().rev().find(|(own, _)| name == own);
                        let expanded = called.and_then(|(_, rules)| rules.expand(item.mac.tokens));
                        // The internal crates make no public items by macros, and macros of other crates make none.
                        if called.is_some() && expanded.is_none() && path[0] == self.root {
                            return Err(format!("`{name}!` cannot be expanded").into());
                        }
                        if let Some(expanded) = expanded {
                            pending.extend(
                                syn::parse2::<syn::File>(expanded)?.items.into_iter().rev(),
                            );
                        }
                    }
                    (None, None) => {}
                },
                item => module.items.push(item),
            }
        }
        macros.truncate(outer);
        self.modules.insert(path, module);
        Ok(())
    }

    /// Returns whether the `cfg` attributes of an item hold.
    pub fn is_enabled(&self, attributes: &[Attribute]) -> bool {
        cfgs(attributes).all(|cfg| self.holds(&cfg))
    }

    fn holds(&self, cfg: &Meta) -> bool {
        match cfg {
            Meta::Path(path) => !path.is_ident("test"),
            Meta::NameValue(_) => feature(cfg).is_none_or(|name| !self.disabled.contains(&&*name)),
            Meta::List(list) => {
                let inner = metas(list);
                if list.path.is_ident("not") {
                    !inner.iter().any(|cfg| self.holds(cfg))
                } else if list.path.is_ident("any") {
                    inner.iter().any(|cfg| self.holds(cfg))
                } else {
                    inner.iter().all(|cfg| self.holds(cfg))
                }
            }
        }
    }

    /// Returns the features that the `cfg` attributes of an item require.
    pub fn features(&self, attributes: &[Attribute]) -> BTreeSet<String> {
        cfgs(attributes).filter_map(|cfg| feature(&cfg)).collect()
    }

    /// Returns what `path` refers to in `module`, in all namespaces.
    pub fn resolve(&self, module: &[String], path: &[String]) -> Vec<Referent> {
        self.resolve_within(module, path, &mut BTreeSet::new())
    }

    fn resolve_within(
        &self,
        module: &[String],
        path: &[String],
        seen: &mut BTreeSet<(ModulePath, Vec<String>)>,
    ) -> Vec<Referent> {
        if !seen.insert((module.to_vec(), path.to_vec())) {
            return Vec::new();
        }
        let Some((first, rest)) = path.split_first() else {
            return vec![Referent::Module(module.to_vec())];
        };
        let parent = || module[..module.len().saturating_sub(1).max(1)].to_vec();
        let start = match first.as_str() {
            "crate" => vec![Referent::Module(module[..1].to_vec())],
            "self" => vec![Referent::Module(module.to_vec())],
            "super" => vec![Referent::Module(parent())],
            name => {
                let own = self.lookup(module, name, true, seen);
                let is_crate = own.is_empty() && self.modules.contains_key(&path[..1]);
                if is_crate { vec![Referent::Module(path[..1].to_vec())] } else { own }
            }
        };
        if rest.is_empty() {
            return start;
        }
        let follow = |from: &Referent| match from {
            Referent::Module(at) if rest[0] == "super" => self.resolve_within(at, rest, seen),
            Referent::Module(at) => {
                let next = self.lookup(at, &rest[0], true, seen);
                let further = next.iter().flat_map(|next| match next {
                    Referent::Module(at) => self.resolve_within(at, &rest[1..], seen),
                    Referent::Item(..) if rest.len() == 1 => vec![next.clone()],
                    Referent::Item(..) => Vec::new(),
                    Referent::External(path) => {
                        vec![Referent::External([path, &rest[1..]].concat())]
                    }
                });
                further.collect()
            }
            Referent::Item(..) => Vec::new(),
            Referent::External(path) => vec![Referent::External([path, rest].concat())],
        };
        start.iter().flat_map(follow).collect()
    }

    /// Returns what a name refers to in a module, in all namespaces.
    fn lookup(
        &self,
        module: &[String],
        name: &str,
        with_private: bool,
        seen: &mut BTreeSet<(ModulePath, Vec<String>)>,
    ) -> Vec<Referent> {
        let Some(own) = self.modules.get(module) else { return Vec::new() };
        let mut found = Vec::new();
        if own.children.get(name).is_some_and(|child| with_private || child.is_public) {
            found.push(Referent::Module(module.iter().cloned().chain([name.to_owned()]).collect()));
        }
        for (at, item) in own.items.iter().enumerate() {
            if ident(item).is_some_and(|ident| ident == name) {
                found.push(Referent::Item(module.to_vec(), at));
            }
        }
        for named in own.uses.iter().filter(|used| used.name.as_deref() == Some(name)) {
            found.extend(self.target(module, named, seen));
        }
        if found.is_empty() {
            for glob in own.uses.iter().filter(|used| used.name.is_none()) {
                for target in self.target(module, glob, seen) {
                    if let Referent::Module(target) = target {
                        found.extend(self.lookup(&target, name, false, seen));
                    }
                }
            }
        }
        found
    }

    /// Returns what a `use` declaration imports.
    pub fn import(&self, module: &[String], used: &Use) -> Vec<Referent> {
        self.target(module, used, &mut BTreeSet::new())
    }

    fn target(
        &self,
        module: &[String],
        used: &Use,
        seen: &mut BTreeSet<(ModulePath, Vec<String>)>,
    ) -> Vec<Referent> {
        let found = self.resolve_within(module, &used.path, seen);
        let first = used.path.first().map_or("", |first| first);
        let is_local = ["crate", "self", "super"].contains(&first);
        match found.is_empty() && !is_local && !self.modules.contains_key(&used.path[..1]) {
            true => vec![Referent::External(used.path.clone())],
            false => found,
        }
    }
}

/// Returns the file of a module without a body.
fn file_of(folder: &Path, name: &str, attributes: &[Attribute]) -> std::path::PathBuf {
    let path = attributes.iter().find(|attribute| attribute.path().is_ident("path"));
    let given = path.and_then(|path| match &path.meta {
        Meta::NameValue(value) => text(&value.value),
        _ => None,
    });
    let alone = folder.join(given.unwrap_or_else(|| format!("{name}.rs")));
    if alone.exists() { alone } else { folder.join(name).join("mod.rs") }
}

/// Calls `add` with the names and paths of a `use` declaration.
fn leaves(
    tree: &UseTree,
    before: &mut Vec<String>,
    add: &mut impl FnMut(Option<String>, Vec<String>),
) {
    let with = |before: &[String], name: &syn::Ident| -> Vec<String> {
        before.iter().cloned().chain([name.to_string()]).collect()
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, add);
            before.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, add)),
        UseTree::Name(name) if name.ident == "self" => add(before.last().cloned(), before.clone()),
        UseTree::Name(name) => add(Some(name.ident.to_string()), with(before, &name.ident)),
        UseTree::Rename(renamed) => {
            add(Some(renamed.rename.to_string()), with(before, &renamed.ident));
        }
        UseTree::Glob(_) => add(None, before.clone()),
    }
}

fn cfgs(attributes: &[Attribute]) -> impl Iterator<Item = Meta> {
    let cfg = |attribute: &&Attribute| attribute.path().is_ident("cfg");
    attributes.iter().filter(cfg).filter_map(|attribute| attribute.parse_args().ok())
}

fn metas(list: &syn::MetaList) -> Vec<Meta> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    parser.parse2(list.tokens.clone()).map_or_else(|_| Vec::new(), |all| all.into_iter().collect())
}

/// Returns the name of a feature that a `cfg` requires.
fn feature(cfg: &Meta) -> Option<String> {
    match cfg {
        Meta::NameValue(value) if value.path.is_ident("feature") => text(&value.value),
        _ => None,
    }
}

fn text(expression: &syn::Expr) -> Option<String> {
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

pub fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns whether the documentation leaves an item out.
pub fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("doc") => list.tokens.to_string() == "hidden",
        _ => false,
    })
}

/// Returns the name of an item, except for modules and `use` declarations.
pub fn ident(item: &Item) -> Option<&syn::Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    })
}

pub fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        _ => return None,
    })
}

pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
