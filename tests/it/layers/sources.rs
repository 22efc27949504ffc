//! Reads which files of a crate use which: finds the paths in each file, and resolves them through imports and re-exports to
//! the file that defines the item. Files are named by their modules. Tests are not read, because they may use anything.
//!
//! Only paths are resolved: the call of a method names no file.

use super::graph::Graph;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::buffer::{Cursor, TokenBuffer};
use syn::ext::IdentExt as _;
use syn::visit::{self, Visit};

/// A path in a source, or the path of a module from the crate root.
type Names = Vec<String>;

type Modules = BTreeMap<Names, Module>;

/// The length of the longest chain of imports that is followed.
const LONGEST_CHAIN: usize = 16;

/// The content of a module.
#[derive(Default)]
struct Module {
    /// The module of the file that contains it: itself, or the module around an inline module.
    file: String,
    /// The names of the items that it defines.
    items: BTreeSet<String>,
    /// The names that `use` declarations introduce, and the path of each.
    imports: BTreeMap<String, Names>,
    /// The paths of `use` declarations that end in `*`.
    globs: Vec<Names>,
    /// All other paths.
    paths: Vec<Names>,
    children: Vec<syn::ItemMod>,
}

/// What a path refers to.
enum Target {
    Module(Names),
    /// An item that this module defines.
    Item(Names),
}

/// Returns which files use which, in the crate with this root file.
pub fn read(root: &Path) -> Result<Graph, Failed> {
    let mut modules = Modules::new();
    read_file(root, &root.with_file_name(""), Names::new(), &mut modules)?;
    let mut graph = Graph::default();
    for (name, module) in &modules {
        graph.add_module(&module.file);
        let globs = module.globs.iter().map(|path| (path, true));
        let others = module.imports.values().chain(&module.paths).map(|path| (path, false));
        for (path, is_glob) in globs.chain(others) {
            let used = match resolve(path, name, &modules, 0, false) {
                Some(Target::Item(used)) => used,
                Some(Target::Module(used)) if is_glob => used,
                // The name of a module alone does not depend on the module's content.
                _ => continue,
            };
            graph.add(&module.file, &modules[&used].file, &path.join("::"));
        }
    }
    Ok(graph)
}

/// Reads the module `name` from its file, and all modules below it. The files of its children are in `folder`.
fn read_file(file: &Path, folder: &Path, name: Names, modules: &mut Modules) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let module = ["crate"].into_iter().chain(name.iter().map(String::as_str));
    let module = module.collect::<Vec<_>>().join("::");
    read_module(&syn::parse_file(&text)?.items, &module, (file, folder), name, modules)
}

fn read_module(
    items: &[syn::Item],
    module: &str,
    (file, folder): (&Path, &Path),
    name: Names,
    modules: &mut Modules,
) -> Result<(), Failed> {
    let mut content = Module { file: module.to_owned(), ..Module::default() };
    items.iter().for_each(|item| content.visit_item(item));
    let children = std::mem::take(&mut content.children);
    modules.insert(name.clone(), content);
    for child in children {
        let word = child.ident.unraw().to_string();
        let mut child_name = with(&name, &word);
        // Two files can have one name, for different features.
        while modules.contains_key(&child_name) {
            child_name = with(&name, &format!("{word} ({})", modules.len()));
        }
        let folder = folder.join(&word);
        if let Some((_, items)) = &child.content {
            read_module(items, module, (file, &folder), child_name, modules)?;
        } else if let Some(given) = path_attribute(&child.attrs) {
            let file = file.with_file_name(given);
            read_file(&file, &file.with_extension(""), child_name, modules)?;
        } else {
            let alone = folder.with_extension("rs");
            let file = if alone.exists() { alone } else { folder.join("mod.rs") };
            read_file(&file, &folder, child_name, modules)?;
        }
    }
    Ok(())
}

