//! Input files: which files the paths select, and reading them.

use hirace_core::bounded::{BASELINE, SOURCE};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::facts::replay::STANDARD_INPUT;
use hirace_core::finding::baseline::Baseline;
use hirace_core::front::Kind;
use hirace_core::preprocessing::{file_name, folder_of, sibling_text};
use hirace_core::source_map::display_path;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The path that stands for standard input.
const STDIN: &str = "-";

/// An input file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// The path, as given or as found.
    pub path: PathBuf,
    /// Whether the file was found in a folder. Such a file is skipped if it is not a kernel by itself.
    pub found: bool,
    /// The text to read instead of the contents of the file.
    pub edited: Option<Arc<str>>,
}

impl Input {
    /// Returns the input that is the file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path, found: false, edited: None }
    }

    /// Returns the name of the file in reports.
    pub fn name(&self) -> String {
        match self.is_stdin() {
            true => STANDARD_INPUT.to_owned(),
            false => file_name(&self.path),
        }
    }

    /// Returns whether the file is a program, in Rust or another language, of which only the kernels are checked.
    pub fn is_host(&self) -> bool {
        !self.is_stdin() && Kind::of(&self.path.to_string_lossy(), b"").is_host()
    }

    /// Returns the text of a file that this one refers to, from the same folder or one of its subfolders.
    pub fn sibling_name(&self, name: &str) -> Option<String> {
        sibling_text(&self.path, name)
    }

    /// Returns the path of the file on disk. Standard input may be redirected from a file too.
    pub fn on_disk(&self) -> PathBuf {
        if self.is_stdin() { PathBuf::from("/dev/stdin") } else { self.path.clone() }
    }

    fn is_stdin(&self) -> bool {
        self.path.as_os_str() == STDIN
    }

    /// Returns the folder that contains the file.
    pub fn folder(&self) -> PathBuf {
        folder_of(&self.path)
    }

    /// Reads the contents.
    pub fn read(&self) -> Result<Vec<u8>> {
        if let Some(edited) = &self.edited {
            return Ok(edited.as_bytes().to_vec());
        }
        // Standard input can be read only once, so its contents are kept.
        static STDIN_READ: Mutex<Option<Vec<u8>>> = Mutex::new(None);
        let read = match self.is_stdin() {
            true => {
                let mut known = STDIN_READ.lock().unwrap_or_else(PoisonError::into_inner);
                match &*known {
                    Some(bytes) => Ok(bytes.clone()),
                    None => SOURCE
                        .read(std::io::stdin().lock())
                        .inspect(|bytes| *known = Some(bytes.clone())),
                }
            }
            false => SOURCE.file(&self.path),
        };
        read.map_err(|error| {
            Box::new(Diagnostic::new(format!("cannot read {}: {error}", self.name())))
        })
    }
}

/// Reads the baseline at `path`.
pub fn baseline(path: &Path) -> Result<Baseline> {
    Baseline::parse(&path.display().to_string(), &BASELINE.text(path)?)
}

/// Returns the files that `paths` select: the files themselves, and all shaders and programs in folders, sorted by
/// name.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<Input>> {
    expand_to(paths, Kind::EXTENSIONS)
}

/// Returns the files that `paths` select: the files themselves, and all files with one of these endings in folders,
/// sorted by name.
pub fn expand_to(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            search(path, endings, false, &mut found)?;
            if found.is_empty() {
                let kinds: Vec<String> =
                    endings.iter().map(|ending| format!(".{ending}")).collect();
                let kinds = kinds.join(", ");
                let shown = display_path(path);
                let error = Diagnostic::new(format!("there is no file to check in {shown}"));
                return Err(Box::new(error.note(format!("looked for {kinds}"))));
            }
            found.sort();
            inputs.extend(found);
        } else {
            inputs.push(Input::new(path.clone()));
        }
    }
    Ok(inputs)
}

/// Adds the files with one of these endings in a folder and its subfolders. Programs in packages are not searched for shaders.
fn search(folder: &Path, endings: &[&str], is_package: bool, found: &mut Vec<Input>) -> Result<()> {
    let unreadable = |error: std::io::Error| {
        Box::new(Diagnostic::new(format!("cannot read {}: {error}", display_path(folder))))
    };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Links to folders are not followed, since they may form cycles. Folders that programs generate, such as
        // cargo's `target`, are skipped.
        if kind.is_dir() && !name.starts_with('.') && !path.join("CACHEDIR.TAG").exists() {
            search(&path, endings, is_package || name == "node_modules", found)?;
        } else if !kind.is_dir()
            && path.extension().is_some_and(|of| endings.iter().any(|ending| of == *ending))
            && path.is_file()
        {
            let is_host = Kind::of(&path.to_string_lossy(), b"").is_host();
            if !(is_package && is_host || is_minified(&name)) {
                found.push(Input { found: true, ..Input::new(path) });
            }
        }
    }
    Ok(())
}

/// Returns whether a file with this name is a minified script, which a program generated.
fn is_minified(name: &str) -> bool {
    [".min.js", ".min.mjs", ".min.cjs"].iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_are_minified() {
        let names = ["a.min.js", "a.min.mjs", "a.min.wgsl", "a.min.ts", "a.js"];
        assert_eq!(names.map(is_minified), [true, true, false, false, false]);
    }
}
