//! Which files on disk kernels are from.
//!
//! Tests name a kernel by where a macro stood (a path that may start from the workspace), or by whatever they call a text.

use hirace_core::bounded::SOURCE;
use hirace_core::cover::coverage::File;
use hirace_core::cover::{Coverage, hash};
use hirace_core::front::rust;
use hirace_core::points::{Counts, Points};
use hirace_core::program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

/// How many files are looked at for the text of one.
const MOST_FILES: usize = 10_000;

/// Endings of files whose text tests may hand on.
const ENDINGS: [&str; 5] = ["wgsl", "comp", "glsl", "spv", "rs"];

/// Names each file by its path from the working folder, where there is one with that text.
pub fn name(coverage: &mut Coverage) {
    let here = env::current_dir().unwrap_or_default();
    let mut known: Option<BTreeMap<String, PathBuf>> = None;
    let mut named = Coverage { files: Vec::new(), ..coverage.clone() };
    for mut file in std::mem::take(&mut coverage.files) {
        let path = place(&here, &file).or_else(|| {
            let text = file.text.as_ref()?;
            let known = known.get_or_insert_with(|| texts(&here));
            known.get(text).cloned()
        });
        if let Some(path) = path {
            if file.text.is_none() {
                file.text = SOURCE.text(&path).ok().map(|text| hash(&text));
            }
            let shown = path.strip_prefix(&here).unwrap_or(&path);
            file.file = shown.display().to_string();
        }
        let only = Coverage { files: vec![file], ..Coverage::default() };
        // Two names of one text come together; another text of one name cannot be told apart here.
        let _ = named.add(only);
    }
    *coverage = named;
}

/// The file that is called so, here or in a folder above, if its text is that which ran.
fn place(here: &Path, file: &File) -> Option<PathBuf> {
    let is_it = |path: &PathBuf| match SOURCE.text(path) {
        Ok(text) => file.text.as_ref().is_none_or(|known| *known == hash(&text)),
        Err(_) => false,
    };
    here.ancestors().map(|above| above.join(&file.file)).filter(|path| path.is_file()).find(is_it)
}

/// Adds the kernels in the sources of these packages that nobody launched, with counts of 0: those in Rust, which are found
/// by their attribute.
pub fn add_unlaunched(coverage: &mut Coverage, packages: &BTreeSet<PathBuf>) {
    let here = env::current_dir().unwrap_or_default();
    for package in packages {
        each_file(&package.join("src"), &mut |path| {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let Some(text) = is_rust.then(|| SOURCE.text(path).ok()).flatten() else { return };
            if !text.contains("monitor") {
                return;
            }
            let shown = path.strip_prefix(&here).unwrap_or(path).display().to_string();
            let Ok(file) = rust::parse_file(&shown, &text) else { return };
            for parsed in file.items.iter().flatten() {
                let Ok(program) = Program::new(parsed, &BTreeMap::new()) else { continue };
                let points = Points::of(&program);
                let none = Counts::none(&points, true);
                let mut unlaunched = Coverage::of(&program, &points, &none, &BTreeMap::new());
                unlaunched.files.iter_mut().for_each(|file| file.text = Some(hash(&text)));
                // Of another text nothing was launched since it was written: what ran is not this.
                let _ = coverage.add(unlaunched);
            }
        });
    }
}

/// The files in a folder and in those within, by their texts.
fn texts(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    each_file(folder, &mut |path| {
        if let Ok(text) = SOURCE.text(path) {
            found.entry(hash(&text)).or_insert_with(|| path.to_path_buf());
        }
    });
    found
}

/// Shows the files in a folder, and in those within, that may hold kernels.
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
                Ok(_) if path.extension().is_some_and(|of| ENDINGS.iter().any(|e| of == *e)) => {
                    seen += 1;
                    if seen > MOST_FILES {
                        return;
                    }
                    show(&path);
                }
                _ => {}
            }
        }
    }
}
