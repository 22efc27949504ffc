//! The module tree of a package, as far as it can be followed without a compiler. It resolves the paths in a file.
//!
//! Files are read without expanding macros and without evaluating `cfg`. Items inside a macro call or a `cfg`, and
//! items of other crates, are not found.

use super::free::{declared, path_text};
use super::known::is_root;
use super::{ForeignItem, Part, belongs_to, closure, foreign_paths, split};
use crate::find::{Scope, is_monitored};
use crate::identifier::text;
use proc_macro2::Span;
use quote::ToTokens;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path as FilePath, PathBuf};
use std::rc::Rc;
use syn::{Item, Path, UseTree};

/// The maximum number of parent directories in which the root of a package is looked for.
const MAX_PARENT_FOLDERS: usize = 16;

/// The maximum length of a file that is read, in bytes.
const MAX_FILE_LENGTH: u64 = 16 << 20;

/// A file of the package.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in reports.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The foreign paths of an item, and the items that they lead to.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// Resolved paths as written, each with the key of an item.
    pub uses: Vec<(String, String)>,
    /// The items.
    pub foreign: Vec<ForeignItem>,
    /// Paths that lead to another crate: the path as written, and the name of the crate.
    pub crates: Vec<(Path, String)>,
}

/// The package that contains a file.
pub struct Package {
    /// Texts that replace the contents of files.
    given: FxHashMap<PathBuf, String>,
    /// The folder that file names in reports are relative to.
    folder: PathBuf,
    modules: Vec<Module>,
    /// Modules by their file and their path inside it.
    by_place: FxHashMap<(PathBuf, Vec<String>), usize>,
    /// Files by the names that their tokens report.
    sources: FxHashMap<String, Source>,
    /// The standalone monitored `impl`s, by module and index. `None` until they have been looked for.
    impls: Option<Rc<[(usize, usize)]>>,
    /// The parts of monitored items, by module and index. `None` while they are computed.
    parts: FxHashMap<(usize, usize), Option<Rc<Parts>>>,
    file: PathBuf,
    /// The name of the file in reports.
    name: String,
}

struct Module {
    items: Rc<[Item]>,
    parent: Option<usize>,
    file: PathBuf,
    /// The folder of its submodules.
    folder: PathBuf,
    /// The enclosing modules in its file.
    within: Vec<String>,
    /// The index of its item in its parent, if the module is monitored.
    monitored: Option<usize>,
}

#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    foreign: Vec<ForeignItem>,
}

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item of a module, by module and index.
    Item(usize, usize),
    Crate(String),
}

impl Package {
    /// Opens the package that contains the file `name`, which is at `path` and has this text. `given` contains texts
    /// that replace other files.
    pub fn containing(
        name: &str,
        path: &FilePath,
        text: &str,
        given: &[(PathBuf, String)],
    ) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // Other files are named relative to the same folder as this one.
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

    /// Returns the files that were read, by the names that their tokens report.
    pub fn sources(&self) -> &FxHashMap<String, Source> {
        &self.sources
    }

    /// Returns the foreign paths of an item of the file, and the items that they lead to.
    pub fn dependencies_of(&mut self, item: &Item, scope: &Scope) -> Dependencies {
        let mut within = scope.modules.clone();
        if let Item::Mod(module) = item {
            within.push(text(&module.ident));
        }
        let Some(&at) = self.by_place.get(&(self.file.clone(), within)) else {
            return Dependencies::default();
        };
        let module = match scope.blocks.is_empty() {
            true => at,
            // Items in a function's body shadow those outside it.
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

    /// Adds the standalone `impl`s of all gathered types, and what these use.
    fn add_impls(&mut self, item: &Item, gathered: &mut Dependencies) {
        if gathered.foreign.is_empty() {
            return;
        }
        let itself = item.to_token_stream().to_string();
        let impls = self.impls();
        let mut left: Vec<&(usize, usize)> = impls.iter().collect();
        let mut before = usize::MAX;
        // The items that one `impl` uses may be types with further `impl`s.
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

    /// Returns what an `impl` uses, if it belongs to one of `known`.
    fn impl_of(
        &mut self,
        item: &Item,
        module: usize,
        known: &[ForeignItem],
    ) -> Option<Dependencies> {
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
        let is_known = |foreign: &ForeignItem| {
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

    /// Returns the standalone monitored `impl`s of the package.
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

    /// Returns whether a submodule or its descendants may contain `impl`s. Most contain none, and this avoids parsing
    /// them.
    fn may_have_impls(&self, parent: usize, item: &syn::ItemMod) -> bool {
        if item.content.is_some() {
            return true;
        }
        let file = self.file_of(parent, item);
        self.by_place.contains_key(&(file.clone(), Vec::new()))
            || self.text_of(&file).is_none_or(|text| may_lead_to_impls(&text))
    }

    fn gather_in(&mut self, item: &Item, module: usize) -> Dependencies {
        let mut gathered = Dependencies::default();
        for path in foreign_paths(item) {
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
            gathered.uses.push((path_text(&path), part.foreign.key.clone()));
            add(&mut gathered.foreign, closure(&part.foreign.key, &parts.parts, &parts.foreign));
        }
        gathered
    }

    /// Returns the parts that a monitored item offers to others. The item may be monitored itself or be in a monitored
    /// module.
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

    /// Resolves a path in a module. `seen` contains the lookups in progress, to stop at cycles.
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

    /// Resolves `name` in a module to one of its own items or to an import.
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
                // A function may have the same name as a sibling module; then the function is the one that is used.
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

    /// Returns whether an item of this name is declared, even if it is behind a `cfg`.
    fn declares(&self, module: usize, name: &str) -> bool {
        self.modules[module].items.iter().filter_map(declared).any(|ident| text(ident) == name)
    }

    /// Returns a submodule, inline or in a file of its own.
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

    /// Returns the path of a module's own file.
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
            let short = std::fs::metadata(file).ok()?.len() <= MAX_FILE_LENGTH;
            short.then(|| std::fs::read_to_string(file).ok()).flatten()
        };
        let source = self.given.get(file).cloned().or_else(read)?;
        Some(source.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(source))
    }

    /// Loads a file and its inline modules.
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

    /// Loads the inline modules of a file. Scopes of items are found through these.
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

    /// Finds the root of the package that contains `file`, and loads the modules on the path. Returns whether there is
    /// one.
    fn follow(&mut self, file: &FilePath) -> bool {
        let folders = file.ancestors().skip(1).take(MAX_PARENT_FOLDERS);
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

    /// Returns whether a module is a function's body. Such modules are not in `by_place`.
    fn is_block(&self, module: usize) -> bool {
        let Module { file, within, .. } = &self.modules[module];
        self.by_place.get(&(file.clone(), within.clone())) != Some(&module)
    }
}

/// Appends items that are not in the list yet.
fn add(all: &mut Vec<ForeignItem>, more: Vec<ForeignItem>) {
    for foreign in more {
        if all.iter().all(|known| known.key != foreign.key) {
            all.push(foreign);
        }
    }
}

/// Collects the paths that a `use` imports as `name`, and those that it imports with a glob.
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

/// Returns whether a text contains an `impl` or a module with a file of its own. False positives are possible.
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
