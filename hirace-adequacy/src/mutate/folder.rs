//! The folder of a mutation run, with the verdicts so far and the tests that killed mutants.
//!
//! - `judged.jsonl` has a line per mutant, appended as soon as it is judged.
//! - `learned.json` lists the test that killed each mutant in the last completed run. The next run tries that test
//!   first.
//! - `mutants.json` has the results of the last completed run.

use super::campaign::MutantStore;
use super::results::{Mutant, Results};
use hirace_core::diagnostic::Result;
use hirace_core::folder::{self, Piece};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const LEARNED: &str = "learned.json";

impl Piece for Mutant {
    /// File and id: files with the same text have mutants with the same ids.
    type Key = (String, String);
    const LINES: &'static str = "judged.jsonl";
    const RESULTS: &'static str = "mutants.json";

    fn key(&self) -> Self::Key {
        (self.file.clone(), self.id.clone())
    }
}

/// The folder of a mutation run.
#[derive(Debug)]
pub struct Folder {
    folder: folder::Folder<Mutant>,
    learned: BTreeMap<String, String>,
}

impl Folder {
    /// Opens the folder as [`folder::Folder::open`] does.
    ///
    /// # Errors
    /// The same as for [`folder::Folder::open`].
    pub fn open(path: &Path, of: &str) -> Result<Self> {
        let folder = folder::Folder::open(path, of)?;
        let learned = fs::read_to_string(path.join(LEARNED)).unwrap_or_default();
        Ok(Self { folder, learned: serde_json::from_str(&learned).unwrap_or_default() })
    }

    /// Returns the verdict on a mutant from a stopped run.
    pub fn known(&self, mutant: &Mutant) -> Option<&Mutant> {
        self.folder.known(&mutant.key())
    }

    /// Returns the test that killed each mutant in earlier runs, by id.
    pub fn killers(&self) -> &BTreeMap<String, String> {
        &self.learned
    }

    /// Stores the results of a completed run. The next run starts from the beginning.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn end(mut self, results: &Results) -> Result<()> {
        let killers = results.mutants.iter().filter_map(|mutant| {
            Some((mutant.id.clone(), mutant.killed_by.as_ref()?.test.clone()))
        });
        self.learned.extend(killers);
        // A map of strings always serializes to JSON.
        let learned = serde_json::to_string(&self.learned).unwrap_or_default();
        self.folder.finish(results, &[(LEARNED, learned)])
    }
}

impl MutantStore for Folder {
    fn store(&mut self, mutant: &Mutant) -> Result<()> {
        self.folder.store(mutant)
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::{KillCause, KilledBy, Status, sample};
    use super::*;

    fn judged(id: &str) -> Mutant {
        Mutant { id: id.to_owned(), status: Some(Status::Survived), ..sample() }
    }

    #[test]
    fn files_with_one_text_have_judgements_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = Folder::open(folder.path(), "a").unwrap();
        run.store(&judged("1")).unwrap();
        drop(run);
        let run = Folder::open(folder.path(), "a").unwrap();
        assert_eq!(run.known(&judged("1")), Some(&judged("1")));
        let elsewhere = Mutant { file: "l.wgsl".to_owned(), ..judged("1") };
        assert_eq!(run.known(&elsewhere), None);
    }

    #[test]
    fn completed_run_keeps_the_killer_of_each_mutant() {
        let folder = tempfile::tempdir().unwrap();
        let run = Folder::open(folder.path(), "a").unwrap();
        let killed_by =
            Some(KilledBy { test: "t".to_owned(), cause: KillCause::Assertion, rules: Vec::new() });
        let mutants = vec![Mutant { killed_by, ..judged("1") }];
        run.end(&Results { mutants, ..Results::default() }).unwrap();
        let run = Folder::open(folder.path(), "a").unwrap();
        assert_eq!(run.known(&judged("1")), None);
        assert_eq!(run.killers().get("1").map(String::as_str), Some("t"));
    }
}
