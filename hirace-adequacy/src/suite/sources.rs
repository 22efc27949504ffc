//! Finds the files on disk that kernels come from.
//!
//! Tests identify a kernel by the file of its macro (possibly relative to the workspace), or by any name given to a
//! text.

use hirace_core::config::NearestConfigs;
use hirace_core::cover::coverage::File;
use hirace_core::cover::located::text_of;
use hirace_core::cover::{Coverage, hash};
use hirace_core::diagnostic::Result;
use hirace_core::front::{ParsedModule, rust};
use hirace_core::points::{Counts, Points};
use hirace_core::preprocessing::{Preprocessing, file_name};
use hirace_core::program::Program;
use naga::ShaderStage;
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
    *coverage = std::mem::take(coverage).sorted();
}

/// Converts names from [`assign_shard_names`] to those that [`assign_names`] gives.
pub fn finalize_names(coverage: &mut Coverage) {
    for file in &mut coverage.files {
        let bare = file.text.as_deref().and_then(|text| file.file.strip_suffix(&suffix(text)));
        if let Some(bare) = bare {
            file.file = bare.to_owned();
        }
    }
    *coverage = std::mem::take(coverage).sorted();
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
    *coverage = std::mem::take(coverage).sorted();
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

/// Adds kernels in the sources of these packages that were not launched, with counts of 0: Rust kernels, which are found by
/// their attribute, and files of shaders with compute entry points.
///
/// # Errors
/// A `hirace.toml` is invalid, which says how shaders are preprocessed.
pub fn add_unlaunched(coverage: &mut Coverage, packages: &BTreeSet<PathBuf>) -> Result<()> {
    let (mut configs, mut invalid) = (NearestConfigs::default(), None);
    let here = env::current_dir().unwrap_or_default();
    let launched = LaunchedTexts::of(coverage);
    for package in packages {
        each_file(package, &|folder| is_of_library(package, folder), &mut |path| {
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            // Programs of the package outside of `src` are not part of it.
            if is_rust && !path.starts_with(package.join("src")) {
                return;
            }
            let Some(text) = text_of(path) else { return };
            let shown = path.strip_prefix(&here).unwrap_or(path).display().to_string();
            match is_rust {
                true => add_rust_file(coverage, &shown, &text),
                false if launched.contain(&text) => {}
                false => match configs.preprocessing(path) {
                    Ok(settings) => add_shader(coverage, path, &text, &settings),
                    Err(error) => invalid = Some(error),
                },
            }
        });
    }
    invalid.map_or(Ok(()), Err)
}

/// Folders of a package that are not part of its library.
const OTHER_FOLDERS: [&str; 6] =
    ["tests", "examples", "benches", "docs", "fixtures", "node_modules"];

/// Returns whether the files in a folder may be part of the library in `package`.
fn is_of_library(package: &Path, folder: &Path) -> bool {
    let Ok(relative) = folder.strip_prefix(package) else { return false };
    let is_other = OTHER_FOLDERS.iter().any(|name| relative == Path::new(name));
    !is_other && !folder.join("Cargo.toml").is_file()
}

fn add_rust_file(coverage: &mut Coverage, shown: &str, text: &str) {
    if !text.contains("monitor") {
        return;
    }
    let Ok(file) = rust::parse_file(shown, text) else { return };
    // A model is not passed to users, so it cannot be launched.
    let is_model = |parsed: &&ParsedModule| matches!(parsed.origin.wgsl_to_publish(), Some(Err(_)));
    for parsed in file.items.iter().flatten().filter(|parsed| !is_model(parsed)) {
        add_program(coverage, parsed, text);
    }
}

/// Adds a shader. A text that is not a shader by itself (a part of others) cannot be created by tests.
fn add_shader(coverage: &mut Coverage, path: &Path, text: &str, settings: &Preprocessing) {
    let parsed = settings.parse(path, &file_name(path), text.as_bytes(), &|_, _| {});
    let Ok(parsed) = parsed else { return };
    let mut entries = parsed.module.entry_points.iter();
    if entries.any(|entry| entry.stage == ShaderStage::Compute) {
        add_program(coverage, &parsed, text);
    }
}

fn add_program(coverage: &mut Coverage, parsed: &ParsedModule, text: &str) {
    let Ok(program) = Program::new(parsed, &BTreeMap::new()) else { return };
    let points = Points::of(&program);
    let none = Counts::none(&points, true);
    let mut unlaunched = Coverage::from_counts(&program, &points, &none, &BTreeMap::new());
    for file in &mut unlaunched.files {
        // A shader may include other files.
        let included = (file.file != parsed.source.name()).then(|| text_of(Path::new(&file.file)));
        file.text = Some(hash(included.flatten().as_deref().unwrap_or(text)));
    }
    coverage.add(unlaunched);
}

/// The texts of launched shaders.
struct LaunchedTexts {
    hashes: BTreeSet<String>,
    /// The texts, as far as they are in files.
    texts: Vec<String>,
}

impl LaunchedTexts {
    fn of(coverage: &Coverage) -> Self {
        let hashes = coverage.files.iter().filter_map(|file| file.text.clone()).collect();
        let texts = coverage.files.iter().filter_map(|file| text_of(Path::new(&file.file)));
        Self { hashes, texts: texts.collect() }
    }

    /// Returns whether a text was launched, by itself or with other texts around it.
    fn contain(&self, text: &str) -> bool {
        let is_part = |whole: &String| whole.contains(text.trim());
        self.hashes.contains(&hash(text)) || self.texts.iter().any(is_part)
    }
}

/// Returns the files in a folder and its subfolders, by the hash of their text.
fn texts(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    each_file(folder, &|_| true, &mut |path| {
        if let Some(text) = text_of(path) {
            found.entry(hash(&text)).or_insert_with(|| path.to_path_buf());
        }
    });
    found
}

/// Calls `show` for the files in a folder, and in its subfolders that are `wanted`, that may contain kernels.
fn each_file(folder: &Path, wanted: &dyn Fn(&Path) -> bool, show: &mut dyn FnMut(&Path)) {
    let mut open = vec![folder.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind)
                    if kind.is_dir()
                        && (hidden || path.join("CACHEDIR.TAG").exists() || !wanted(&path)) => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const KERNEL: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i;
}
";

    /// Returns the files of a package that are listed as not launched, with their numbers of lines, after a launch of
    /// `launched`.
    fn unlaunched(files: &[(&str, &str)], launched: Option<(&str, &str)>) -> Vec<(String, u64)> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let file = launched.map(|(name, text)| File {
            file: folder.path().join(name).display().to_string(),
            text: Some(hash(text)),
            ..File::default()
        });
        let mut coverage = Coverage { files: file.into_iter().collect(), ..Coverage::default() };
        add_unlaunched(&mut coverage, &BTreeSet::from([folder.path().to_owned()])).unwrap();
        let name = |file: &File| {
            let name = Path::new(&file.file).strip_prefix(folder.path()).unwrap();
            (name.display().to_string(), file.summary().lines.total)
        };
        let is_new = |(_, lines): &(String, u64)| *lines > 0;
        coverage.files.iter().map(name).filter(is_new).collect()
    }

    #[test]
    fn shaders_that_no_test_created_are_listed() {
        let files = [
            ("src/used.wgsl", "// used\n"),
            ("src/kernels/deep.wgsl", KERNEL),
            ("shaders/other.wgsl", KERNEL),
        ];
        let listed = unlaunched(&files, Some(("src/used.wgsl", "// used\n")));
        let expected = ["shaders/other.wgsl", "src/kernels/deep.wgsl"];
        assert_eq!(listed, expected.map(|name| (name.to_owned(), 1)));
    }

    #[cfg(feature = "glsl")]
    #[test]
    fn glsl_is_preprocessed_as_the_configuration_says() {
        let kernel = "#version 450
#include \"size.glsl\"
layout(local_size_x = SIZE) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
void main() {
    result[gl_LocalInvocationIndex] = VALUE;
}
";
        let config = "[[file]]\npath = \"shaders\"\ndefine.VALUE = \"1u\"\ninclude = [\"lib\"]\n";
        let files = [
            ("shaders/fill.comp", kernel),
            ("lib/size.glsl", "#define SIZE 64\n"),
            ("hirace.toml", config),
        ];
        assert_eq!(unlaunched(&files, None), [("shaders/fill.comp".to_owned(), 1)]);
        assert!(unlaunched(&files[..2], None).is_empty());
    }

    #[test]
    fn shaders_that_a_test_created_are_not_listed_again() {
        assert!(unlaunched(&[("a.wgsl", KERNEL)], Some(("a.wgsl", KERNEL))).is_empty());
        // Under another name, and with other texts around it.
        assert!(unlaunched(&[("a.wgsl", KERNEL)], Some(("generated", KERNEL))).is_empty());
        let whole = format!("const A = 1u;\n{KERNEL}");
        let files = [("a.wgsl", KERNEL), ("target/whole.wgsl", &whole)];
        let tagged = [&files[..], &[("target/CACHEDIR.TAG", "")]].concat();
        assert!(unlaunched(&tagged, Some(("target/whole.wgsl", &whole))).is_empty());
    }

    #[test]
    fn files_that_are_no_kernels_of_the_library_are_not_listed() {
        let render = "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }";
        let files = [
            ("src/render.wgsl", render),
            ("src/part.wgsl", "fn twice(x: u32) -> u32 { return 2u * x; }"),
            ("src/template.wgsl", "#import other\n@compute fn main() {}"),
            ("tests/a.wgsl", KERNEL),
            ("examples/b.wgsl", KERNEL),
            ("member/Cargo.toml", ""),
            ("member/src/c.wgsl", KERNEL),
            ("target/CACHEDIR.TAG", ""),
            ("target/d.wgsl", KERNEL),
            (".hidden/e.wgsl", KERNEL),
        ];
        assert!(unlaunched(&files, None).is_empty());
        assert_eq!(unlaunched(&[("src/tests/a.wgsl", KERNEL)], None).len(), 1);
    }
}
