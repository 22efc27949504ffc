//! The module tree of a package, as far as it can be followed without a compiler: what paths of a file lead to.
//!
//! Files are read as they stand. No macro is expanded and no `cfg` decided: what stands behind one is not seen, nor is
//! another crate.

use super::free::{declared, shown};
use super::known::is_root;
use super::{Foreign, Part, belongs_to, closure, outside, split};
use crate::front::rust::find::{Scope, is_monitored};
use crate::front::rust::lower::text;
use proc_macro2::Span;
use quote::ToTokens;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path as FilePath, PathBuf};
use std::rc::Rc;
use syn::{Item, Path, UseTree};

/// How far up the root of a package is looked for.
const FAR: usize = 16;

/// The longest file that is read.
const LONGEST: u64 = 16 << 20;

/// A file of the package.
#[derive(Clone, Debug)]
pub struct Source {
    /// What reports call it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What an item takes from outside, and the items that this led to.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Paths as they are written, each with the key of an item.
    pub uses: Vec<(String, String)>,
    /// The items.
    pub foreign: Vec<Foreign>,
    /// Paths that lead to another crate: as they are written, and its name.
    pub crates: Vec<(Path, String)>,
}

/// The package around a file.
pub struct Package {
    /// What stands in place of files.
    given: FxHashMap<PathBuf, String>,
    /// What is put before and taken from paths to name files.
    folder: PathBuf,
    modules: Vec<Module>,
    /// The modules whose file or place it is.
    by_place: FxHashMap<(PathBuf, Vec<String>), usize>,
    /// Files by what the tokens in them say of themselves.
    sources: FxHashMap<String, Source>,
    /// The `impl`s that are monitored by themselves, by module and index; `None` until they were looked for.
    impls: Option<Rc<[(usize, usize)]>>,
    /// What monitored items have for others, by module and index; `None` while it is looked for.
    parts: FxHashMap<(usize, usize), Option<Rc<Parts>>>,
    file: PathBuf,
    /// What that is called.
    name: String,
}

struct Module {
    items: Rc<[Item]>,
    parent: Option<usize>,
    file: PathBuf,
    /// Where the files of its modules are.
    folder: PathBuf,
    /// The modules around it in its file.
    within: Vec<String>,
    /// Whether it is monitored: the index of its item in its parent.
    monitored: Option<usize>,
}

#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    foreign: Vec<Foreign>,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item of a module.
    Item(usize, usize),
    Crate(String),
}

