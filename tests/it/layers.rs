//! Tests that the files of hirace-engine and hirace-core depend on each other in one direction: there is no cycle between the
//! files of a folder, and none between folders. The dependencies of a file are read from its paths (`crate::…`, `super::…`),
//! through re-exports to the module that defines a name. Tests are excluded: they may use anything.

use super::support::root;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;
use syn::visit::{self, Visit};

/// The folders that are checked for cycles, each with a minimum number of edges: a reader that finds no edges would find no
/// cycle.
const FOLDERS: [(&str, usize); 7] = [
    ("amplify", 20),
    ("facts", 15),
    ("observe", 12),
    ("launch", 20),
    ("finding", 50),
    ("check", 12),
    ("report", 40),
];

/// The minimum number of edges between files, in both crates together.
const FILES_AT_LEAST: usize = 500;
const FOLDERS_AT_LEAST: usize = 20;

/// A dependency graph: files, or folders, and what each of them uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = FOLDERS
        .iter()
        .map(|&(folder, least)| {
            let name = format!("layers::no_circle_between_the_files_of_{folder}");
            Trial::test(name, move || files_of(folder, least))
        })
        .collect();
    trials.extend([
        Trial::test("layers::no_circle_between_folders", folders),
        Trial::test("layers::edges_are_read_through_re_exports", edges),
        Trial::test("layers::a_circle_is_found", circles),
    ]);
    trials
}

fn files_of(folder: &str, least: usize) -> Result<(), Failed> {
    let inside = |file: &String| file.split('/').next() == Some(folder) && file.contains('/');
    let files = graph()?.into_iter().filter(|(file, _)| inside(file));
    let files = files.map(|(file, uses)| (file, uses.into_iter().filter(inside).collect()));
    none(&files.collect(), least)
}

fn folders() -> Result<(), Failed> {
    let graph = graph()?;
    let all: usize = graph.values().map(BTreeSet::len).sum();
    if all < FILES_AT_LEAST {
        return Err(format!("only {all} edges between files were found").into());
    }
    let folder = |file: &str| file.split('/').next().unwrap_or_default().to_owned();
    let mut folders = Graph::new();
    for (file, uses) in &graph {
        let own = folder(file);
        let others = uses.iter().map(|used| folder(used)).filter(|other| *other != own);
        folders.entry(own.clone()).or_default().extend(others);
    }
    none(&folders, FOLDERS_AT_LEAST)
}

/// Checks some edges that are known to exist, each of which is read in a different way.
fn edges() -> Result<(), Failed> {
    let graph = graph()?;
    for (file, used) in [
        ("finding/judge.rs", "finding/coverage.rs"),
        ("finding/judge.rs", "facts/launch.rs"),
        ("finding/race.rs", "finding/suggest/mod.rs"),
        ("check/file.rs", "check/mod.rs"),
        ("check/mod.rs", "check/memory.rs"),
        ("report/document.rs", "report/words/label.rs"),
    ] {
        if !graph.get(file).is_some_and(|uses| uses.contains(used)) {
            return Err(format!("{file} uses {:?}, and not {used}", graph.get(file)).into());
        }
    }
    match graph.keys().any(|file| file.contains("tests") || file.contains("fixture")) {
        true => Err("tests were not excluded".into()),
        false => Ok(()),
    }
}

fn circles() -> Result<(), Failed> {
    let of = |edges: &[(&str, &str)]| -> Graph {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    let line = of(&[("a", "b"), ("b", "c"), ("a", "c")]);
    let circle = of(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]);
    if circle_in(&line).is_some() || circle_in(&circle) != Some(vec!["b", "c", "d", "b"]) {
        return Err(format!("{:?}, {:?}", circle_in(&line), circle_in(&circle)).into());
    }
    Ok(())
}

/// Fails unless `graph` has at least `least` edges and no cycle.
fn none(graph: &Graph, least: usize) -> Result<(), Failed> {
    let edges: usize = graph.values().map(BTreeSet::len).sum();
    if edges < least {
        return Err(format!("only {edges} edges were found, expected at least {least}").into());
    }
    match circle_in(graph) {
        None => Ok(()),
        Some(circle) => Err(circle.join(" uses ").into()),
    }
}

/// Returns a cycle: its members in order, with the first repeated at the end.
fn circle_in(graph: &Graph) -> Option<Vec<&str>> {
    fn from<'a>(
        at: &'a str,
        graph: &'a Graph,
        way: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<Vec<&'a str>> {
        if let Some(start) = way.iter().position(|passed| *passed == at) {
            return Some(way[start..].iter().copied().chain([at]).collect());
        }
        if !done.insert(at) {
            return None;
        }
        way.push(at);
        let found = graph.get(at).into_iter().flatten().find_map(|to| from(to, graph, way, done));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|at| from(at, graph, &mut Vec::new(), &mut done))
}

/// A module, as its path from the crate root.
type Module = Vec<String>;

