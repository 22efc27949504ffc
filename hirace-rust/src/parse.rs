//! Converts Rust text to programs: [`lower`](super::lower) makes a tree, [`print`](mod@super::print) writes it as WGSL,
//! naga parses the WGSL, and its source locations are mapped back to the Rust text.

use super::compose::free::{declared, path_text};
use super::compose::package::{Dependencies, Package, Source};
use super::compose::{check_name, foreign_paths, is_kernel, merge_with_uses};
use super::find::{self, UnreadableItem};
use super::identifier::text;
use super::lower::lower;
use super::map::Map;
use super::print::{Selection, print};
use super::printed::parse_printed;
use super::template::Template;
use super::tree::{FunctionId, Module, Place};
use super::{delimiters, depth};
use crate::diagnostic::{Diagnostic, Result};
use crate::front::Parsed;
use crate::ir::guard;
use crate::source_map::{LineColumn, SourceMap, Span};
use proc_macro2::LineColumn as Position;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use syn::Item;

/// The result of reading a Rust file.
#[derive(Debug, Default)]
pub struct File {
    /// The source of the file.
    pub source: SourceMap,
    /// Its monitored items, in order: a program or a diagnostic for each.
    pub items: Vec<Result<Parsed>>,
    /// Its generic kernels.
    pub generic: Vec<Template>,
    /// Diagnostics for monitored items that could not be read.
    pub unseen: Vec<Diagnostic>,
}

impl File {
    /// Returns the names of its kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let generic = self.generic.iter().map(|template| template.kernel.as_str());
        self.items.iter().flatten().flat_map(Parsed::kernels).chain(generic)
    }

    /// Returns the program of the kernel `name`. A generic kernel is instantiated with `values` for its const parameters.
    pub fn kernel(self, name: &str, values: &[u32]) -> Result<Parsed> {
        if let Some(template) = self.generic.iter().find(|template| template.kernel == name) {
            return template.instance(&self.source, values);
        }
        let mut refused = None;
        for item in self.items {
            match item {
                Ok(parsed) if parsed.kernels().any(|kernel| kernel == name) => return Ok(parsed),
                Ok(_) => {}
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        let none = || Box::new(Diagnostic::new(format!("there is no kernel `{name}`")));
        Err(refused.unwrap_or_else(none))
    }
}

/// Reads the monitored items of a Rust file. `name` is the file's name in reports.
pub fn parse_file(name: &str, text: &str) -> Result<File> {
    let _span = tracing::info_span!("front", language = "Rust", bytes = text.len()).entered();
    parse_file_among(name, Path::new(name), text, &[])
}

/// Reads the monitored items of the file at `path`, like [`parse_file`]. `given` contains texts that replace files of
/// its package.
pub fn parse_file_among(
    name: &str,
    path: &Path,
    text: &str,
    given: &[(PathBuf, String)],
) -> Result<File> {
    // Parsing is recursive, so it runs on a thread with a large stack. Syntax trees cannot leave that thread.
    guard::run(|| file(name, path, text, given)).unwrap_or_else(|panic| {
        let failed = Diagnostic::new(format!("hirace failed on `{name}`"));
        let failed = failed.note(format!("panic message: {panic}"));
        Err(Box::new(failed.help("this is a bug in hirace: report it with the file")))
    })
}

fn file(name: &str, path: &Path, text: &str, given: &[(PathBuf, String)]) -> Result<File> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = SourceMap::new(name, text);
    if !find::may_have_items(text) {
        return Err(no_kernels(&source, Vec::new()));
    }
    depth::check(text, &source)?;
    let syntax = syn::parse_file(text).map_err(|error| {
        delimiters::find(&source).map_or_else(|| diagnostic(&error, &source), Box::new)
    })?;
    let found = find::find(&syntax);
    let unseen = found.unseen.iter().map(|unseen| not_seen(unseen, &source)).collect();
    let mut file = File { source: source.clone(), unseen, ..File::default() };
    let mut package = None;
    for (item, scope) in found.items.iter().zip(&found.scopes) {
        let gathered = match foreign_paths(item).is_empty() {
            true => Dependencies::default(),
            false => package
                .get_or_insert_with(|| Package::containing(name, path, text, given))
                .dependencies_of(item, scope),
        };
        if let Some((path, other)) = gathered.crates.first() {
            file.unseen.push(in_another_crate(item, path, other, &source));
            continue;
        }
        let files = Files::new(&source, package.as_ref().map(Package::sources));
        let read = check_name(item)
            .and_then(|()| lower(&merge_with_uses(item, &gathered.uses, &gathered.foreign)))
            .and_then(|module| Ok((templates(&module)?, module)));
        match read {
            Ok((templates, module)) => {
                file.generic.extend(templates.into_iter().map(|template| files.template(template)));
                if is_program(item, &module) {
                    file.items.push(files.parse(&module));
                }
            }
            Err(error) => file.items.push(Err(files.diagnostic(&error))),
        }
    }
    match file.items.is_empty() && file.generic.is_empty() {
        true => Err(no_kernels(&source, file.unseen)),
        false => Ok(file),
    }
}