fn with(names: &[String], name: &str) -> Names {
    names.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the value of `#[path = "…"]`.
fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Returns whether the attributes contain `#[test]`, `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = || {
            let condition = attribute.meta.require_list().map(|list| list.tokens.to_string());
            condition.is_ok_and(|of| of == "test" || of.replace(' ', "").starts_with("all(test,"))
        };
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && is_cfg_test()
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name that an item defines.
fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

impl Module {
    fn read_use(&mut self, before: &Names, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                self.read_use(&with(before, &path.ident.to_string()), &path.tree);
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.read_use(before, tree));
            }
            syn::UseTree::Name(name) if name.ident == "self" => self.import(before.clone(), None),
            syn::UseTree::Name(name) => {
                self.import(with(before, &name.ident.to_string()), None);
            }
            syn::UseTree::Rename(renamed) => {
                let path = match renamed.ident == "self" {
                    true => before.clone(),
                    false => with(before, &renamed.ident.to_string()),
                };
                self.import(path, Some(renamed.rename.to_string()));
            }
            syn::UseTree::Glob(_) => self.globs.push(before.clone()),
        }
    }

    fn import(&mut self, path: Names, name: Option<String>) {
        match name.or_else(|| path.last().cloned()) {
            // A trait that is imported as `_`, or a name that is imported twice, in two functions.
            Some(name) if name == "_" || self.imports.contains_key(&name) => self.paths.push(path),
            Some(name) => {
                self.imports.insert(name, path);
            }
            None => {}
        }
    }

    /// Reads the paths in the arguments of a macro.
    fn read_tokens(&mut self, mut at: Cursor<'_>) {
        let mut path = Names::new();
        while !at.eof() {
            if let Some((name, next)) = at.ident() {
                path.push(name.to_string());
                at = next;
                let colons = at.punct().and_then(|(one, next)| {
                    let (two, next) = next.punct()?;
                    (one.as_char() == ':' && two.as_char() == ':').then_some(next)
                });
                match colons {
                    Some(next) if next.ident().is_some() => at = next,
                    _ => {
                        let path = std::mem::take(&mut path);
                        if path.len() > 1 {
                            self.paths.push(path);
                        }
                    }
                }
            } else if let Some((inside, _, _, next)) = at.any_group() {
                self.read_tokens(inside);
                at = next;
            } else if let Some((_, next)) = at.token_tree() {
                at = next;
            }
        }
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_item(&mut self, item: &'a syn::Item) {
        if !is_test(attributes(item)) {
            self.items.extend(name_of(item));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        self.children.push(item.clone());
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.read_use(&Names::new(), &item.tree);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        // A path of one name is an item of the module or an import, or it is the visibility `pub(super)`.
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.to_string());
            self.paths.push(names.collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'a syn::Macro) {
        self.read_tokens(TokenBuffer::new2(item.tokens.clone()).begin());
        visit::visit_macro(self, item);
    }

    fn visit_meta_list(&mut self, list: &'a syn::MetaList) {
        self.read_tokens(TokenBuffer::new2(list.tokens.clone()).begin());
        visit::visit_meta_list(self, list);
    }
}

/// Returns what `path`, written in the module `from`, refers to; `None` if that is in another crate. An item that is not
/// found in a module of this crate is one that a macro defines there, unless it `must_be_found`.
fn resolve(
    path: &[String],
    from: &Names,
    modules: &Modules,
    imports: usize,
    must_be_found: bool,
) -> Option<Target> {
    if imports > LONGEST_CHAIN {
        return None;
    }
    let (first, mut rest) = path.split_first()?;
    let mut at = match first.as_str() {
        "crate" => Names::new(),
        "self" => from.clone(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        _ => {
            rest = path;
            from.clone()
        }
    };
    while let Some((name, further)) = rest.split_first() {
        let child = with(&at, name);
        let module = modules.get(&at)?;
        // The name of a module can be that of a function, too.
        let is_other = module.items.contains(name) || module.imports.contains_key(name);
        if name == "super" {
            at.pop()?;
        } else if modules.contains_key(&child) && !(is_other && further.is_empty()) {
            at = child;
        } else if let Some(import) = module.imports.get(name).filter(|import| *import != path) {
            let path: Names = import.iter().chain(further).cloned().collect();
            return resolve(&path, &at, modules, imports + 1, must_be_found);
        } else if module.items.contains(name) {
            return Some(Target::Item(at));
        } else {
            let in_glob = |glob: &Names| {
                let Target::Module(used) = resolve(glob, &at, modules, imports + 1, true)? else {
                    return None;
                };
                let path: Names =
                    ["crate".to_owned()].iter().chain(&used).chain(rest).cloned().collect();
                (used != at).then(|| resolve(&path, &used, modules, imports + 1, true))?
            };
            let found = module.globs.iter().find_map(in_glob);
            let is_in_crate = rest.len() < path.len() && !must_be_found;
            return found.or(is_in_crate.then_some(Target::Item(at)));
        }
        rest = further;
    }
    Some(Target::Module(at))
}
