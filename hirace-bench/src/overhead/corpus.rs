//! The kernels that are measured: the patterns of irregular programs, and the textbook's.

use super::launches::Launches;
use crate::pattern::{Label, Variant};
use hirace_core::bounded::Limit;
use hirace_core::check::file::programs;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::front::rust;
use hirace_core::program::Program;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders of the textbook, below the folder of kernels. All other folders hold kernels that show something else.
const FOLDERS: [&str; 4] = ["", "parboil", "rodinia", "polybench"];

/// How kernels begin.
const MONITOR: &str = "#[hirace::monitor";

/// Of a file with kernels.
const FILE: Limit = Limit { name: "kernel limit", bytes: 1 << 20 };

/// Where a kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Corpus {
    /// The patterns of irregular programs, on graphs: data decides which words are touched.
    Patterns,
    /// What is taught and what suites are made of, in launches that are guessed.
    Textbook,
}

/// What a kernel is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// It has no data race.
    Clean,
    /// A data race was planted in it.
    Racy,
}

/// A kernel that is to be measured.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: that of a variant, or of its file and entry point.
    pub name: String,
    /// Where it comes from.
    pub corpus: Corpus,
    /// What it is known to be.
    pub category: Category,
    /// The kernel itself, of which the entry point of this index runs.
    pub program: Program,
    /// See `program`.
    pub entry: usize,
    /// How it is launched.
    pub(super) launches: Launches,
}

/// These variants, of which one is a kernel.
///
/// # Errors
/// None, but for bugs of `hirace`.
pub fn pattern(variant: &Variant) -> Result<Kernel> {
    let name = variant.to_string();
    let mut file = rust::parse_file(&format!("{name}.rs"), &variant.render().text)?;
    let parsed = file.items.swap_remove(0)?;
    let category = match variant.label() {
        Label::Racy => Category::Racy,
        // Without its test of bounds a kernel races only where an index is clamped.
        Label::Clean | Label::BoundsOnly => Category::Clean,
    };
    Ok(Kernel {
        name,
        corpus: Corpus::Patterns,
        category,
        program: Program::new(&parsed, &BTreeMap::new())?,
        entry: 0,
        launches: Launches::OnGraphs(*variant),
    })
}

/// The textbook's files below this folder of kernels, in the order of their names.
///
/// # Errors
/// A folder cannot be read.
pub fn textbook_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for below in FOLDERS {
        let folder = folder.join(below);
        let entries = std::fs::read_dir(&folder).map_err(|error| {
            let error = Diagnostic::new(format!("cannot read {}: {error}", folder.display()));
            Box::new(error.help("say where the folder of kernels is: --textbook kernels/src"))
        })?;
        let found = entries.flatten().map(|entry| entry.path());
        let mut found: Vec<PathBuf> =
            found.filter(|path| path.extension().is_some_and(|of| of == "rs")).collect();
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// The kernels of a file of the textbook. One that is generic is the instance that a check would guess.
///
/// # Errors
/// The file cannot be read, or a kernel in it is not right.
pub fn textbook(path: &Path) -> Result<Vec<Kernel>> {
    let shown = path.display();
    let wrong = |error| Box::new(Diagnostic::new(format!("cannot read {shown}: {error}")));
    let bytes = FILE.file(path).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    // Beside kernels stands what their tests share.
    if !text.lines().any(|line| line.starts_with(MONITOR)) {
        return Ok(Vec::new());
    }
    let file = rust::parse_file(&shown.to_string(), &text)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut kernels = Vec::new();
    for (parsed, _) in programs(&file)? {
        let program = Program::new(&parsed, &BTreeMap::new())?;
        let entries: Vec<(usize, String)> =
            program.entries().map(|(entry, name)| (entry, name.to_owned())).collect();
        for (entry, entry_name) in entries {
            kernels.push(Kernel {
                name: format!("{stem}::{entry_name}"),
                corpus: Corpus::Textbook,
                category: category(&entry_name),
                program: program.clone(),
                entry,
                launches: Launches::Guessed,
            });
        }
    }
    Ok(kernels)
}

/// Twins with a planted race are called so, or by what they are without.
fn category(entry: &str) -> Category {
    match entry.split('_').any(|word| ["racy", "without"].contains(&word)) {
        true => Category::Racy,
        false => Category::Clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Data;

    fn kernels() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/src")
    }

    #[test]
    fn the_textbook_is_all_of_its_folders_and_no_other() {
        let files = textbook_files(&kernels()).unwrap();
        let has = |name: &str| files.iter().any(|file| file.ends_with(name));
        assert!(has("src/saxpy.rs") && has("parboil/sgemm.rs") && has("rodinia/lud.rs"));
        assert!(has("polybench/two_mm.rs") && !has("constructs/atomics.rs"));
    }

    #[test]
    fn kernels_of_a_file_are_clean_but_for_racy_twins() {
        let of = |file: &str| -> Vec<(String, Category)> {
            let kernels = textbook(&kernels().join(file)).unwrap();
            kernels.into_iter().map(|kernel| (kernel.name, kernel.category)).collect()
        };
        let expected = |clean: &str, racy: &str| {
            [(clean.to_owned(), Category::Clean), (racy.to_owned(), Category::Racy)]
        };
        assert_eq!(of("saxpy.rs"), expected("saxpy::clean", "saxpy::racy"));
        let racy = "tree_sum::tree_sum_without_a_barrier_in_the_loop";
        assert_eq!(of("tree_sum.rs"), expected("tree_sum::tree_sum", racy));
    }

    #[test]
    fn every_kernel_of_the_textbook_is_read_and_has_a_name_of_its_own() {
        let files = textbook_files(&kernels()).unwrap();
        let read = files.iter().flat_map(|file| match textbook(file) {
            Ok(kernels) => kernels,
            Err(error) => panic!("{}: {error}", file.display()),
        });
        let mut names: Vec<String> = read.map(|kernel| kernel.name).collect();
        let all = names.len();
        assert!(all > 150, "{all}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_pattern_is_what_was_planted_in_it() {
        let of = |name: &str| pattern(&name.parse().unwrap()).unwrap().category;
        assert_eq!(of("push_block_i32"), Category::Clean);
        assert_eq!(of("push_block_atomicBug_i32"), Category::Racy);
        let bounds = Variant::all(Data::I32).find(|of| of.label() == Label::BoundsOnly).unwrap();
        assert_eq!(pattern(&bounds).unwrap().category, Category::Clean);
    }
}
