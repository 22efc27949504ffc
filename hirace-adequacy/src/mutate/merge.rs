//! Merging of mutation results: the shards of one run, or runs of several suites.

use super::results::{File, Mutant, Results, SCHEMA, Status, Test};
use hirace_core::diagnostic::{Diagnostic, Result};
use std::collections::BTreeMap;

/// Results that other results are merged into.
#[derive(Debug, Default)]
pub struct MutationMerger {
    results: Option<Results>,
    /// By file and id: files with the same text have mutants with the same ids.
    mutants: BTreeMap<(String, String), Mutant>,
}

impl MutationMerger {
    /// Merges results from the file `from`. Returns a warning for each mutant whose outcome differs; the less favorable
    /// one is kept.
    ///
    /// # Errors
    /// The results have another version, or another text of a file.
    pub fn add(&mut self, mut other: Results, from: &str) -> Result<Vec<Diagnostic>> {
        if other.schema != SCHEMA {
            let message = format!("{from} is `{}`, not `{SCHEMA}`", other.schema);
            return Err(Box::new(Diagnostic::new(message)));
        }
        let mutants = std::mem::take(&mut other.mutants);
        match &mut self.results {
            None => self.results = Some(other),
            Some(results) => {
                add_files(&mut results.files, other.files, from)?;
                add_tests(&mut results.tests, other.tests);
                results.repeats = results.repeats.min(other.repeats);
                results.stopped |= other.stopped;
                results.unchanged &= other.unchanged;
                results.counts_equivalent |= other.counts_equivalent;
                results.known_findings.extend(other.known_findings);
            }
        }
        let mut differing = Vec::new();
        for mutant in mutants {
            let key = (mutant.file.clone(), mutant.id.clone());
            let Some(known) = self.mutants.get_mut(&key) else {
                self.mutants.insert(key, mutant);
                continue;
            };
            if let (Some(one), Some(other)) = (known.status, mutant.status)
                && one != other
            {
                let shown = format!("{}:{}:{}", mutant.file, mutant.line, mutant.column);
                let (one, other) = (one.name(), other.name());
                let message = format!("{shown}: {} is {other} in {from}, and {one} before", key.1);
                let kept = if is_worse(&mutant, known) { other } else { one };
                differing.push(Diagnostic::new(message).note(format!("kept as {kept}")));
            }
            join(known, mutant);
        }
        Ok(differing)
    }

    /// Returns the merged results.
    pub fn results(self) -> Results {
        let mut results = self.results.unwrap_or_default();
        results.mutants = self.mutants.into_values().collect();
        // Another run may have judged the remaining mutants.
        results.stopped &= results.mutants.iter().any(|mutant| mutant.status.is_none());
        results.unchanged &= results.mutants.is_empty();
        results.summarize();
        results
    }
}

fn add_files(known: &mut Vec<File>, others: Vec<File>, from: &str) -> Result<()> {
    for other in others {
        match known.iter().find(|file| file.file == other.file) {
            Some(file) if file.text == other.text => {}
            Some(file) => {
                let message = format!("{from} has a different version of {}", file.file);
                let error = Diagnostic::new(message).help("mutate the same sources everywhere");
                return Err(Box::new(error));
            }
            None => known.push(other),
        }
    }
    Ok(())
}

/// Tests of a suite may share a name; each is kept.
fn add_tests(known: &mut Vec<Test>, others: Vec<Test>) {
    let before = known.len();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for other in others {
        let nth = seen.entry(other.name.clone()).or_default();
        let mut same = known[..before].iter_mut().filter(|test| test.name == other.name);
        match same.nth(*nth) {
            Some(test) => {
                test.seconds = test.seconds.into_iter().chain(other.seconds).reduce(f64::max);
                test.steady &= other.steady;
            }
            None => known.push(other),
        }
        *nth += 1;
    }
}

/// Merges two outcomes of a mutant: keeps the less favorable one, and all tests that reach it.
fn join(known: &mut Mutant, mut other: Mutant) {
    if is_worse(&other, known) {
        std::mem::swap(known, &mut other);
    }
    let more = other.reached_by.into_iter().filter(|name| !known.reached_by.contains(name));
    let more: Vec<String> = more.collect();
    known.reached_by.extend(more);
}

/// Returns whether an outcome is less favorable to the tests than another. A mutant that was not judged has no
/// influence.
fn is_worse(one: &Mutant, other: &Mutant) -> bool {
    one.status.map(favor).unwrap_or(u8::MAX) < other.status.map(favor).unwrap_or(u8::MAX)
}

