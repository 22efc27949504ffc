//! Finds the files on disk that kernels come from.
//!
//! Tests identify a kernel by the file of its macro (possibly relative to the workspace), or by any name given to a
//! text.

use hirace_core::cover::coverage::File;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::front::{ParsedModule, rust};
use hirace_core::points::{Counts, Points};
use hirace_core::program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

/// The maximum number of files searched for a text.
const MAX_FILES: usize = 10_000;

/// The endings of files whose text tests may pass on.
const ENDINGS: [&str; 5] = ["wgsl", "comp", "glsl", "spv", "rs"];

/// Replaces the name of each file by its path relative to the current folder, if a file with that text exists.
pub fn assign_names(coverage: &mut Coverage) {
    assign_paths(coverage, |_| {});
    disambiguate_names(coverage);
}

/// Does the same for a shard. Names of texts without a file get a suffix, since only the merge of all shards shows
/// whether they are unique.
pub fn assign_shard_names(coverage: &mut Coverage) {
    assign_paths(coverage, |file| file.file = with_text(file));
    *coverage = std::mem::take(coverage).in_order();
}

/// Converts names from [`assign_shard_names`] to those that [`assign_names`] gives.
pub fn finalize_names(coverage: &mut Coverage) {
    for file in &mut coverage.files {
        let bare = file.text.as_deref().and_then(|text| file.file.strip_suffix(&suffix(text)));
        if let Some(bare) = bare {
            file.file = bare.to_owned();
        }
    }
    *coverage = std::mem::take(coverage).in_order();
    disambiguate_names(coverage);
}

/// Returns the suffix that distinguishes one of several texts with the same name.
fn suffix(text: &str) -> String {
    format!("@{}", text.get(..6).unwrap_or(text))
}

fn with_text(file: &File) -> String {
    file.file.clone() + &file.text.as_deref().map(suffix).unwrap_or_default()
}

/// Distinguishes texts with the same name, which occur if tests generate texts or files change during the run.
fn disambiguate_names(coverage: &mut Coverage) {
    let several: Vec<String> =
        coverage.files_with_several_texts().into_iter().map(str::to_owned).collect();
    for file in coverage.files.iter_mut().filter(|file| several.contains(&file.file)) {
        file.file = with_text(file);
    }
    *coverage = std::mem::take(coverage).in_order();
}

/// Replaces names by paths; `other` renames files without a path.
fn assign_paths(coverage: &mut Coverage, other: impl Fn(&mut File)) {
    let here = env::current_dir().unwrap_or_default();
    let mut known: Option<BTreeMap<String, PathBuf>> = None;
    let mut named = Coverage { files: Vec::new(), ..coverage.clone() };
    for mut file in std::mem::take(&mut coverage.files) {
        // If only a part of the text is known, the file cannot be identified.
        let path = file.text.clone().and_then(|text| {
            let known = || known.get_or_insert_with(|| texts(&here)).get(&text).cloned();
            find_file(&here, &file.file, &text).or_else(known)
        });
        match path {
            Some(path) => {
                let shown = path.strip_prefix(&here).unwrap_or(&path);
                file.file = shown.display().to_string();
            }
            None => other(&mut file),
        }
        let only = Coverage { files: vec![file], ..Coverage::default() };
        // Two names of the same text are merged.
        named.add(only);
    }
    *coverage = named;
}

/// Returns the file with this name, in this folder or a parent, if it has this text.
fn find_file(here: &Path, name: &str, text: &str) -> Option<PathBuf> {
    let has_it = |path: &PathBuf| text_of(path).is_some_and(|found| hash(&found) == text);
    here.ancestors().map(|above| above.join(name)).filter(|path| path.is_file()).find(has_it)
}

/// Adds kernels in the sources of these packages that were not launched, with counts of 0. Only Rust kernels are found,
/// by their attribute.
pub fn add_unlaunched(coverage: &mut Coverage, packages: &BTreeSet<PathBuf>) {
    let here = env::current_dir().unwrap_or_default();
    for package in packages {
        each_file(&package.join("src"), &mut |path| {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let Some(text) = is_rust.then(|| text_of(path)).flatten() else { return };
            if !text.contains("monitor") {
                return;
            }
            let shown = path.strip_prefix(&here).unwrap_or(path).display().to_string();
            let Ok(file) = rust::parse_file(&shown, &text) else { return };
            // A model is not passed to users, so it cannot be launched.
            let is_model =
                |parsed: &&ParsedModule| matches!(parsed.origin.wgsl_to_publish(), Some(Err(_)));
            for parsed in file.items.iter().flatten().filter(|parsed| !is_model(parsed)) {
                let Ok(program) = Program::new(parsed, &BTreeMap::new()) else { continue };
                let points = Points::of(&program);
                let none = Counts::none(&points, true);
                let mut unlaunched =
                    Coverage::from_counts(&program, &points, &none, &BTreeMap::new());
                unlaunched.files.iter_mut().for_each(|file| file.text = Some(hash(&text)));
                coverage.add(unlaunched);
            }
        });
    }
}

/// Returns the files in a folder and its subfolders, by the hash of their text.
fn texts(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    each_file(folder, &mut |path| {
        if let Some(text) = text_of(path) {
            found.entry(hash(&text)).or_insert_with(|| path.to_path_buf());
        }
    });
    found
}

/// Calls `show` for the files in a folder and its subfolders that may contain kernels.
fn each_file(folder: &Path, show: &mut dyn FnMut(&Path)) {
    let mut open = vec![folder.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && (hidden || path.join("CACHEDIR.TAG").exists()) => {}
                Ok(kind) if kind.is_dir() => open.push(path),
                // Only regular files are read: reading a pipe may block forever.
                Ok(_)
                    if path.extension().is_some_and(|of| ENDINGS.iter().any(|e| of == *e))
                        && path.is_file() =>
                {
                    seen += 1;
                    if seen > MAX_FILES {
                        return;
                    }
                    show(&path);
                }
                _ => {}
            }
        }
    }
}
