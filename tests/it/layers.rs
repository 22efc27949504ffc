//! Tests that the source files of each crate depend on one another in one direction.
//!
//! - **Modules.** The children of a module, each with everything below it, do not use one another in a circle. At the top of a
//!   crate, these are its folders.
//! - **Files.** No files use one another in a circle. A module's own file may use its direct children although they use it: it
//!   combines them.
//!
//! Tests are excluded: they may use anything.

mod graph;
mod sources;

use super::support::{root, scratch};
use graph::Graph;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::thread::{self, ScopedJoinHandle};

/// Modules whose children may use one another in circles. Each is one recursion over expressions, whose cases are in several files.
const RECURSIONS: [(&str, &str); 2] =
    [("hirace_rust", "crate::lower"), ("hirace_rust", "crate::print")];

/// The minimum number of edges between files: a reader that finds no edges would find no circle.
const EDGES_AT_LEAST: usize = 4000;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("layers::no_circle_between_files", || no_circle(between_files)),
        Trial::test("layers::no_circle_between_modules", || no_circle(between_modules)),
        Trial::test("layers::each_recursion_is_one", recursions),
        Trial::test("layers::edges_of_the_workspace_are_found", edges),
        Trial::test("layers::edges_are_read_in_each_form", forms),
        Trial::test("layers::a_circle_is_found", circles),
    ]
}

fn no_circle(rule: fn(&Graph) -> Graph) -> Result<(), Failed> {
    let mut found = Vec::new();
    for (name, read) in crates()? {
        let graph = rule(read);
        let circles = graph.circles().into_iter();
        let circles = circles.filter(|circle| recursion(name, circle).is_none());
        found.extend(circles.map(|circle| format!("{name}:\n  {}", graph.describe(&circle))));
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(found.join("\n").into()),
    }
}

/// Returns the module of [`RECURSIONS`] whose children form the circle.
fn recursion(of: &str, circle: &[&str]) -> Option<&'static str> {
    let all = |within: &str| circle.iter().all(|module| parent(module) == Some(within));
    let found = RECURSIONS.iter().find(|(name, within)| *name == of && all(within));
    found.map(|(_, within)| *within)
}

fn recursions() -> Result<(), Failed> {
    let mut found = BTreeSet::new();
    for (name, read) in crates()? {
        let graph = between_files(read);
        found.extend(
            graph.circles().iter().filter_map(|circle| Some((&name[..], recursion(name, circle)?))),
        );
    }
    match found == BTreeSet::from(RECURSIONS) {
        true => Ok(()),
        false => Err(format!("only these have circles: {found:?}").into()),
    }
}

/// Returns the uses of files without those that are allowed in circles: of its direct children by the file of a module.
fn between_files(read: &Graph) -> Graph {
    let mut graph = Graph::default();
    for (module, used, paths) in
        read.edges().filter(|(module, used, _)| parent(used) != Some(module))
    {
        paths.iter().for_each(|path| graph.add(module, used, path));
    }
    graph
}

/// Returns which children of each module use which, each with everything below it.
fn between_modules(read: &Graph) -> Graph {
    let mut graph = Graph::default();
    for (module, used, paths) in read.edges() {
        let (module, used): (Vec<_>, Vec<_>) =
            (module.split("::").collect(), used.split("::").collect());
        let common = module.iter().zip(&used).take_while(|(one, other)| one == other).count();
        if common < module.len() && common < used.len() {
            let [one, other] = [&module, &used].map(|names| names[..=common].join("::"));
            paths.iter().for_each(|path| graph.add(&one, &other, path));
        }
    }
    graph
}

fn parent(module: &str) -> Option<&str> {
    module.rsplit_once("::").map(|(parent, _)| parent)
}

/// Returns which files use which, in each crate of the workspace.
fn crates() -> Result<&'static [(String, Graph)], Failed> {
    static READ: OnceLock<Result<Vec<(String, Graph)>, String>> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let text = |failed: Failed| failed.message().unwrap_or_default().to_owned();
        let roots = roots().map_err(text)?;
        thread::scope(|scope| {
            let read = |(name, root): (String, PathBuf)| {
                scope.spawn(move || Ok((name, sources::read(&root).map_err(text)?)))
            };
            let threads: Vec<_> = roots.into_iter().map(read).collect();
            let join = |thread: ScopedJoinHandle<'_, _>| thread.join().expect("no reader panics");
            threads.into_iter().map(join).collect()
        })
    });
    Ok(read.as_ref().map_err(Clone::clone)?)
}

/// Returns the name and the root file of each library and program of the workspace.
fn roots() -> Result<Vec<(String, PathBuf)>, Failed> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(root()).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let targets = list(&metadata["packages"]).into_iter().flat_map(|of| list(&of["targets"]));
    let is_tested = |of: &serde_json::Value| {
        list(&of["kind"]).iter().any(|kind| ["lib", "proc-macro", "bin"].contains(&&*text(kind)))
    };
    let roots =
        targets.filter(is_tested).map(|of| (text(&of["name"]), text(&of["src_path"]).into()));
    Ok(roots.collect())
}

