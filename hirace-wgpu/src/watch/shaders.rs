//! The source files of shader texts: a file of the application, or a file that is written so that reports can refer to
//! it.

use super::stderr::print_stderr;
use crate::forward::lock;
use hirace_core::finding::fingerprint::digest;
use hirace_terminal::file;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// The maximum number of folders and WGSL files to search.
const MAX_FILES: usize = 16384;

/// The maximum depth of the search.
const DEEPEST: usize = 12;

/// The source files of shader texts. See the [module](self).
#[derive(Debug)]
pub(crate) struct Shaders {
    folder: PathBuf,
    /// The WGSL files below the working directory, by the digest of their text.
    found: OnceLock<BTreeMap<u64, PathBuf>>,
    written: Mutex<BTreeMap<PathBuf, String>>,
    /// The original texts of mutants, by the digest of the mutant.
    originals: Mutex<BTreeMap<u64, String>>,
}

impl Shaders {
    /// Creates an instance that writes texts without a file to `folder`.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            found: OnceLock::new(),
            written: Mutex::default(),
            originals: Mutex::default(),
        }
    }

    /// Records that `mutant` runs instead of `original`, so that both have the same name.
    pub(crate) fn note_mutant(&self, mutant: &str, original: &str) {
        lock(&self.originals).insert(digest(mutant.as_bytes()), original.to_owned());
    }

    /// Returns the name of the file with this text, which belongs to a module with an optional label. The file exists
    /// after [`Shaders::write`].
    pub(crate) fn name(&self, label: Option<&str>, text: &str) -> String {
        let found = self.found.get_or_init(|| {
            let mut found = BTreeMap::new();
            let mut left = MAX_FILES;
            search(Path::new("."), &self.folder, DEEPEST, &mut left, &mut found);
            found
        });
        let original = lock(&self.originals).get(&digest(text.as_bytes())).cloned();
        let text = original.as_deref().unwrap_or(text);
        let digest = digest(text.as_bytes());
        if let Some(path) = found.get(&digest) {
            return path.display().to_string();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let label: String = label.unwrap_or("shader").chars().map(plain).take(80).collect();
        let label = label.trim_end_matches(".wgsl");
        // Labels need not be unique.
        let path = self.folder.join(format!("{label}-{:08x}.wgsl", digest >> 32));
        let name = path.display().to_string();
        lock(&self.written).entry(path).or_insert_with(|| text.to_owned());
        name
    }

    /// Writes the text with this name, if it has no file yet. An error is reported once.
    pub(crate) fn write(&self, name: &str) {
        let Some(text) = lock(&self.written).remove(Path::new(name)) else { return };
        let path = Path::new(name);
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| file::write(path, text.as_bytes())) {
            print_stderr(&format!("hirace: cannot write a shader to {name}: {error}\n"));
        }
    }
}

/// Adds the WGSL files below `folder`, except in `but` and in build folders.
fn search(
    folder: &Path,
    but: &Path,
    deepest: usize,
    left: &mut usize,
    found: &mut BTreeMap<u64, PathBuf>,
) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if *left == 0 {
            return;
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(".");
        let relative = path.strip_prefix(".").unwrap_or(&path);
        if path.is_dir() && !path.is_symlink() {
            let passed = name.starts_with('.') || name == "target" || relative == but;
            if !passed && deepest > 0 {
                *left -= 1;
                search(&path, but, deepest - 1, left, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "wgsl") && path.is_file() {
            *left -= 1;
            let Ok(text) = fs::read(&path) else { continue };
            found.entry(digest(&text)).or_insert_with(|| relative.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_a_file_are_written_on_demand() {
        let folder = tempfile::tempdir().unwrap();
        let shaders = Shaders::new(folder.path().join("shaders"));
        let name = shaders.name(Some("my shader/1"), "fn f() {}");
        assert!(name.contains("my-shader-1-") && name.ends_with(".wgsl"), "{name}");
        assert_ne!(shaders.name(Some("my shader/1"), "fn g() {}"), name);
        assert!(!Path::new(&name).exists());
        shaders.write(&name);
        assert_eq!(fs::read_to_string(&name).unwrap(), "fn f() {}");
    }

    #[test]
    fn texts_are_found_in_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("target")).unwrap();
        fs::write(folder.path().join("a.wgsl"), "fn a() {}").unwrap();
        fs::write(folder.path().join("target/b.wgsl"), "fn b() {}").unwrap();
        let mut found = BTreeMap::new();
        search(folder.path(), Path::new("out"), DEEPEST, &mut 100, &mut found);
        assert_eq!(found.into_values().collect::<Vec<_>>(), [folder.path().join("a.wgsl")]);
    }
}
