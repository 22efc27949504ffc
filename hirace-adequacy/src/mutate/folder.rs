//! The folder of a run: what was judged so far, so that a run that is ended at any moment goes on where it was.
//!
//! - `run.json` says what the run is of: of another version, other sources or other tests, what was judged is not taken.
//! - `judged.jsonl` has a line for each mutant, added as soon as it is judged.
//! - `learned.json` has which test killed which mutant when a run ended: the next one asks that test first.
//! - `mutants.json` are the results of the last run that ended.
//! - `lock` is held by the run that is going on.

use super::campaign::Keeper;
use super::results::{Mutant, Results};
use hirace_core::diagnostic::{Diagnostic, Result};
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
const JUDGED: &str = "judged.jsonl";
const LEARNED: &str = "learned.json";
const RESULTS: &str = "mutants.json";
const LOCK: &str = "lock";

/// What a run is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    version: u32,
    hirace: String,
    /// Everything that a verdict hangs on.
    of: String,
}

/// The folder of a run.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held until the run ends, however it does.
    _lock: File,
    judged: Option<File>,
    /// By file and id: files with the same text have mutants with the same ids.
    known: BTreeMap<(String, String), Mutant>,
    learned: BTreeMap<String, String>,
}

impl Folder {
    /// Opens the folder for a run of what `of` says. What an earlier run of the same judged and did not end with is known.
    ///
    /// # Errors
    /// It is another version's, used by another run, or cannot be written to.
    pub fn open(path: &Path, of: &str) -> Result<Self> {
        let cannot = |error: io::Error| cannot(path, &error);
        fs::create_dir_all(path).map_err(cannot)?;
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
        let learned = fs::read_to_string(path.join(LEARNED)).unwrap_or_default();
        let learned = serde_json::from_str(&learned).unwrap_or_default();
        let is_same = before.flatten().as_ref() == Some(&run);
        let mut known = BTreeMap::new();
        let mut whole = String::new();
        if is_same {
            let text = fs::read_to_string(path.join(JUDGED)).unwrap_or_default();
            for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                // A line that was cut off is judged anew.
                if let Ok(mutant) = serde_json::from_str::<Mutant>(line) {
                    known.insert((mutant.file.clone(), mutant.id.clone()), mutant);
                    whole.push_str(line);
                }
            }
        }
        write(&path.join(JUDGED), &whole).map_err(cannot)?;
        let text = serde_json::to_string(&run).map_err(io::Error::other).map_err(cannot)?;
        write(&path.join(RUN), &text).map_err(cannot)?;
        let judged = File::options().append(true).open(path.join(JUDGED)).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), _lock: lock, judged: Some(judged), known, learned })
    }

    /// What is known of a mutant by a run that was ended early.
    pub fn known(&self, mutant: &Mutant) -> Option<&Mutant> {
        self.known.get(&(mutant.file.clone(), mutant.id.clone()))
    }

    /// How many mutants are known.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Which test killed a mutant in earlier runs.
    pub fn learned(&self) -> &BTreeMap<String, String> {
        &self.learned
    }

    /// Keeps the results of a run that judged all of its mutants: a run after this one begins anew.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn end(mut self, results: &Results) -> Result<()> {
        let killers = results.mutants.iter().filter_map(|mutant| {
            Some((mutant.id.clone(), mutant.killed_by.as_ref()?.test.clone()))
        });
        self.learned.extend(killers);
        let mut keep = || -> io::Result<()> {
            let text = serde_json::to_string(&self.learned).map_err(io::Error::other)?;
            write(&self.path.join(LEARNED), &text)?;
            let text = serde_json::to_string_pretty(results).map_err(io::Error::other)?;
            write(&self.path.join(RESULTS), &text)?;
            drop(self.judged.take());
            fs::remove_file(self.path.join(JUDGED))
        };
        let path = self.path.clone();
        keep().map_err(|error| cannot(&path, &error))
    }
}

impl Keeper for Folder {
    fn judged(&mut self, mutant: &Mutant) -> Result<()> {
        let Some(file) = &mut self.judged else { return Ok(()) };
        let text = serde_json::to_string(mutant).map_err(io::Error::other);
        text.and_then(|text| file.write_all(format!("{text}\n").as_bytes()))
            .map_err(|error| cannot(&self.path, &error))
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
    use super::super::results::{Status, sample};
    use super::*;

    fn judged(id: &str) -> Mutant {
        Mutant { id: id.to_owned(), status: Some(Status::Survived), ..sample() }
    }

    #[test]
    fn what_was_judged_is_known_when_a_run_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let open = |of: &str| Folder::open(folder.path(), of);
        let mut run = open("a").unwrap();
        run.judged(&judged("1")).unwrap();
        // Another run of the same folder has to wait.
        assert!(!hold(&File::open(folder.path().join(LOCK)).unwrap()).unwrap());
        assert!(open("a").unwrap_err().is_of_device());
        drop(run);
        // Ended in the middle of a line.
        let mut file = File::options().append(true).open(folder.path().join(JUDGED)).unwrap();
        file.write_all(b"{\"id\": \"2\", \"cla").unwrap();
        let mut run = open("a").unwrap();
        assert_eq!((run.known(&judged("1")), run.count()), (Some(&judged("1")), 1));
        // A file with the same text has the same ids.
        let elsewhere = Mutant { file: "l.wgsl".to_owned(), ..judged("1") };
        assert_eq!(run.known(&elsewhere), None);
        run.judged(&judged("2")).unwrap();
        drop(run);
        assert_eq!(open("a").unwrap().count(), 2);
        // Of other sources or tests, nothing is known.
        assert_eq!(open("b").unwrap().count(), 0);
    }

    #[test]
    fn a_run_that_ended_leaves_what_it_learned_and_nothing_more() {
        use super::super::results::{How, KilledBy};
        let folder = tempfile::tempdir().unwrap();
        let run = Folder::open(folder.path(), "a").unwrap();
        let killed_by =
            Some(KilledBy { test: "t".to_owned(), how: How::Assertion, rules: Vec::new() });
        let mutants = vec![Mutant { killed_by, ..judged("1") }];
        run.end(&Results { mutants, ..Results::default() }).unwrap();
        let run = Folder::open(folder.path(), "a").unwrap();
        assert_eq!((run.count(), run.learned().get("1").map(String::as_str)), (0, Some("t")));
    }

    #[test]
    fn a_folder_of_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["{\"version\":0,\"hirace\":\"0.0.1\",\"of\":\"a\"}", "what"] {
            fs::write(folder.path().join(RUN), text).unwrap();
            let error = Folder::open(folder.path(), "a").unwrap_err();
            assert!(error.message.starts_with("the run in"), "{error}");
            assert_eq!(fs::read_to_string(folder.path().join(RUN)).unwrap(), text);
        }
    }
}
