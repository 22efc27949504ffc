//! Locates the source file of a kernel that a macro has read. The kernel knows the path that the compiler received,
//! which may be relative to a workspace, and its own text.

use super::hash;
use crate::bounded::SOURCE;
use crate::source_map::display_path;
use std::env;
use std::path::{Path, PathBuf};

/// A source file that was located.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedSource {
    /// The path of the file.
    pub file: String,
    /// The hash of the text of the file.
    pub text: String,
}

/// Returns the text of a source file as front ends read it: without a byte order mark.
pub fn text_of(path: &Path) -> Option<String> {
    let text = SOURCE.text(path).ok()?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Finds a file called `name` in the folder of the tested package, in the working folder, or in one of their ancestors,
/// that has `text` on the same lines. Unknown lines before the kernel are empty in `text`.
pub fn find(name: &str, text: &str) -> Option<LocatedSource> {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = env::current_dir().ok();
    let starts: Vec<PathBuf> = package.into_iter().chain(here).collect();
    let folders = starts.iter().flat_map(|start| start.ancestors());
    folders.map(|folder| folder.join(name)).find_map(|path| at(&path, text))
}

fn at(path: &Path, text: &str) -> Option<LocatedSource> {
    let whole = path.is_file().then(|| text_of(path)).flatten()?;
    let are_alike = |(known, line): &(&str, &str)| bare(line).contains(&bare(known));
    let pairs: Vec<(&str, &str)> = text.lines().zip(whole.lines()).collect();
    let known: Vec<_> = pairs.into_iter().filter(|(known, _)| !known.trim().is_empty()).collect();
    let alike = known.iter().filter(|pair| are_alike(pair)).count();
    // Macros do not see comments, and a comment within a line splits it, so 90 % of the lines suffice.
    let is_there = !known.is_empty() && alike * 10 >= known.len() * 9;
    is_there.then(|| LocatedSource { file: display_path(path), text: hash(&whole) })
}

/// Returns a line without white space.
fn bare(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_what_a_macro_saw_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernels.rs");
        let file = "//! Kernels.\n\nmod kernels {\n    /// Doubles.\n    fn f(x: u32) -> u32 { // twice\n        2 * x\n    }\n}\n";
        std::fs::write(&path, file).unwrap();
        let seen = "\n\nmod kernels {\n\n    fn f(x: u32) -> u32 {\n        2 * x\n    }\n}";
        assert_eq!(at(&path, seen).unwrap().text, hash(file));
        assert_eq!(at(&path, &format!("\n{seen}")), None);
        assert_eq!(at(&path, ""), None);
        assert_eq!(at(&folder.path().join("other.rs"), seen), None);
    }
}