impl Package {
    /// The package around the file called `name`, which is at `path` and has this text, as `given` files have theirs.
    pub fn around(name: &str, path: &FilePath, text: &str, given: &[(PathBuf, String)]) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // Files are called as this one is: by the way from the same folder.
        let steps = FilePath::new(name).components().count();
        let is_named = path.ends_with(name);
        let folder = path.ancestors().nth(steps).filter(|_| is_named).map(FilePath::to_owned);
        let mut given: FxHashMap<PathBuf, String> = given.iter().cloned().collect();
        given.insert(path.clone(), text.to_owned());
        let mut package = Self {
            given,
            folder: folder.unwrap_or_default(),
            modules: Vec::new(),
            by_place: FxHashMap::default(),
            sources: FxHashMap::default(),
            impls: None,
            parts: FxHashMap::default(),
            file: path.clone(),
            name: name.to_owned(),
        };
        if !package.follow(&path) {
            package.modules.clear();
            package.by_place.clear();
            let folder = path.parent().map(FilePath::to_owned).unwrap_or_default();
            package.load(&path, folder, None);
        }
        package
    }

    /// The files that were read, by what the tokens in them say.
    pub fn sources(&self) -> &FxHashMap<String, Source> {
        &self.sources
    }

    /// What an item of the file uses.
    pub fn gather(&mut self, item: &Item, scope: &Scope) -> Gathered {
        let mut within = scope.modules.clone();
        if let Item::Mod(module) = item {
            within.push(text(&module.ident));
        }
        let Some(&at) = self.by_place.get(&(self.file.clone(), within)) else {
            return Gathered::default();
        };
        let module = match scope.blocks.is_empty() {
            true => at,
            // What stands in a function's body hides what stands around it.
            false => {
                let items: Rc<[Item]> = scope.blocks.iter().rev().flatten().cloned().collect();
                let Module { file, folder, within, .. } = &self.modules[at];
                let block = Module {
                    items,
                    parent: Some(at),
                    file: file.clone(),
                    folder: folder.clone(),
                    within: within.clone(),
                    monitored: None,
                };
                self.modules.push(block);
                self.modules.len() - 1
            }
        };
        let mut gathered = self.gather_in(item, module);
        self.add_impls(item, &mut gathered);
        gathered
    }

    /// Adds the `impl`s by themselves of all types that were gathered, and what these use.
    fn add_impls(&mut self, item: &Item, gathered: &mut Gathered) {
        if gathered.foreign.is_empty() {
            return;
        }
        let itself = item.to_token_stream().to_string();
        let impls = self.impls();
        let mut left: Vec<&(usize, usize)> = impls.iter().collect();
        let mut before = usize::MAX;
        // What one uses may be a type that others belong to.
        while before != left.len() {
            before = left.len();
            left.retain(|(module, index)| {
                let item = self.modules[*module].items[*index].clone();
                let Some(found) = self.impl_of(&item, *module, &gathered.foreign) else {
                    return true;
                };
                if item.to_token_stream().to_string() != itself {
                    add(&mut gathered.foreign, found.foreign);
                    gathered.crates.extend(found.crates);
                }
                false
            });
        }
    }

    /// An `impl` with what it uses, if it belongs to one of these.
    fn impl_of(&mut self, item: &Item, module: usize, known: &[Foreign]) -> Option<Gathered> {
        let Item::Impl(of) = item else { return None };
        let path = belongs_to(of)?;
        let Target::Item(owner, index) = self.target(module, &path, &mut FxHashSet::default())?
        else {
            return None;
        };
        if self.modules[owner].monitored.is_some() {
            return None;
        }
        let name = declared(&self.modules[owner].items[index])?;
        let is_known = |foreign: &Foreign| {
            foreign.items.iter().filter_map(declared).any(|other| other == name)
        };
        if !known.iter().any(is_known) {
            return None;
        }
        let mut gathered = self.gather_in(item, module);
        for Part { foreign, .. } in split(item, &gathered.uses) {
            let belongs = |key: &String| known.iter().any(|known| known.key == *key);
            if !foreign.of.as_ref().is_some_and(belongs) {
                return None;
            }
            gathered.foreign.push(foreign);
        }
        Some(gathered)
    }

    /// The `impl`s of the package that are monitored by themselves.
    fn impls(&mut self) -> Rc<[(usize, usize)]> {
        if let Some(known) = &self.impls {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        let mut next = vec![self.root(self.modules.len() - 1)];
        while let Some(module) = next.pop() {
            let items = Rc::clone(&self.modules[module].items);
            for (index, item) in items.iter().enumerate() {
                match item {
                    Item::Mod(inner) if self.may_have_impls(module, inner) => {
                        next.extend(self.child(module, index, inner));
                    }
                    Item::Impl(_) if is_monitored(item, &items) => found.push((module, index)),
                    _ => {}
                }
            }
        }
        let found: Rc<[_]> = found.into();
        self.impls = Some(Rc::clone(&found));
        found
    }

    /// Whether there may be `impl`s in a module in a module, or in what is in it: most have none, and are not parsed to
    /// see that.
    fn may_have_impls(&self, parent: usize, item: &syn::ItemMod) -> bool {
        if item.content.is_some() {
            return true;
        }
        let file = self.file_of(parent, item);
        self.by_place.contains_key(&(file.clone(), Vec::new()))
            || self.text_of(&file).is_none_or(|text| may_lead_to_impls(&text))
    }

    fn gather_in(&mut self, item: &Item, module: usize) -> Gathered {
        let mut gathered = Gathered::default();
        for path in outside(item) {
            let target = self.target(module, &path, &mut FxHashSet::default());
            let (owner, name) = match target {
                Some(Target::Item(module, index)) => (module, index),
                Some(Target::Crate(name)) if !is_root(&name) => {
                    gathered.crates.push((path, name));
                    continue;
                }
                _ => continue,
            };
            let Some(name_of) = declared(&self.modules[owner].items[name]).map(text) else {
                continue;
            };
            let Some(parts) = self.parts_of(owner, name) else { continue };
            let Some(part) = parts.parts.iter().find(|part| part.name == name_of) else { continue };
            gathered.uses.push((shown(&path), part.foreign.key.clone()));
            add(&mut gathered.foreign, closure(&part.foreign.key, &parts.parts, &parts.foreign));
        }
        gathered
    }

    /// What a monitored item has for others: one of a monitored module, or one that is monitored by itself.
    fn parts_of(&mut self, module: usize, index: usize) -> Option<Rc<Parts>> {
        let of = &self.modules[module];
        let (owner, at, within) = match (of.monitored, of.parent) {
            (Some(at), Some(parent)) => (parent, at, module),
            _ => (module, index, module),
        };
        if let Some(known) = self.parts.get(&(owner, at)) {
            return known.clone();
        }
        let item = self.modules[owner].items[at].clone();
        if !is_monitored(&item, &self.modules[owner].items) {
            return None;
        }
        self.parts.insert((owner, at), None);
        let gathered = self.gather_in(&item, within);
        let parts = Parts { parts: split(&item, &gathered.uses), foreign: gathered.foreign };
        let parts = Some(Rc::new(parts));
        self.parts.insert((owner, at), parts.clone());
        parts
    }

    /// What a path leads to that stands in a module. `seen` are the questions that are being answered.
    fn target(
        &mut self,
        module: usize,
        path: &Path,
        seen: &mut FxHashSet<(usize, String)>,
    ) -> Option<Target> {
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        if path.leading_colon.is_some() {
            return Some(Target::Crate(names.first()?.clone()));
        }
        if !seen.insert((module, names.join("::"))) {
            return None;
        }
        let mut names = names.into_iter();
        let first = names.next()?;
        let mut at = match first.as_str() {
            "crate" => Target::Module(self.root(module)),
            "self" => Target::Module(module),
            "super" => Target::Module(self.modules[module].parent?),
            name => match self.member(module, name, seen) {
                Some(found) => found,
                None if self.is_block(module) => {
                    let parent = self.modules[module].parent?;
                    return self.target(parent, path, seen);
                }
                None if path.segments.len() > 1 && !self.declares(module, name) => {
                    return Some(Target::Crate(first));
                }
                None => return None,
            },
        };
        for name in names {
            at = match at {
                Target::Module(module) if name == "super" => {
                    Target::Module(self.modules[module].parent?)
                }
                Target::Module(module) => self.member(module, &name, seen)?,
                other => return Some(other).filter(|other| matches!(other, Target::Crate(_))),
            };
        }
        Some(at)
    }

    /// What a module calls `name`: an item of its own, or an import.
    fn member(
        &mut self,
        module: usize,
        name: &str,
        seen: &mut FxHashSet<(usize, String)>,
    ) -> Option<Target> {
        let items = Rc::clone(&self.modules[module].items);
        let own = |item: &&Item| declared(item).is_some_and(|ident| text(ident) == name);
        let mut found = None;
        for (index, item) in items.iter().enumerate().filter(|(_, item)| own(item)) {
            match item {
                // A function may have the name of a module beside it, and is what is used of the two.
                Item::Mod(inner) => {
                    if found.is_none() {
                        found = self.child(module, index, inner).map(Target::Module);
                    }
                }
                _ => found = Some(Target::Item(module, index)),
            }
        }
        if found.is_some() {
            return found;
        }
        let (mut named, mut globs) = (Vec::new(), Vec::new());
        for item in items.iter() {
            if let Item::Use(item) = item {
                let start =
                    Path { leading_colon: item.leading_colon, segments: Default::default() };
                imports(&item.tree, &start, name, &mut named, &mut globs);
            }
        }
        for path in named {
            if let Some(target) = self.target(module, &path, seen) {
                return Some(target);
            }
        }
        for path in globs {
            if let Some(Target::Module(of)) = self.target(module, &path, seen)
                && seen.insert((of, format!("*{name}")))
                && let Some(target) = self.member(of, name, seen)
            {
                return Some(target);
            }
        }
        None
    }

    /// Whether something of this name is there, be it behind a `cfg`.
    fn declares(&self, module: usize, name: &str) -> bool {
        self.modules[module].items.iter().filter_map(declared).any(|ident| text(ident) == name)
    }

    /// A module in a module: in the same file, or in one of its own.
    fn child(&mut self, parent: usize, index: usize, item: &syn::ItemMod) -> Option<usize> {
        let name = text(&item.ident);
        if item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg")) {
            return None;
        }
        let Module { file, folder, within, .. } = &self.modules[parent];
        let (file, folder, within) = (file.clone(), folder.clone(), within.clone());
        match &item.content {
            Some((_, items)) => {
                let within: Vec<String> = within.into_iter().chain([name.clone()]).collect();
                let place = (file.clone(), within.clone());
                if let Some(known) = self.by_place.get(&place) {
                    return Some(*known);
                }
                let whole = Item::Mod(item.clone());
                let monitored = is_monitored(&whole, &self.modules[parent].items).then_some(index);
                let module = Module {
                    items: items.iter().cloned().collect(),
                    parent: Some(parent),
                    file,
                    folder: folder.join(&name),
                    within,
                    monitored,
                };
                self.modules.push(module);
                self.by_place.insert(place, self.modules.len() - 1);
                Some(self.modules.len() - 1)
            }
            None if item.attrs.iter().any(|attribute| attribute.path().is_ident("path")) => None,
            None => {
                let file = self.file_of(parent, item);
                if let Some(known) = self.by_place.get(&(file.clone(), Vec::new())) {
                    return Some(*known);
                }
                self.load(&file, folder.join(&name), Some(parent))
            }
        }
    }

    /// The file of a module that has one of its own.
    fn file_of(&self, parent: usize, item: &syn::ItemMod) -> PathBuf {
        let (folder, name) = (&self.modules[parent].folder, text(&item.ident));
        let beside = folder.join(format!("{name}.rs"));
        if self.exists(&beside) { beside } else { folder.join(&name).join("mod.rs") }
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.given.contains_key(path) || path.is_file()
    }

    fn text_of(&self, file: &FilePath) -> Option<String> {
        let read = || {
            let short = std::fs::metadata(file).ok()?.len() <= LONGEST;
            short.then(|| std::fs::read_to_string(file).ok()).flatten()
        };
        let source = self.given.get(file).cloned().or_else(read)?;
        Some(source.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(source))
    }

    /// Reads a file, and those modules in it that have no file of their own.
    fn load(&mut self, file: &FilePath, folder: PathBuf, parent: Option<usize>) -> Option<usize> {
        let source = self.text_of(file)?;
        let syntax = syn::parse_file(&source).ok()?;
        if let Some(first) = first_span(&syntax) {
            let shown = || file.strip_prefix(&self.folder).unwrap_or(file).display().to_string();
            let name = if file == self.file { self.name.clone() } else { shown() };
            self.sources.insert(first.file(), Source { name, text: source });
        }
        let module = Module {
            items: syntax.items.into(),
            parent,
            file: file.to_owned(),
            folder,
            within: Vec::new(),
            monitored: None,
        };
        self.modules.push(module);
        let at = self.modules.len() - 1;
        self.by_place.insert((file.to_owned(), Vec::new()), at);
        self.load_inner(at);
        Some(at)
    }

    /// The modules in a file are there as soon as it is: items say where they stand by these.
    fn load_inner(&mut self, module: usize) {
        let items = Rc::clone(&self.modules[module].items);
        for (index, item) in items.iter().enumerate() {
            if let Item::Mod(inner) = item
                && inner.content.is_some()
                && let Some(child) = self.child(module, index, inner)
            {
                self.load_inner(child);
            }
        }
    }

    /// Finds the root of the package that has `file`, and the modules on the way. Says whether there is one.
    fn follow(&mut self, file: &FilePath) -> bool {
        let folders = file.ancestors().skip(1).take(FAR);
        for folder in folders {
            for root in ["lib.rs", "main.rs"] {
                let root = folder.join(root);
                if self.exists(&root) && self.reaches(&root, folder, file) {
                    return true;
                }
            }
        }
        false
    }

    fn reaches(&mut self, root: &FilePath, folder: &FilePath, file: &FilePath) -> bool {
        self.modules.clear();
        self.by_place.clear();
        let Some(mut at) = self.load(root, folder.to_owned(), None) else { return false };
        if root == file {
            return true;
        }
        let Ok(way) = file.strip_prefix(folder) else { return false };
        let mut names: Vec<String> =
            way.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
        if names.last().is_some_and(|name| name == "mod") {
            names.pop();
        }
        for name in names {
            let items = Rc::clone(&self.modules[at].items);
            let child = items.iter().enumerate().find_map(|(index, item)| match item {
                Item::Mod(inner) if text(&inner.ident) == name => Some((index, inner)),
                _ => None,
            });
            let Some((index, inner)) = child else { return false };
            let Some(child) = self.child(at, index, inner) else { return false };
            at = child;
        }
        self.modules[at].file == file
    }

    fn root(&self, module: usize) -> usize {
        let mut at = module;
        while let Some(parent) = self.modules[at].parent {
            at = parent;
        }
        at
    }

    /// Whether it is a function's body: these stand in no place of their own.
    fn is_block(&self, module: usize) -> bool {
        let Module { file, within, .. } = &self.modules[module];
        self.by_place.get(&(file.clone(), within.clone())) != Some(&module)
    }
}