/// Returns how favorable a status is to the tests.
fn favor(status: Status) -> u8 {
    match status {
        Status::Survived => 0,
        Status::NoCoverage => 1,
        Status::Undecided => 2,
        Status::OutOfMemory => 3,
        Status::Timeout => 4,
        Status::Killed => 5,
        Status::Unviable => 6,
        Status::Skipped => 7,
        Status::Equivalent => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::sample;
    use super::*;

    fn mutant(id: &str, status: Option<Status>, tests: &[&str]) -> Mutant {
        let reached_by = tests.iter().map(|&name| name.to_owned()).collect();
        Mutant { id: id.to_owned(), status, reached_by, ..sample() }
    }

    fn of(mutants: Vec<Mutant>, tests: &[&str]) -> Results {
        let test = |&name: &&str| Test { name: name.to_owned(), seconds: Some(1.0), steady: true };
        let files = vec![File { file: "k.wgsl".to_owned(), text: "h".to_owned() }];
        let tests = tests.iter().map(test).collect();
        Results { repeats: 20, files, tests, mutants, ..Results::default() }
    }

    fn merged(all: Vec<Results>) -> (Results, Vec<String>) {
        let (mut merged, mut said) = (MutationMerger::default(), Vec::new());
        for (number, results) in all.into_iter().enumerate() {
            let differing = merged.add(results, &format!("{number}.json")).unwrap();
            said.extend(differing.into_iter().map(|warning| warning.message));
        }
        (merged.results(), said)
    }

    #[test]
    fn each_mutant_and_each_test_is_there_once() {
        let one = of(vec![mutant("1", Some(Status::Killed), &["a"])], &["a", "c", "c"]);
        let two = of(
            vec![
                mutant("2", Some(Status::Survived), &["b"]),
                mutant("1", Some(Status::Killed), &["b"]),
            ],
            &["b", "c"],
        );
        let (results, said) = merged(vec![one, two]);
        let ids: Vec<&str> = results.mutants.iter().map(|mutant| &*mutant.id).collect();
        assert_eq!((ids, said.len()), (vec!["1", "2"], 0));
        assert_eq!(results.mutants[0].reached_by, ["a", "b"]);
        let names: Vec<&str> = results.tests.iter().map(|test| &*test.name).collect();
        assert_eq!(names, ["a", "b", "c", "c"]);
        assert_eq!(results.summary.score, Some(50.0));
    }

    #[test]
    fn less_favorable_status_is_kept_in_any_order() {
        let killed = || of(vec![mutant("1", Some(Status::Killed), &[])], &[]);
        let survived = || of(vec![mutant("1", Some(Status::Survived), &[])], &[]);
        for all in [vec![killed(), survived()], vec![survived(), killed()]] {
            let (results, said) = merged(all);
            assert_eq!(results.mutants[0].status, Some(Status::Survived));
            assert!(said.len() == 1 && said[0].contains("in 1.json"), "{said:?}");
        }
    }

    #[test]
    fn merge_takes_the_verdict_of_the_run_that_judged_a_mutant() {
        let stopped = |mutants| Results { stopped: true, ..of(mutants, &[]) };
        let open = || mutant("1", None, &[]);
        let (results, said) = merged(vec![
            stopped(vec![open()]),
            of(vec![mutant("1", Some(Status::Killed), &[])], &[]),
        ]);
        assert_eq!((results.mutants[0].status, results.stopped), (Some(Status::Killed), false));
        assert!(said.is_empty());
        assert!(merged(vec![of(Vec::new(), &[]), stopped(vec![open()])]).0.stopped);
    }

    #[test]
    fn files_with_one_text_stay_apart() {
        let other = Mutant { file: "l.wgsl".to_owned(), ..mutant("1", Some(Status::Killed), &[]) };
        let both = of(vec![mutant("1", Some(Status::Survived), &[]), other], &[]);
        assert_eq!(merged(vec![both]).0.mutants.len(), 2);
    }

    #[test]
    fn other_versions_and_other_texts_are_refused() {
        let mut merged = MutationMerger::default();
        merged.add(of(Vec::new(), &[]), "1.json").unwrap();
        let mut other = of(Vec::new(), &[]);
        other.files[0].text = "i".to_owned();
        let error = merged.add(other, "2.json").unwrap_err();
        assert_eq!(error.message, "2.json has a different version of k.wgsl");
        let other = Results { schema: "hirace.mutate/2".to_owned(), ..Results::default() };
        assert!(merged.add(other, "3.json").is_err());
    }
}
