//! Programs that span several files: the files of an item and of everything it uses, as one source.

use super::compose::free::declared;
use super::compose::package::Source;
use super::lower::text;
use super::map::Map;
use super::parse::parse_printed;
use super::print::{Selection, print};
use super::template::Template;
use super::tree::Module;
use crate::diagnostic::{Diagnostic, Result};
use crate::front::Parsed;
use crate::source_map::{LineColumn, SourceMap, Span};
use rustc_hash::FxHashMap;

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