/// Adds items, each once.
fn add(all: &mut Vec<Foreign>, more: Vec<Foreign>) {
    for foreign in more {
        if all.iter().all(|known| known.key != foreign.key) {
            all.push(foreign);
        }
    }
}

/// The paths that a `use` imports as `name`, and those of which it imports everything.
fn imports(
    tree: &UseTree,
    before: &Path,
    name: &str,
    named: &mut Vec<Path>,
    globs: &mut Vec<Path>,
) {
    let with = |ident: &syn::Ident| {
        let mut path = before.clone();
        path.segments.push(ident.clone().into());
        path
    };
    match tree {
        UseTree::Path(path) => imports(&path.tree, &with(&path.ident), name, named, globs),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| imports(tree, before, name, named, globs));
        }
        UseTree::Glob(_) => globs.push(before.clone()),
        // `use steps::{self}`
        UseTree::Name(item) if item.ident == "self" => {
            if before.segments.last().is_some_and(|last| text(&last.ident) == name) {
                named.push(before.clone());
            }
        }
        UseTree::Name(item) if text(&item.ident) == name => named.push(with(&item.ident)),
        UseTree::Rename(item) if text(&item.rename) == name => {
            named.push(if item.ident == "self" { before.clone() } else { with(&item.ident) });
        }
        UseTree::Name(_) | UseTree::Rename(_) => {}
    }
}

/// Whether a text has an `impl`, or a module that has a file of its own. It may say so of one that has neither.
fn may_lead_to_impls(source: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_apart = |(at, word): (usize, &str)| {
        let (before, after) = (&source[..at], &source[at + word.len()..]);
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        let name = after.trim_start();
        let opens = name.trim_start_matches(is_part).trim_start().starts_with('{');
        is_word && !opens
    };
    source.contains("impl") || source.match_indices("mod").any(is_apart)
}

fn first_span(file: &syn::File) -> Option<Span> {
    let first = file.items.first()?.to_token_stream().into_iter().next()?;
    Some(first.span())
}

#[cfg(test)]
mod tests;
