//! Merging of the results of a run's shards.

use crate::schema;
use hirace_core::amplify::results::{Results, SCHEMA};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::shard::Shard;

/// Parses the output of [`report::json`](super::report::json). For another schema version, only the `schema` field is
/// read.
///
/// # Errors
/// The text is something else.
pub fn read(text: &str) -> serde_json::Result<Results> {
    let read = serde_json::from_str(text);
    match schema::name(text).filter(|schema| schema != SCHEMA) {
        Some(schema) => Ok(Results { schema, ..Results::new(0, 0) }),
        None => read,
    }
}

/// Results that other results are merged into.
#[derive(Debug, Default)]
pub struct ScheduleMerger {
    results: Option<Results>,
    /// Whether the results of an unsharded run are included, so that no shard is missing.
    has_unsharded: bool,
}

impl ScheduleMerger {
    /// Merges results from the file `from`.
    ///
    /// # Errors
    /// The results have another version, suite or settings, or a test has different results.
    pub fn add(&mut self, other: Results, from: &str) -> Result<()> {
        if other.schema != SCHEMA {
            let message = format!("{from} is `{}`, not `{SCHEMA}`", other.schema);
            return Err(Box::new(Diagnostic::new(message)));
        }
        let is_whole = other.shards.is_empty() && !other.stopped;
        let Some(known) = &mut self.results else {
            self.results = Some(other);
            self.has_unsharded = is_whole;
            return Ok(());
        };
        for file in &other.files {
            let own = known.files.iter().find(|own| own.file == file.file);
            if own.is_some_and(|own| own.text != file.text) {
                let message = format!("{from} has a different version of {}", file.file);
                let error = Diagnostic::new(message);
                return Err(Box::new(error.help("run the same sources everywhere")));
            }
        }
        if (&known.run_id, known.runs, known.seed) != (&other.run_id, other.runs, other.seed) {
            let error = Diagnostic::new(format!("{from} has another suite or other settings"));
            let help = "give all shards of one run: the same sources, tests and flags";
            return Err(Box::new(error.help(help)));
        }
        known.errors.extend(other.errors);
        for test in other.tests {
            match known.tests.iter().find(|own| own.name == test.name) {
                None => known.tests.push(test),
                Some(own) if *own == test => {}
                Some(_) => {
                    let message = format!("test `{}` has different results in {from}", test.name);
                    let error = Diagnostic::new(message);
                    return Err(Box::new(error.help("run the same hirace everywhere")));
                }
            }
        }
        known.files.extend(other.files);
        known.shards.extend(other.shards);
        known.stopped |= other.stopped;
        self.has_unsharded |= is_whole;
        Ok(())
    }

    /// Returns the merged results. Shards are named only if some are missing.
    pub fn results(self) -> Results {
        let mut results = self.results.unwrap_or_else(|| Results::new(0, 0));
        results.shards.sort_unstable();
        results.shards.dedup();
        if self.has_unsharded || missing(&results).is_some_and(|missing| missing.is_empty()) {
            results.shards.clear();
        }
        results.sort();
        results
    }
}

/// Returns the missing shards, or `None` if the results are not of shards.
pub fn missing(results: &Results) -> Option<Vec<Shard>> {
    let shards: Option<Vec<Shard>> = results.shards.iter().map(|text| text.parse().ok()).collect();
    Shard::missing(&shards?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::amplify::results::{File, Test};

    fn of(shard: &str, tests: &[&str]) -> Results {
        let test = |&name: &&str| Test { name: name.to_owned(), launches: Vec::new() };
        let files = vec![File { file: "k.wgsl".to_owned(), text: "h".to_owned() }];
        let shards = vec![shard.to_owned()];
        let tests = tests.iter().map(test).collect();
        Results { files, shards, tests, run_id: "s".to_owned(), ..Results::new(20, 0) }
    }

    #[test]
    fn all_shards_together_are_the_whole() {
        let mut merged = ScheduleMerger::default();
        for (shard, tests) in [("2/2", &["b"][..]), ("1/2", &["c", "a"]), ("1/2", &["a", "c"])] {
            merged.add(of(shard, tests), "x.json").unwrap();
        }
        let results = merged.results();
        let names: Vec<&str> = results.tests.iter().map(|test| &*test.name).collect();
        assert_eq!((names, results.shards.len()), (vec!["a", "b", "c"], 0));
        assert_eq!(results.files.len(), 1);
    }

    #[test]
    fn a_shard_that_is_missing_is_known() {
        let mut merged = ScheduleMerger::default();
        merged.add(of("2/3", &["b"]), "x.json").unwrap();
        merged.add(of("1/3", &["a"]), "y.json").unwrap();
        let results = merged.results();
        assert_eq!(results.shards, ["1/3", "2/3"]);
        assert_eq!(missing(&results).unwrap()[0].to_string(), "3/3");
    }

    #[test]
    fn the_whole_with_a_shard_of_it_is_the_whole() {
        let whole = || Results { shards: Vec::new(), ..of("1/1", &["a", "b"]) };
        let part = || of("2/3", &["b"]);
        for all in [[whole(), part()], [part(), whole()]] {
            let mut merged = ScheduleMerger::default();
            all.into_iter().for_each(|one| merged.add(one, "x.json").unwrap());
            assert_eq!(merged.results(), whole());
        }
        // A stopped run is not complete.
        let mut merged = ScheduleMerger::default();
        merged.add(Results { stopped: true, ..whole() }, "x.json").unwrap();
        merged.add(part(), "y.json").unwrap();
        assert_eq!(merged.results().shards, ["2/3"]);
    }

    #[test]
    fn unrelated_results_are_rejected() {
        let mut merged = ScheduleMerger::default();
        merged.add(of("1/2", &["a"]), "1.json").unwrap();
        let mut said = |other: Results| merged.add(other, "2.json").unwrap_err().message.clone();
        let mut text = of("2/2", &[]);
        text.files[0].text = "i".to_owned();
        assert_eq!(said(text), "2.json has a different version of k.wgsl");
        assert!(
            said(Results { run_id: "t".to_owned(), ..of("2/2", &[]) }).contains("another suite")
        );
        assert!(said(Results { runs: 3, ..of("2/2", &[]) }).contains("another suite"));
        assert!(
            said(Results { schema: "hirace.amplify/2".to_owned(), ..of("2/2", &[]) })
                .contains("/2")
        );
    }
}
