//! Values of other files: imported names, and files that are imported as texts.
//!
//! Only files that an import names by a path relative to the importing file are read, and modules of Python packages and Rust crates
//! that are found next to it. An imported value has the place of its use in the importing file.

use crate::evaluate::{Evaluation, Value};
use crate::expression::{Expression, ExpressionKind, Import};
use crate::names::{ImportedValue, Imports, Names};
use crate::syntax::{HostLanguage, MAX_FILE, Scan, scan};
use hirace_program::source_map::Span;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The maximum number of files that are read for one host file.
const MAX_FILES: usize = 200;

/// The maximum number of bytes of all files that are read for one host file.
const MAX_BYTES: usize = 8 << 20;

/// The maximum number of files that import one another, one after the other.
const MAX_DEPTH: usize = 8;

/// The endings of files that JavaScript imports without their endings.
const SCRIPTS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// The endings of files that bundlers import as texts.
const TEXTS: [&str; 5] = ["wgsl", "glsl", "comp", "txt", "tpl"];

/// A file that another one imports.
#[derive(Debug)]
enum ImportedFile {
    /// A text.
    Text(String),
    /// A program.
    Program { scan: Scan, language: HostLanguage, end: u32 },
}

/// The files that were read for one host file.
#[derive(Debug, Default)]
pub struct ImportedFiles {
    files: RefCell<HashMap<PathBuf, Option<Rc<ImportedFile>>>>,
    bytes: Cell<usize>,
}

/// A file that imports others.
#[derive(Clone, Copy, Debug)]
pub struct Importer<'a> {
    /// The files that were read.
    pub files: &'a ImportedFiles,
    /// The path of the importing file.
    pub path: &'a Path,
    /// The number of files between it and the host file.
    pub depth: usize,
}

impl Imports for Importer<'_> {
    fn value(&self, import: &Import, members: &[&str]) -> Option<ImportedValue> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        let mut path: Vec<&str> = import.name.iter().map(String::as_str).collect();
        path.extend(members);
        // The first name may be that of a module in the package.
        let candidates = [
            self.path_of(&import.from, None),
            match &path[..] {
                [first, ..] => self.path_of(&import.from, Some(first)),
                [] => None,
            },
        ];
        candidates.into_iter().enumerate().find_map(|(skipped, found)| {
            let found = found?;
            let own = path.get(skipped..)?;
            match &*self.files.get(&found)? {
                ImportedFile::Text(text) => {
                    let is_text = matches!(own, [] | ["default"]);
                    is_text.then(|| ImportedValue::Text(text.clone()))
                }
                ImportedFile::Program { scan, language, end } => {
                    let importer =
                        Importer { files: self.files, path: &found, depth: self.depth + 1 };
                    value_in(scan, *language, *end, own, importer)
                }
            }
        })
    }
}

impl Importer<'_> {
    /// Returns the path of an imported file. `module` is a module in the package that `from` names.
    fn path_of(&self, from: &str, module: Option<&str>) -> Option<PathBuf> {
        let folder = self.path.parent()?;
        match HostLanguage::of_file(self.path) {
            Some(HostLanguage::Python) => python_module(folder, from, module),
            Some(HostLanguage::Rust) if module.is_none() => rust_file(self.path, from),
            Some(HostLanguage::Rust) => None,
            // Markup has scripts.
            _ if module.is_none() => script(folder, from),
            _ => None,
        }
    }
}

/// Returns the value of a path of names in a program.
fn value_in(
    scan: &Scan,
    language: HostLanguage,
    end: u32,
    path: &[&str],
    importer: Importer<'_>,
) -> Option<ImportedValue> {
    let host = Span::new(end, end);
    let (first, members) = path.split_first()?;
    let name = Expression { host, kind: ExpressionKind::Name((*first).to_owned()) };
    let expression = members.iter().fold(name, |of, member| {
        let kind = ExpressionKind::Member(Box::new(of), (*member).to_owned());
        Expression { host, kind }
    });
    let names = Names::new(scan, &[], language).importing(&importer);
    let mut evaluation = Evaluation::new(&names);
    let value = evaluation.value(&expression);
    if evaluation.is_limited || !evaluation.holes.is_empty() {
        return None;
    }
    match value {
        Value::Text(text) => Some(ImportedValue::Text(text.text().to_owned())),
        Value::Number { value, is_float } => Some(ImportedValue::Number { value, is_float }),
        Value::Boolean(value) => Some(ImportedValue::Boolean(value)),
        Value::Object(_) | Value::List(_) | Value::Unknown => None,
    }
}

