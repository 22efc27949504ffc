//! Which file a kernel is from that a macro has read: it knows the path as the compiler was given it, which may start from
//! a workspace, and its own text.

use super::hash;
use crate::bounded::SOURCE;
use std::env;
use std::path::{Path, PathBuf};

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its path.
    pub file: String,
    /// The hash of its text.
    pub text: String,
}

/// The text of a source file, as front ends take it: without a mark of the order of bytes.
pub fn text_of(path: &Path) -> Option<String> {
    let text = SOURCE.text(path).ok()?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The file called `name` in the folder of the package that is tested, in the working folder, or in one above, which has
/// `text` on the same lines: what is not known of it, before that, is empty lines.
pub fn find(name: &str, text: &str) -> Option<Located> {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = env::current_dir().ok();
    let starts: Vec<PathBuf> = package.into_iter().chain(here).collect();
    let folders = starts.iter().flat_map(|start| start.ancestors());
    folders.map(|folder| folder.join(name)).find_map(|path| at(&path, text))
}

fn at(path: &Path, text: &str) -> Option<Located> {
    let whole = path.is_file().then(|| text_of(path)).flatten()?;
    let known = text.trim_start_matches('\n');
    let before = text.len() - known.len();
    let start: usize = whole.split_inclusive('\n').take(before).map(str::len).sum();
    // The first line that is known may begin within one.
    let rest = whole.get(start..)?;
    let first = rest.find(known.lines().next()?)?;
    let is_there = rest.get(first..)?.starts_with(known) && !rest[..first].contains('\n');
    is_there.then(|| Located { file: path.display().to_string(), text: hash(&whole) })
}
