//! The folder of a run: keeps the completed pieces of the run, so that a run that is interrupted at any moment can be
//! resumed.
//!
//! - `run.json` identifies the run. If the version, the sources or the tests are different, the pieces of the earlier
//!   run are not used.
//! - A file of lines has a line for each completed piece, appended as soon as the piece is complete.
//! - Another file has the results of the last run that was complete.
//! - `lock` is locked by the current run.
//! - `.gitignore` keeps a folder that was created for the run out of commits.

use crate::diagnostic::{Diagnostic, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The version of the folder's format.
const VERSION: u32 = 1;

/// The name of the file that identifies a run.
pub const RUN: &str = "run.json";
const LOCK: &str = "lock";
const IGNORED: &str = ".gitignore";

/// A piece of the work of a run.
pub trait Piece: Serialize + DeserializeOwned + Send {
    /// The key that identifies a piece.
    type Key: Ord + Send;

    /// The name of the file of lines.
    const LINES: &'static str;

    /// The name of the file with the results of a complete run.
    const RESULTS: &'static str;

    /// Returns the key that identifies this piece.
    fn key(&self) -> Self::Key;
}

/// The identity of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    version: u32,
    hirace: String,
    /// A hash or text of everything that the results depend on.
    of: String,
}

/// The folder of a run, locked.
#[derive(Debug)]
pub struct Folder<P: Piece> {
    path: PathBuf,
    /// Locked until the run ends, however it ends.
    _lock: File,
    lines: Option<File>,
    known: BTreeMap<P::Key, P>,
}

impl<P: Piece> Folder<P> {
    /// Opens the folder for the run that `of` identifies. The pieces of an earlier, incomplete run with the same
    /// identity are known.
    ///
    /// # Errors
    /// The folder is of another version, in use by another run, or not writable.
    pub fn open(path: &Path, of: &str) -> Result<Self> {
        Self::open_unless(path, of, &|_| None)
    }

    /// Opens the folder as [`Folder::open`] does, unless it contains a run with another identity for which `refusal`
    /// returns an error. Nothing in such a folder is changed.
    ///
    /// # Errors
    /// The same as for [`Folder::open`], and those of `refusal`.
    pub fn open_unless(
        path: &Path,
        of: &str,
        refusal: &dyn Fn(&str) -> Option<Diagnostic>,
    ) -> Result<Self> {
        let cannot = |error: io::Error| storage_error(path, &error);
        let is_made = !path.exists();
        fs::create_dir_all(path).map_err(cannot)?;
        if is_made {
            write(&path.join(IGNORED), "*\n").map_err(cannot)?;
        }
        let lock = File::create(path.join(LOCK)).map_err(cannot)?;
        if !try_lock(&lock).map_err(cannot)? {
            let error = Diagnostic::new(format!("another run uses {}", path.display()));
            let help = "wait for it to end, or choose another folder with --output";
            return Err(Box::new(error.help(help).of_device()));
        }
        let run = Run {
            version: VERSION,
            hirace: env!("CARGO_PKG_VERSION").to_owned(),
            of: of.to_owned(),
        };
        let before = match fs::read_to_string(path.join(RUN)) {
            Ok(text) => Some(serde_json::from_str::<Run>(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot(error)),
        };
        let is_other = |before: &Run| before.version != VERSION || before.hirace != run.hirace;
        if before.as_ref().is_some_and(|before| before.as_ref().is_none_or(is_other)) {
            let what = before.flatten().map_or_else(
                || "another program".to_owned(),
                |before| format!("hirace {}, format {}", before.hirace, before.version),
            );
            let error = Diagnostic::new(format!("the run in {} is from {what}", path.display()));
            return Err(Box::new(
                error.help("delete the folder, or choose another one with --output"),
            ));
        }
        let before = before.flatten();
        let is_same = before.as_ref() == Some(&run);
        if let Some(error) = before.filter(|_| !is_same).and_then(|before| refusal(&before.of)) {
            return Err(Box::new(error));
        }
        let mut known = BTreeMap::new();
        let mut whole = String::new();
        if is_same {
            let text = fs::read_to_string(path.join(P::LINES)).unwrap_or_default();
            for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                // The piece of a truncated line is done again.
                if let Ok(piece) = serde_json::from_str::<P>(line) {
                    known.insert(piece.key(), piece);
                    whole.push_str(line);
                }
            }
        }
        write(&path.join(P::LINES), &whole).map_err(cannot)?;
        let text = serde_json::to_string(&run).map_err(io::Error::other).map_err(cannot)?;
        write(&path.join(RUN), &text).map_err(cannot)?;
        let lines = File::options().append(true).open(path.join(P::LINES)).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), _lock: lock, lines: Some(lines), known })
    }

    /// Returns the results of the last complete run, as JSON.
    pub fn results(&self) -> Option<String> {
        fs::read_to_string(self.path.join(P::RESULTS)).ok()
    }

    /// Returns the piece with this key, if an earlier, interrupted run completed it.
    pub fn known(&self, key: &P::Key) -> Option<&P> {
        self.known.get(key)
    }

    /// Returns the number of known pieces.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Stores a completed piece.
    ///
    /// # Errors
    /// The folder is not writable.
    pub fn store(&mut self, piece: &P) -> Result<()> {
        let Some(file) = &mut self.lines else { return Ok(()) };
        let text = serde_json::to_string(piece).map_err(io::Error::other);
        text.and_then(|text| file.write_all(format!("{text}\n").as_bytes()))
            .map_err(|error| storage_error(&self.path, &error))
    }

    /// Stores the results of a complete run, and further files. The next run in this folder starts from the beginning.
    ///
    /// # Errors
    /// The folder is not writable.
    pub fn finish(mut self, results: &impl Serialize, beside: &[(&str, String)]) -> Result<()> {
        let mut keep = || -> io::Result<()> {
            for (name, text) in beside {
                write(&self.path.join(name), text)?;
            }
            let text = serde_json::to_string_pretty(results).map_err(io::Error::other)?;
            write(&self.path.join(P::RESULTS), &text)?;
            drop(self.lines.take());
            fs::remove_file(self.path.join(P::LINES))
        };
        keep().map_err(|error| storage_error(&self.path, &error))
    }
}

