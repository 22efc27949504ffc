//! The files of the page, with the notes of their lines and the anchors of lines.

use super::notes;
use crate::audit::results::Audit;
use crate::report::escape::escape;
use crate::report::words::shown;
use hirace_core::cover::coverage::File as Covered;
use std::collections::BTreeMap;

/// All files of an audit.
pub(super) struct Files<'a> {
    files: Vec<File<'a>>,
}

/// A file of the page.
pub(super) struct File<'a> {
    /// The index, from 0.
    pub number: usize,
    /// The name.
    pub name: &'a str,
    /// The text, if it is available.
    pub text: Option<String>,
    /// The coverage, if the file was launched.
    pub coverage: Option<&'a Covered>,
    /// Whether only hits of lines were recorded, not counts.
    pub hits: bool,
    /// The kernels, with the number of tests that launch each.
    pub kernels: Vec<(&'a str, usize)>,
    /// The notes of each line, as HTML; notes on the whole file are at line 0.
    pub notes: BTreeMap<u32, Vec<String>>,
}

impl<'a> Files<'a> {
    /// Creates the files of an audit: launched files in the order of the coverage, then the others.
    pub fn new(audit: &'a Audit, source: &dyn Fn(&str) -> Option<String>) -> Self {
        let covered = audit.coverage.files.iter().map(|file| &file.file);
        let kernels = audit.kernels.iter().map(|kernel| &kernel.file);
        let mutants = audit.mutants.files.iter().map(|file| &file.file);
        let mutated = audit.mutants.mutants.iter().map(|mutant| &mutant.file);
        let advised = audit.advice.iter().map(|advice| &advice.file);
        let mut names: Vec<&str> = Vec::new();
        for name in covered.chain(kernels).chain(mutants).chain(mutated).chain(advised) {
            if !names.contains(&&name[..]) {
                names.push(name);
            }
        }
        let mut notes = notes::notes(audit);
        let file = |(number, name)| File {
            number,
            name,
            text: source(name),
            coverage: audit.coverage.files.iter().find(|file| file.file == name),
            hits: audit.coverage.hits,
            kernels: audit
                .kernels
                .iter()
                .filter(|kernel| kernel.file == name)
                .map(|kernel| (&kernel.name[..], kernel.tests.len()))
                .collect(),
            notes: notes.remove(name).unwrap_or_default(),
        };
        Self { files: names.into_iter().enumerate().map(file).collect() }
    }

    /// Returns the files in order.
    pub fn all(&self) -> impl Iterator<Item = &File<'a>> {
        self.files.iter()
    }

    fn named(&self, name: &str) -> Option<&File<'a>> {
        self.files.iter().find(|file| file.name == name)
    }

    /// Returns a link with the text `words` to a line, or only the text if the file is not on the page.
    pub fn link(&self, file: &str, line: u32, words: &str) -> String {
        let words = escape(&shown(words));
        match self.named(file) {
            Some(file) => format!("<a href=\"#{}\">{words}</a>", file.target(line)),
            None => words,
        }
    }

    /// Returns a link to the function of a kernel, or to its file.
    pub fn link_to_kernel(&self, file: &str, kernel: &str) -> String {
        let functions = self.named(file).and_then(|file| file.coverage);
        let functions = functions.map(|file| &file.functions[..]).unwrap_or_default();
        let function = functions.iter().find(|function| function.name == kernel);
        self.link(file, function.map_or(0, |function| function.line), kernel)
    }
}

impl File<'_> {
    /// Returns the anchor of the section.
    pub fn anchor(&self) -> String {
        format!("f{}", self.number + 1)
    }

    /// Returns the anchor of a line.
    pub fn anchor_of(&self, line: u32) -> String {
        format!("{}-{line}", self.anchor())
    }

    /// Returns the anchor of the line, or of the section if the page does not have that line.
    fn target(&self, line: u32) -> String {
        let is_shown = (1..=self.lines()).contains(&line) || self.notes.contains_key(&line);
        if line > 0 && is_shown { self.anchor_of(line) } else { self.anchor() }
    }

    /// Returns the number of lines shown.
    pub fn lines(&self) -> u32 {
        let lines = self.text.as_ref().map_or(0, |text| text.lines().count());
        u32::try_from(lines).unwrap_or(u32::MAX)
    }
}