/// Checks some edges that are known to exist.
fn edges() -> Result<(), Failed> {
    let crates = crates()?;
    let all: usize = crates.iter().map(|(_, graph)| graph.edges().count()).sum();
    if all < EDGES_AT_LEAST {
        return Err(format!("only {all} edges were found in {} crates", crates.len()).into());
    }
    for (name, module, used) in [
        ("hirace_core", "finding::judge", "finding::coverage"),
        ("hirace_core", "finding::judge", "facts::launch"),
        ("hirace_core", "finding::race", "finding::reason"),
        ("hirace_core", "check::file", "check"),
        ("hirace_core", "check", "check::memory"),
        ("hirace_core", "report::document", "report::label"),
        ("hirace_engine", "vm::machine::pending_request", "vm::code"),
        ("hirace_cli", "merge::campaigns", "merge"),
    ] {
        let (module, used) = (format!("crate::{module}"), format!("crate::{used}"));
        let mut graphs = crates.iter().filter(|(known, _)| known == name).map(|(_, graph)| graph);
        let is_known =
            |graph: &Graph| graph.edges().any(|(one, other, _)| one == module && other == used);
        if !graphs.any(is_known) {
            return Err(format!("{name}: {module} does not use {used}").into());
        }
    }
    let core = crates.iter().filter(|(name, _)| name == "hirace_core");
    let mut modules = core.flat_map(|(_, graph)| graph.modules());
    match modules.find(|module| module.ends_with("::tests") || module.ends_with("::fixture")) {
        Some(module) => Err(format!("tests were not excluded: {module}").into()),
        None => Ok(()),
    }
}

/// Checks the edges of a crate in which each file is used in a different way.
fn forms() -> Result<(), Failed> {
    let folder = scratch("layers");
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f; mod g; #[cfg(test)] mod tests;"),
        ("a.rs", "pub mod deep; pub use deep::Deep; pub use crate::b::*; use std::fmt::Debug;"),
        ("a/deep.rs", "pub struct Deep;"),
        ("b.rs", "use naga::Module; pub fn b(_: Module) {}"),
        // Through a re-export, and through one with `*`.
        ("c.rs", "use crate::a::Deep; fn c() { crate::a::b() }"),
        // In a macro, in an attribute, and by a name in scope.
        (
            "d.rs",
            "use super::a; #[serde(with(crate::c::C))] struct D; fn d() { vec![a::Deep, crate::b::B] }",
        ),
        // An inline module belongs to the file.
        ("e.rs", "mod inner { use super::super::d::D; } #[cfg(test)] fn e() { crate::c::c() }"),
        // The name of a module alone does not use it, and a path of another crate uses no file.
        (
            "f/mod.rs",
            "use crate::{a, b as other}; mod child; use serde::de; pub use child::child; fn f() { child::g() }",
        ),
        ("f/child.rs", "pub fn g() { super::f() } pub fn child() {}"),
        ("g.rs", "impl g::Trait for super::e::E {} fn g() { crate::f::child() }"),
    ];
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        std::fs::write(path, text)?;
    }
    let read = sources::read(&folder.join("lib.rs"))?;
    let found: Vec<_> = read
        .edges()
        .map(|(one, other, _)| format!("{one} {other}").replace("crate::", ""))
        .collect();
    let expected = [
        "a a::deep",
        "a b",
        "c a::deep",
        "c b",
        "d a::deep",
        "d b",
        "d c",
        "e d",
        "f f::child",
        "f::child f",
        "g e",
        "g f::child",
    ];
    match found == expected {
        true => Ok(()),
        false => Err(format!("{found:?}").into()),
    }
}

fn circles() -> Result<(), Failed> {
    let of = |edges: &[(&str, &str)]| {
        let mut graph = Graph::default();
        edges.iter().for_each(|(one, other)| graph.add(one, other, "path"));
        graph
    };
    let line = of(&[("crate::a", "crate::b"), ("crate::b", "crate::c"), ("crate::a", "crate::c")]);
    assert_eq!(line.circles(), Vec::<Vec<&str>>::new());
    let circle = of(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]);
    assert_eq!(circle.circles(), [["b", "c", "d", "b"]]);
    assert_eq!(
        circle.describe(&circle.circles()[0]),
        "b uses c (path);\n  c uses d (path);\n  d uses b (path)"
    );
    // A file combines its children, and not those below them.
    let combines = of(&[("crate", "crate::a"), ("crate::a", "crate")]);
    assert_eq!(between_files(&combines).circles(), Vec::<Vec<&str>>::new());
    let below = of(&[("crate", "crate::a::b"), ("crate::a::b", "crate")]);
    assert_eq!(between_files(&below).circles().len(), 1);
    // No files are in a circle, but their modules are.
    let modules = of(&[("crate::a::one", "crate::b::one"), ("crate::b::two", "crate::a::two")]);
    assert_eq!(between_files(&modules).circles(), Vec::<Vec<&str>>::new());
    assert_eq!(between_modules(&modules).circles(), [["crate::a", "crate::b", "crate::a"]]);
    Ok(())
}
