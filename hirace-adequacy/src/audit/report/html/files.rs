//! The files of the page, with what is noted of their lines, and where a line is found.

use super::margin;
use crate::audit::results::Audit;
use crate::report::escape::escaped;
use crate::report::words::shown;
use hirace_core::cover::coverage::File as Covered;
use std::collections::BTreeMap;

/// All files that something is known of.
pub(super) struct Files<'a> {
    files: Vec<File<'a>>,
}

/// A file.
pub(super) struct File<'a> {
    /// Which, from 0.
    pub number: usize,
    /// What it is called.
    pub name: &'a str,
    /// Its text, if that can be had.
    pub text: Option<String>,
    /// What of it ran, if it was launched.
    pub covered: Option<&'a Covered>,
    /// Whether it is only known of its lines that they ran.
    pub hits: bool,
    /// Kernels, with the number of tests that launch each.
    pub kernels: Vec<(&'a str, usize)>,
    /// What is noted of each line, as HTML; of the file as a whole at 0.
    pub notes: BTreeMap<u32, Vec<String>>,
}

impl<'a> Files<'a> {
    /// Those of an audit, in the order of their coverage; those that were not launched behind them.
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
        let mut notes = margin::notes(audit);
        let file = |(number, name)| File {
            number,
            name,
            text: source(name),
            covered: audit.coverage.files.iter().find(|file| file.file == name),
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

    /// In order.
    pub fn all(&self) -> impl Iterator<Item = &File<'a>> {
        self.files.iter()
    }

    fn named(&self, name: &str) -> Option<&File<'a>> {
        self.files.iter().find(|file| file.name == name)
    }

    /// A link to a line with these words, as far as there is something to link to.
    pub fn link(&self, file: &str, line: u32, words: &str) -> String {
        let words = escaped(&shown(words));
        match self.named(file) {
            Some(file) => format!("<a href=\"#{}\">{words}</a>", file.target(line)),
            None => words,
        }
    }

    /// A link to the function of a kernel, or to its file.
    pub fn link_to_kernel(&self, file: &str, kernel: &str) -> String {
        let functions = self.named(file).and_then(|file| file.covered);
        let functions = functions.map(|file| &file.functions[..]).unwrap_or_default();
        let function = functions.iter().find(|function| function.name == kernel);
        self.link(file, function.map_or(0, |function| function.line), kernel)
    }
}

impl File<'_> {
    /// Where its section begins.
    pub fn anchor(&self) -> String {
        format!("f{}", self.number + 1)
    }

    /// Where one of its lines is.
    pub fn anchor_of(&self, line: u32) -> String {
        format!("{}-{line}", self.anchor())
    }

    /// The line, or the section, if the page does not have that line.
    fn target(&self, line: u32) -> String {
        let is_shown = (1..=self.lines()).contains(&line) || self.notes.contains_key(&line);
        if line > 0 && is_shown { self.anchor_of(line) } else { self.anchor() }
    }

    /// How many lines of it are shown.
    pub fn lines(&self) -> u32 {
        let lines = self.text.as_ref().map_or(0, |text| text.lines().count());
        u32::try_from(lines).unwrap_or(u32::MAX)
    }
}