/// Returns the identity of the run that a folder contains, if it contains one.
pub fn identity(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path.join(RUN)).ok()?;
    serde_json::from_str::<Run>(&text).ok().map(|run| run.of)
}

/// The number of attempts to take a lock that another process holds, and the pause between them.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Takes a lock and returns whether that succeeded. A process that is being started briefly holds the locks of its
/// parent, even if the parent has ended, so several attempts are made.
fn try_lock(lock: &File) -> io::Result<bool> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Writes a temporary file next to `path` and renames it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("part");
    fs::write(&beside, text)?;
    fs::rename(beside, path)
}

fn storage_error(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("cannot store the run in {}: {error}", path.display()));
    Box::new(error.help("make room there, or choose another folder with --output").of_device())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Stone(String);

    impl Piece for Stone {
        type Key = String;
        const LINES: &'static str = "stones.jsonl";
        const RESULTS: &'static str = "wall.json";

        fn key(&self) -> String {
            self.0.clone()
        }
    }

    fn stone(name: &str) -> Stone {
        Stone(name.to_owned())
    }

    #[test]
    fn what_was_done_is_known_when_a_run_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let open = |of: &str| Folder::<Stone>::open(folder.path(), of);
        let mut run = open("a").unwrap();
        run.store(&stone("1")).unwrap();
        // Another run in the same folder has to wait.
        assert!(!try_lock(&File::open(folder.path().join(LOCK)).unwrap()).unwrap());
        assert!(open("a").unwrap_err().is_of_device());
        drop(run);
        // The run was interrupted in the middle of a line.
        let mut file = File::options().append(true).open(folder.path().join(Stone::LINES)).unwrap();
        file.write_all(b"\"2").unwrap();
        let mut run = open("a").unwrap();
        assert_eq!((run.known(&"1".to_owned()), run.count()), (Some(&stone("1")), 1));
        run.store(&stone("2")).unwrap();
        drop(run);
        assert_eq!(open("a").unwrap().count(), 2);
        // For other sources or tests, nothing is known.
        assert_eq!(open("b").unwrap().count(), 0);
    }

    #[test]
    fn a_run_that_ended_leaves_its_results_and_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = Folder::open(folder.path(), "a").unwrap();
        run.store(&stone("1")).unwrap();
        run.finish(&["1"], &[("more", "text".to_owned())]).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read(Stone::RESULTS).contains('1'), read("more").as_str()), (true, "text"));
        assert_eq!(Folder::<Stone>::open(folder.path(), "a").unwrap().count(), 0);
    }

    #[test]
    fn a_run_with_another_identity_may_be_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = |of: &str| {
            let refusal = |known: &str| Some(Diagnostic::new(format!("it is {known}")));
            Folder::<Stone>::open_unless(folder.path(), of, &refusal)
        };
        open("a").unwrap().store(&stone("1")).unwrap();
        assert_eq!(open("b").unwrap_err().message, "it is a");
        let run = open("a").unwrap();
        assert_eq!((run.count(), run.results()), (1, None));
        run.finish(&["1"], &[]).unwrap();
        assert_eq!(identity(folder.path()).as_deref(), Some("a"));
        assert!(open("a").unwrap().results().unwrap().contains('1'));
        assert_eq!(open("b").unwrap_err().message, "it is a");
    }

    #[test]
    fn git_ignores_a_folder_that_was_made_for_a_run_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("made");
        Folder::<Stone>::open(&made, "a").unwrap();
        assert_eq!(fs::read_to_string(made.join(IGNORED)).unwrap(), "*\n");
        Folder::<Stone>::open(folder.path(), "a").unwrap();
        assert!(!folder.path().join(IGNORED).exists());
    }

    #[test]
    fn a_folder_of_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["{\"version\":0,\"hirace\":\"0.0.1\",\"of\":\"a\"}", "what"] {
            fs::write(folder.path().join(RUN), text).unwrap();
            let error = Folder::<Stone>::open(folder.path(), "a").unwrap_err();
            assert!(error.message.starts_with("the run in"), "{error}");
            assert_eq!(fs::read_to_string(folder.path().join(RUN)).unwrap(), text);
        }
    }
}