impl ImportedFiles {
    /// Returns a file, if it can be read.
    fn get(&self, path: &Path) -> Option<Rc<ImportedFile>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        if self.files.borrow().len() >= MAX_FILES {
            return None;
        }
        let text = read(path, MAX_FILE.min(MAX_BYTES.saturating_sub(self.bytes.get())));
        self.bytes.set(self.bytes.get() + text.as_ref().map_or(0, String::len));
        let file = text.map(|text| Rc::new(ImportedFile::new(path, text)));
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }
}

impl ImportedFile {
    fn new(path: &Path, text: String) -> Self {
        match HostLanguage::of_file(path) {
            Some(language) => {
                Self::Program { scan: scan(&text, 0, language), language, end: text.len() as u32 }
            }
            None => Self::Text(text),
        }
    }
}

/// Returns the text of a file of at most `limit` bytes.
fn read(path: &Path, limit: usize) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    // Reading a pipe may take forever.
    if !metadata.is_file() || metadata.len() > limit as u64 {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

/// Returns the file that JavaScript imports from a path. Bundlers read a part after `?`.
fn script(folder: &Path, from: &str) -> Option<PathBuf> {
    let from = from.split('?').next().unwrap_or(from);
    if !from.starts_with("./") && !from.starts_with("../") {
        return None;
    }
    let path = folder.join(from);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_known = SCRIPTS.contains(&ending) || TEXTS.contains(&ending);
    let with_ending = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    };
    let mut candidates = Vec::new();
    if is_known {
        candidates.push(path.clone());
        // TypeScript is imported by the name of the script that it becomes.
        let sources = ["ts", "tsx", "mts", "cts"].map(|source| path.with_extension(source));
        candidates.extend(sources.into_iter().filter(|_| ending.ends_with(['s', 'x'])));
    }
    candidates.extend(SCRIPTS.map(|ending| with_ending(&path, ending)));
    candidates.extend(SCRIPTS.map(|ending| path.join(format!("index.{ending}"))));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

/// Returns the file of a module of Python: `.constants` next to the importing file, or `package.constants` next to it or in a folder
/// that contains it.
fn python_module(folder: &Path, from: &str, module: Option<&str>) -> Option<PathBuf> {
    let name = from.trim_start_matches('.');
    let levels = from.len() - name.len();
    let parts = || name.split('.').chain(module).filter(|part| !part.is_empty());
    let is_name = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !parts().all(is_name) {
        return None;
    }
    let relative: PathBuf = parts().collect();
    let starts: Vec<&Path> = match levels {
        0 => folder.ancestors().take(MAX_DEPTH).collect(),
        levels => folder.ancestors().skip(levels - 1).take(1).collect(),
    };
    starts.into_iter().find_map(|start| {
        let base = start.join(&relative);
        let files = [base.with_extension("py"), base.join("__init__.py")];
        files.into_iter().find(|file| file.extension().is_some() && file.is_file())
    })
}

/// Returns the file that `include_str!` names, or that contains a module of a crate: `crate::constants`, `self::constants`.
fn rust_file(importing: &Path, from: &str) -> Option<PathBuf> {
    let folder = importing.parent()?;
    if let Some(path) = from.strip_prefix(Import::FILE) {
        return Some(folder.join(path)).filter(|path| path.is_file());
    }
    let roots = ["lib.rs", "main.rs"];
    let module = |folder: &Path, segments: &[&str]| match segments {
        [] => None,
        segments => {
            let base: PathBuf = segments.iter().fold(folder.to_owned(), |at, part| at.join(part));
            [base.with_extension("rs"), base.join("mod.rs")].into_iter().find(|file| file.is_file())
        }
    };
    let stem = importing.file_stem()?.to_str()?;
    let own = match stem {
        "lib" | "main" | "mod" => folder.to_owned(),
        stem => folder.join(stem),
    };
    let segments: Vec<&str> = from.split("::").collect();
    match segments.split_first()? {
        (&"crate", rest) => {
            let mut folders = folder.ancestors();
            let has_root = |folder: &&Path| roots.iter().any(|root| folder.join(root).is_file());
            let root = folders.find(has_root)?;
            match rest {
                [] => roots.map(|name| root.join(name)).into_iter().find(|file| file.is_file()),
                rest => module(root, rest),
            }
        }
        (&"super", _) => {
            let levels = segments.iter().take_while(|segment| **segment == "super").count();
            let parent = own.ancestors().nth(levels)?;
            match segments.get(levels..)? {
                [] => {
                    let files = [parent.with_extension("rs"), parent.join("mod.rs")];
                    let roots = roots.map(|name| parent.join(name));
                    files.into_iter().chain(roots).find(|file| file.is_file())
                }
                rest => module(parent, rest),
            }
        }
        (&"self", rest) => module(&own, rest),
        _ => module(&own, &segments),
    }
}

#[cfg(test)]
mod tests;
