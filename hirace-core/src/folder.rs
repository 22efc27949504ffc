//! The folder of a run: what was done so far, so that a run that is ended at any moment goes on where it was.
//!
//! - `run.json` says what the run is of: of another version, other sources or other tests, what was done is not taken.
//! - a file of lines has one for each thing that is done, added as soon as it is.
//! - another has the results of the last run that ended.
//! - `lock` is held by the run that is going on.
//! - `.gitignore` keeps a folder that was made for the run out of commits.

use crate::diagnostic::{Diagnostic, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The version of what is in such a folder.
const VERSION: u32 = 1;

const RUN: &str = "run.json";
const LOCK: &str = "lock";
const IGNORED: &str = ".gitignore";

/// One of the things that a run does.
pub trait Piece: Serialize + DeserializeOwned + Send {
    /// What tells it from others.
    type Key: Ord + Send;

    /// The file of lines.
    const LINES: &'static str;

    /// The file with the results of a run that ended.
    const RESULTS: &'static str;

    /// What tells this one from others.
    fn key(&self) -> Self::Key;
}

/// What a run is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    version: u32,
    hirace: String,
    /// Everything that what is done hangs on.
    of: String,
}

/// The folder of a run.
#[derive(Debug)]
pub struct Folder<P: Piece> {
    path: PathBuf,
    /// Held until the run ends, however it does.
    _lock: File,
    lines: Option<File>,
    known: BTreeMap<P::Key, P>,
}

impl<P: Piece> Folder<P> {
    /// Opens the folder for a run of what `of` says. What an earlier run of the same did and did not end with is known.
    ///
    /// # Errors
    /// It is another version's, used by another run, or cannot be written to.
    pub fn open(path: &Path, of: &str) -> Result<Self> {
        let cannot = |error: io::Error| cannot(path, &error);
        let is_made = !path.exists();
        fs::create_dir_all(path).map_err(cannot)?;
        if is_made {
            write(&path.join(IGNORED), "*\n").map_err(cannot)?;
        }
        let lock = File::create(path.join(LOCK)).map_err(cannot)?;
        if !hold(&lock).map_err(cannot)? {
            let error = Diagnostic::new(format!("another run uses {}", path.display()));
            let help = "wait for it, or give this one a folder: --output";
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
                || "of something else".to_owned(),
                |before| format!("of hirace {}, format {}", before.hirace, before.version),
            );
            let error = Diagnostic::new(format!("the run in {} is {what}", path.display()));
            return Err(Box::new(error.help("delete the folder, or give another one: --output")));
        }
        let is_same = before.flatten().as_ref() == Some(&run);
        let mut known = BTreeMap::new();
        let mut whole = String::new();
        if is_same {
            let text = fs::read_to_string(path.join(P::LINES)).unwrap_or_default();
            for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                // A line that was cut off is done anew.
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

    /// What is known by a run that was ended early.
    pub fn known(&self, key: &P::Key) -> Option<&P> {
        self.known.get(key)
    }

    /// How much is known.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Keeps what is done.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn done(&mut self, piece: &P) -> Result<()> {
        let Some(file) = &mut self.lines else { return Ok(()) };
        let text = serde_json::to_string(piece).map_err(io::Error::other);
        text.and_then(|text| file.write_all(format!("{text}\n").as_bytes()))
            .map_err(|error| cannot(&self.path, &error))
    }

    /// Keeps the results of a run that did all of it, and files beside: a run after this one begins anew.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn end(mut self, results: &impl Serialize, beside: &[(&str, String)]) -> Result<()> {
        let mut keep = || -> io::Result<()> {
            for (name, text) in beside {
                write(&self.path.join(name), text)?;
            }
            let text = serde_json::to_string_pretty(results).map_err(io::Error::other)?;
            write(&self.path.join(P::RESULTS), &text)?;
            drop(self.lines.take());
            fs::remove_file(self.path.join(P::LINES))
        };
        keep().map_err(|error| cannot(&self.path, &error))
    }
}

/// How often a lock is asked for that somebody else holds, and how long one waits between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Holds a lock, unless somebody else does. A process that is being started holds what its parent does for a moment, also
/// if that has ended.
fn hold(lock: &File) -> io::Result<bool> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

/// Writes a file beside, and renames it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("part");
    fs::write(&beside, text)?;
    fs::rename(beside, path)
}

fn cannot(path: &Path, error: &io::Error) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("the run cannot be kept in {}: {error}", path.display()));
    Box::new(error.help("make room there, or give another folder: --output").of_device())
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
        run.done(&stone("1")).unwrap();
        // Another run of the same folder has to wait.
        assert!(!hold(&File::open(folder.path().join(LOCK)).unwrap()).unwrap());
        assert!(open("a").unwrap_err().is_of_device());
        drop(run);
        // Ended in the middle of a line.
        let mut file = File::options().append(true).open(folder.path().join(Stone::LINES)).unwrap();
        file.write_all(b"\"2").unwrap();
        let mut run = open("a").unwrap();
        assert_eq!((run.known(&"1".to_owned()), run.count()), (Some(&stone("1")), 1));
        run.done(&stone("2")).unwrap();
        drop(run);
        assert_eq!(open("a").unwrap().count(), 2);
        // Of other sources or tests, nothing is known.
        assert_eq!(open("b").unwrap().count(), 0);
    }

    #[test]
    fn a_run_that_ended_leaves_its_results_and_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = Folder::open(folder.path(), "a").unwrap();
        run.done(&stone("1")).unwrap();
        run.end(&["1"], &[("more", "text".to_owned())]).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read(Stone::RESULTS).contains('1'), read("more").as_str()), (true, "text"));
        assert_eq!(Folder::<Stone>::open(folder.path(), "a").unwrap().count(), 0);
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
