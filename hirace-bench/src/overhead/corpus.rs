//! The kernels to measure: the patterns of irregular programs, and those of the textbook.

use crate::pattern::{Label, Variant};
use hirace_core::bounded::Limit;
use hirace_core::check::file::{FileProgram, programs};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::front::rust;
use hirace_core::program::Program;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders of the textbook, below the folder of kernels. The other folders have kernels for other purposes.
const FOLDERS: [&str; 4] = ["", "parboil", "rodinia", "polybench"];

/// The start of a kernel.
const MONITOR: &str = "#[hirace::monitor";

/// The size limit of a file of kernels.
const FILE: Limit = Limit { name: "kernel limit", bytes: 1 << 20 };

/// The origin of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Corpus {
    /// The patterns of irregular programs, on graphs: data decides which words are accessed.
    Patterns,
    /// Kernels of textbooks and suites, in inferred launches.
    Textbook,
}

/// The known property of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// The kernel has no data race.
    Clean,
    /// A data race was planted in the kernel.
    Racy,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(super) enum Launches {
    /// As a variant, on graphs.
    OnGraphs(Variant),
    /// On growing grids, with inferred memory.
    Guessed,
}

/// A kernel to measure.
#[derive(Debug)]
pub struct Kernel {
    /// The name: that of a variant, or of its file and entry point.
    pub name: String,
    /// The origin.
    pub corpus: Corpus,
    /// The known property.
    pub category: Category,
    /// The program with the kernel.
    pub program: Program,
    /// The index of the entry point.
    pub entry: usize,
    /// The launches.
    pub(super) launches: Launches,
}

/// Returns the kernel of a variant.
///
/// # Errors
/// The variant does not compile, which is a bug in `hirace`.
pub fn pattern(variant: &Variant) -> Result<Kernel> {
    let name = variant.to_string();
    let mut file = rust::parse_file(&format!("{name}.rs"), &variant.render().text)?;
    let parsed = file.items.swap_remove(0)?;
    let category = match variant.label() {
        Label::Racy => Category::Racy,
        // Without its bounds check a kernel races only where an index is clamped.
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

/// Returns the files of the textbook below this folder of kernels, sorted by name.
///
/// # Errors
/// A folder cannot be read.
pub fn textbook_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for below in FOLDERS {
        let folder = folder.join(below);
        let entries = std::fs::read_dir(&folder).map_err(|error| {
            let error = Diagnostic::new(format!("cannot read {}: {error}", folder.display()));
            Box::new(error.help("pass the folder of kernels: --textbook kernels/src"))
        })?;
        let found = entries.flatten().map(|entry| entry.path());
        let mut found: Vec<PathBuf> =
            found.filter(|path| path.extension().is_some_and(|of| of == "rs")).collect();
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Returns the kernels of a file of the textbook. Generic kernels are instantiated as a check would infer.
///
/// # Errors
/// The file cannot be read, or a kernel does not compile.
pub fn textbook(path: &Path) -> Result<Vec<Kernel>> {
    let shown = path.display();
    let wrong = |error| Box::new(Diagnostic::new(format!("cannot read {shown}: {error}")));
    let bytes = FILE.file(path).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    // The folder also has files that the tests of the kernels share.
    if !text.lines().any(|line| line.starts_with(MONITOR)) {
        return Ok(Vec::new());
    }
    let file = rust::parse_file(&shown.to_string(), &text)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut kernels = Vec::new();
    for FileProgram { parsed, .. } in programs(&file, &[])? {
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

/// Returns the category of an entry point: the names of racy twins contain `racy` or `without`.
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