fn no_kernels(source: &SourceMap, unseen: Vec<Diagnostic>) -> Box<Diagnostic> {
    let name = source.name();
    let error = Diagnostic::new(format!("`{name}` has no monitored kernel that can be checked"));
    let error = Diagnostic { source_map: Some(source.clone()), ..error };
    let labels = unseen.into_iter().flat_map(|unseen| {
        unseen.labels.into_iter().map(move |(span, _)| (span, unseen.message.clone()))
    });
    let error = labels.fold(error, |error, (span, text)| error.label(span, text));
    let help = "mark a function with `#[hirace::monitor(workgroup_size(…))]`, or a module that contains kernels with \
                `#[hirace::monitor]`";
    Box::new(error.of_no_kernel().help(help))
}

/// Returns the generic kernels of a module.
fn templates(module: &Module) -> syn::Result<Vec<Template>> {
    let all = (0..module.functions.len()).map(|id| Template::of(module, FunctionId(id)));
    all.filter_map(syn::Result::transpose).collect()
}

/// Reads one monitored item of `source`.
pub fn parse_item(source: &SourceMap, item: &syn::Item) -> Result<Parsed> {
    let module = lower(item).map_err(|error| diagnostic(&error, source))?;
    parse_module(source, &module, &Selection::All)
}

/// Returns the program of the selected kernels of a tree that was made from `source`.
pub fn parse_module(source: &SourceMap, module: &Module, selection: &Selection) -> Result<Parsed> {
    let printed = print(module, selection).map_err(|error| diagnostic(&error, source))?;
    parse_printed(source, &printed.wgsl, printed.map, &printed.names)
}

/// Returns whether an item, merged with the items that it uses, is a program of its own: a kernel, or a module with
/// kernels. A module that contains only helpers is part of the kernels that use it.
fn is_program(item: &Item, module: &Module) -> bool {
    let mut entries =
        module.functions.iter().filter_map(|function| function.entry.as_ref()).peekable();
    match item {
        Item::Mod(_) => entries.any(|entry| !entry.is_separate()),
        _ if entries.peek().is_none() => is_kernel(item),
        _ => is_kernel(item) && entries.any(|entry| !entry.is_separate()),
    }
}

fn in_another_crate(item: &Item, path: &syn::Path, other: &str, source: &SourceMap) -> Diagnostic {
    let (name, used) = (named(item), path_text(path));
    let message = format!(
        "{name} was not checked: it uses `{used}` from the crate `{other}`, which hirace does not read"
    );
    let here = path.segments.first().map_or_else(proc_macro2::Span::call_site, |s| s.ident.span());
    let help = "check it in a test of the crate, with `hirace::check`";
    Diagnostic::at(source, between(source, here.start(), here.end()), message).help(help)
}

fn not_seen(unseen: &UnreadableItem, source: &SourceMap) -> Diagnostic {
    let name = unseen.name.as_deref().map_or("a kernel".to_owned(), |name| format!("`{name}`"));
    let message = format!("{name} was not checked: it is inside `{}`", unseen.hidden_by);
    let help = "check it in a test of the crate, with `hirace::check`";
    Diagnostic::at(source, span(source, unseen.place), message).help(help)
}

