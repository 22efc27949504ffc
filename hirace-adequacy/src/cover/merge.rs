//! Merging of coverage from several runs: of other tests, devices and machines, or the shards of one run.

use crate::suite::sources;
use hirace_core::cover::Coverage;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::shard::Shard;

/// Coverage that other coverage is merged into.
#[derive(Debug, Default)]
pub struct CoverageMerger(Coverage);

impl CoverageMerger {
    /// Merges coverage from the file `from`.
    ///
    /// # Errors
    /// The coverage has another version, another text of a file, is a shard of another run, or was added before.
    pub fn add(&mut self, other: Coverage, from: &str) -> Result<()> {
        let Self(known) = self;
        if other.schema != known.schema {
            let message = format!("{from} is `{}`, not `{}`", other.schema, known.schema);
            return Err(Box::new(Diagnostic::new(message)));
        }
        let is_of_another = match (&known.run_id, &other.run_id) {
            (Some(of), Some(other)) => of != other,
            _ => false,
        };
        let mut all = shards(known);
        all.extend(shards(&other));
        if is_of_another || !all.is_empty() && Shard::missing(&all).is_none() {
            let error = Diagnostic::new(format!("{from} is a shard of another run"));
            let help = "give all shards of one run, with the same sources, tests and flags; merge other runs with the result";
            return Err(Box::new(error.help(help)));
        }
        if let Some(twice) = other.shards.iter().find(|shard| known.shards.contains(shard)) {
            let message = format!("{from} is of shard {twice}, as is another file");
            let error = Diagnostic::new(message).help("give each shard only once");
            return Err(Box::new(error));
        }
        known.add(other);
        if let Some(file) = known.files_with_several_texts().first() {
            let error = Diagnostic::new(format!("{from} has a different version of {file}"));
            return Err(Box::new(error.help("cover the same sources everywhere")));
        }
        known.remove_launched();
        Ok(())
    }

    /// Returns the merged coverage. Shards are named only if some are missing or were stopped.
    pub fn coverage(self) -> Coverage {
        let Self(mut coverage) = self;
        let is_whole = missing(&coverage).is_empty() && !coverage.stopped;
        if is_whole && !coverage.shards.is_empty() {
            sources::finalize_names(&mut coverage);
            coverage.shards.clear();
            coverage.launched.clear();
            coverage.run_id = None;
        }
        coverage
    }
}

/// Returns the shards of the coverage, as far as they can be parsed.
fn shards(coverage: &Coverage) -> Vec<Shard> {
    coverage.shards.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Returns the missing shards; empty if the coverage is not of shards.
pub fn missing(coverage: &Coverage) -> Vec<Shard> {
    Shard::missing(&shards(coverage)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hirace_core::cover::coverage::{File, LaunchedKernel, Test, UnobservedKernel};

    fn of(shard: &str, test: &str) -> Coverage {
        let test = Test { name: test.to_owned(), launches: 1, kernels: Vec::new() };
        let (shards, of) = (vec![shard.to_owned()], Some("s".to_owned()));
        Coverage { shards, run_id: of, tests: vec![test], ..Coverage::default() }
    }

    fn file(name: &str, text: &str) -> File {
        File { file: name.to_owned(), text: Some(text.to_owned()), ..File::default() }
    }

    fn merged(all: Vec<Coverage>) -> Coverage {
        let mut merged = CoverageMerger::default();
        all.into_iter().for_each(|one| merged.add(one, "x.json").unwrap());
        merged.coverage()
    }

    #[test]
    fn all_shards_together_are_the_whole() {
        let whole = merged(vec![of("2/2", "a"), of("1/2", "b")]);
        let names: Vec<&str> = whole.tests.iter().map(|test| &test.name[..]).collect();
        assert_eq!((names, whole.shards.len(), whole.run_id), (vec!["a", "b"], 0, None));
        // A run on another device can be added to a complete one.
        merged(vec![of("1/1", "a"), Coverage::default()]);
    }

    #[test]
    fn a_shard_that_is_missing_or_stopped_is_known() {
        let part = merged(vec![of("3/3", "a"), of("1/3", "b")]);
        assert_eq!(part.shards, ["1/3", "3/3"]);
        assert_eq!(missing(&part)[0].to_string(), "2/3");
        let stopped = merged(vec![Coverage { stopped: true, ..of("1/1", "a") }]);
        assert_eq!((missing(&stopped).len(), stopped.shards.len()), (0, 1));
        // A merge result can be merged with the remaining shards.
        assert!(merged(vec![part, of("2/3", "c")]).shards.is_empty());
    }

    #[test]
    fn unrelated_coverage_is_rejected() {
        let mut merged = CoverageMerger::default();
        merged.add(of("1/2", "a"), "1.json").unwrap();
        let mut said = |other: Coverage| merged.add(other, "2.json").unwrap_err().message.clone();
        assert!(said(of("1/2", "b")).contains("as is another file"));
        assert!(said(of("2/3", "b")).contains("another run"));
        let other = Coverage { run_id: Some("t".to_owned()), ..of("2/2", "b") };
        assert!(said(other).contains("another run"));
    }

    #[test]
    fn what_another_shard_launches_is_seen() {
        let (file, kernel) = ("k.rs".to_owned(), "main".to_owned());
        let test = "a".to_owned();
        let unseen = UnobservedKernel { file: file.clone(), kernel: kernel.clone(), test };
        let one = Coverage { unobserved: vec![unseen], ..of("1/2", "a") };
        let two = Coverage { launched: vec![LaunchedKernel { file, kernel }], ..of("2/2", "b") };
        let whole = merged(vec![one, two]);
        assert!(whole.unobserved.is_empty() && whole.launched.is_empty());
    }

    #[test]
    fn texts_that_no_file_has_get_names_of_their_own_where_there_are_several() {
        let texts = |shard: &str, files: &[(&str, &str)]| {
            let files = files.iter().map(|(name, text)| file(name, text));
            Coverage { files: files.collect(), ..of(shard, shard) }
        };
        let one = texts("1/2", &[("alone@333333", "333333"), ("made@111111", "111111")]);
        let two = texts("2/2", &[("made@222222", "222222")]);
        let whole = merged(vec![one, two]);
        let names: Vec<&str> = whole.files.iter().map(|file| &file.file[..]).collect();
        assert_eq!(names, ["alone", "made@111111", "made@222222"]);
    }
}