/// The parsed paths and imports of a file.
struct Source {
    file: String,
    /// Paths as written in the source.
    paths: Vec<Module>,
    /// The names that `use` declarations introduce, and what they refer to.
    names: BTreeMap<String, Module>,
}

/// Returns the dependency graph of the files of both crates. Their module names do not overlap, and hirace-core re-exports the
/// modules of hirace-engine, so both are read as one crate.
fn graph() -> Result<Graph, Failed> {
    static READ: OnceLock<Result<Graph, String>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        read_all().map_err(|failed| failed.message().unwrap_or_default().to_owned())
    });
    Ok(read.clone()?)
}

fn read_all() -> Result<Graph, Failed> {
    let mut modules = BTreeMap::new();
    for src in ["hirace-engine/src", "hirace-core/src"].map(|src| root().join(src)) {
        read(&src, &src.join("lib.rs"), Vec::new(), &mut modules)?;
    }
    let mut graph = Graph::new();
    for (module, source) in &modules {
        let uses = source.paths.iter().filter_map(|path| defined_in(path, module, &modules, 0));
        let uses = uses.map(|used| modules[&used].file.clone());
        let others = uses.filter(|used| *used != source.file && used != "lib.rs").collect();
        if source.file != "lib.rs" {
            graph.insert(source.file.clone(), others);
        }
    }
    Ok(graph)
}

/// Reads the file of `module` and the files of its children, without tests.
fn read(
    src: &Path,
    path: &Path,
    module: Module,
    modules: &mut BTreeMap<Module, Source>,
) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let parsed = syn::parse_file(&text)?;
    let file = path.strip_prefix(src)?.to_string_lossy().replace('\\', "/");
    let mut reader = Reader { source: Source { file, paths: vec![], names: BTreeMap::new() } };
    reader.visit_file(&parsed);
    modules.insert(module.clone(), reader.source);
    let is_root = path.ends_with("lib.rs") || path.ends_with("mod.rs");
    let folder = if is_root { path.with_file_name("") } else { path.with_extension("") };
    for item in &parsed.items {
        let syn::Item::Mod(child) = item else { continue };
        if child.content.is_some() || is_test(&child.attrs) {
            continue;
        }
        let name = child.ident.to_string();
        let alone = folder.join(format!("{name}.rs"));
        let path = if alone.exists() { alone } else { folder.join(&name).join("mod.rs") };
        let module = module.iter().cloned().chain([name]).collect();
        read(src, &path, module, modules)?;
    }
    Ok(())
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = || attribute.parse_args::<syn::Path>().is_ok_and(|cfg| cfg.is_ident("test"));
        attribute.path().is_ident("cfg") && is_test()
    })
}

/// A visitor that gathers the paths of a file outside its tests.
struct Reader {
    source: Source,
}

impl Reader {
    fn tree(&mut self, before: &Module, tree: &syn::UseTree) {
        let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect();
        match tree {
            syn::UseTree::Path(path) => self.tree(&with(&path.ident), &path.tree),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(before, tree));
            }
            syn::UseTree::Name(name) if name.ident == "self" => self.named(before.clone(), None),
            syn::UseTree::Name(name) => self.named(with(&name.ident), None),
            syn::UseTree::Rename(renamed) => {
                self.named(with(&renamed.ident), Some(renamed.rename.to_string()));
            }
            syn::UseTree::Glob(_) => self.source.paths.push(before.clone()),
        }
    }

    fn named(&mut self, path: Module, name: Option<String>) {
        let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
        self.source.names.insert(name, path.clone());
        self.source.paths.push(path);
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.tree(&Vec::new(), &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let first = path.segments.first().map(|segment| segment.ident.to_string());
        // A path with only this segment belongs to a visibility: `pub(super)`.
        let leads_on = path.segments.len() > 1;
        if leads_on && first.is_some_and(|first| first == "crate" || first == "super") {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string());
            self.source.paths.push(segments.collect());
        }
        visit::visit_path(self, path);
    }
}

/// Returns the module that defines what `path`, written in `module`, refers to; `None` for other crates.
fn defined_in(
    path: &Module,
    module: &Module,
    modules: &BTreeMap<Module, Source>,
    depth: usize,
) -> Option<Module> {
    let (first, mut rest) = path.split_first()?;
    let mut at = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.clone(),
        "super" => module[..module.len().checked_sub(1)?].to_vec(),
        child => {
            let child: Module = module.iter().cloned().chain([child.to_owned()]).collect();
            modules.contains_key(&child).then_some(child)?
        }
    };
    while let Some((next, further)) = rest.split_first() {
        if next == "super" {
            at.pop()?;
        } else {
            let child: Module = at.iter().cloned().chain([next.clone()]).collect();
            if !modules.contains_key(&child) {
                break;
            }
            at = child;
        }
        rest = further;
    }
    let source = modules.get(&at)?;
    match rest.first().and_then(|name| source.names.get(name)) {
        Some(from) if depth < 8 && at != *module => {
            let from = from.iter().chain(&rest[1..]).cloned().collect();
            defined_in(&from, &at, modules, depth + 1)
        }
        _ => Some(at),
    }
}