fn span(source: &SourceMap, place: Place) -> Span {
    between(source, place.first.start(), place.last.end())
}

fn between(source: &SourceMap, start: Position, end: Position) -> Span {
    let offset = |at: Position| {
        source.offset(LineColumn { line: at.line as u32, column: at.column as u32 + 1 })
    };
    Span::new(offset(start), offset(end))
}

/// Converts Rust errors to a diagnostic: the first is the message, the others are labels.
pub fn diagnostic(error: &syn::Error, source: &SourceMap) -> Box<Diagnostic> {
    Files::new(source, None).diagnostic(error)
}

/// The files of a program, by the file names that their tokens report.
pub struct Files<'a> {
    main: &'a SourceMap,
    sources: Option<&'a FxHashMap<String, Source>>,
}

impl<'a> Files<'a> {
    /// Creates the files of an item of `main` that uses items in `sources`.
    pub fn new(main: &'a SourceMap, sources: Option<&'a FxHashMap<String, Source>>) -> Self {
        Self { main, sources }
    }

    /// Returns the program of all non-generic kernels of a tree.
    pub fn parse(&self, module: &Module) -> Result<Parsed> {
        let printed = print(module, &Selection::All).map_err(|error| self.diagnostic(&error))?;
        let (source, map) = self.placed(printed.map);
        parse_printed(&source, &printed.wgsl, map, &printed.names)
    }

    /// Returns a generic kernel with its source locations mapped to all files.
    pub fn template(&self, template: Template) -> Template {
        let (source, map) = self.placed(template.map);
        let source = (map.files.len() > 1).then_some(source);
        Template { map, source, ..template }
    }

    /// Returns the files of a map as one source, and the map with their display names.
    fn placed(&self, map: Map) -> (SourceMap, Map) {
        let names: Vec<String> = map.files.iter().map(|file| self.name(file)).collect();
        let mut files = vec![self.main.name().to_owned()];
        for name in &names {
            if !files.contains(name) {
                files.push(name.clone());
            }
        }
        let source = self.source(&files);
        (source, Map { files: names, ..map }.with_files(&files))
    }

    fn name(&self, file: &str) -> String {
        let source = self.sources.and_then(|sources| sources.get(file));
        source.map_or(self.main.name(), |source| &source.name).to_owned()
    }

    /// Returns a source of these files. The first is the file of the item.
    fn source(&self, files: &[String]) -> SourceMap {
        if files.len() < 2 {
            return self.main.clone();
        }
        let text = |name: &String| {
            let mut sources = self.sources.into_iter().flat_map(FxHashMap::values);
            let found = sources.find(|source| source.name == *name && name != self.main.name());
            found.map_or(self.main.text(), |source| &source.text)
        };
        let texts = files.iter().map(|name| (name.as_str(), text(name)));
        SourceMap::of_files(self.main.name(), texts)
    }

    /// Converts Rust errors to a diagnostic: the first is the message, the others are labels.
    pub fn diagnostic(&self, error: &syn::Error) -> Box<Diagnostic> {
        let errors: Vec<syn::Error> = error.clone().into_iter().collect();
        let mut files = vec![self.main.name().to_owned()];
        for error in &errors {
            let name = self.name(&error.span().file());
            if !files.contains(&name) {
                files.push(name);
            }
        }
        let source = self.source(&files);
        let at = |error: &syn::Error| {
            let file = self.name(&error.span().file());
            let offset = |at: proc_macro2::LineColumn| {
                let (line, column) = (at.line as u32, at.column as u32 + 1);
                source.offset_in(&file, LineColumn { line, column })
            };
            Span::new(offset(error.span().start()), offset(error.span().end()))
        };
        let Some(first) = errors.first() else {
            return Box::new(Diagnostic::new(error.to_string()));
        };
        let diagnostic = Diagnostic::at(&source, at(first), first.to_string());
        Box::new(
            errors[1..].iter().fold(diagnostic, |diagnostic, error| {
                diagnostic.label(at(error), error.to_string())
            }),
        )
    }
}

/// Returns the name of an item for messages.
pub fn named(item: &syn::Item) -> String {
    declared(item).map_or("a kernel".to_owned(), |name| format!("`{}`", text(name)))
}
