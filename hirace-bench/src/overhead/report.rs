//! The report of the measurements, `hirace.overhead/1`: each kernel on each executor, and summaries.

use super::corpus::{Category, Corpus};
use super::statistics::{Ratio, Spread, mean};
use serde::Serialize;
use std::collections::BTreeMap;

/// The schema of the report.
pub const SCHEMA: &str = "hirace.overhead/1";

/// All results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The subject of the summary: the first executor that is a device, or the embedded one if there is none.
    pub device: String,
    /// The summary for `device`.
    pub summary: Summary,
    /// All executors on which kernels were measured.
    pub executors: Vec<ExecutorReport>,
    /// Whether the measurement was stopped early.
    pub stopped: bool,
}

/// The results on one executor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExecutorReport {
    /// The name of the executor.
    pub name: String,
    /// The summary of all kernels.
    pub summary: Summary,
    /// The summary of each corpus.
    pub corpora: BTreeMap<Corpus, Summary>,
    /// The summary of each category.
    pub categories: BTreeMap<Category, Summary>,
    /// The kernels.
    pub kernels: Vec<Row>,
    /// The kernels that could not be measured.
    pub skipped: Vec<Skipped>,
}

/// A summary of several kernels. Unless stated otherwise, figures are for warm dispatches with the default checks of `hirace`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The number of kernels.
    pub kernels: usize,
    /// The slowdown.
    #[serde(flatten)]
    pub checked: Spread,
    /// The slowdown with all checks at run time.
    pub dynamic: Spread,
    /// The slowdown including the time to clear the shadow memory.
    pub with_clearing: Spread,
    /// The slowdown of a first run relative to a bare first run.
    pub first: Spread,
    /// The speedup over Oclgrind, for kernels that it supports.
    pub beside_oclgrind: Spread,
    /// The number of kernels that Oclgrind supports.
    pub kernels_beside_oclgrind: usize,
    /// The mean number of bytes of shadow memory per word of shared memory that plain writes reach.
    pub shadow_bytes_per_word: Option<f64>,
    /// The mean number of bytes of shadow memory per word that is monitored at run time.
    pub shadow_bytes_per_watched_word: Option<f64>,
    /// The number of sites that access such memory.
    pub sites: usize,
    /// The number of these sites that are not monitored at run time.
    pub sites_proved: usize,
}

/// The result of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The origin.
    pub corpus: Corpus,
    /// Whether the kernel is clean, or has a planted race.
    pub category: Category,
    /// The graph or the grid.
    pub input: String,
    /// Whether the bare kernel takes the required time: some kernels have no larger launch.
    pub is_long: bool,
    /// The number of times that each way to run the kernel was timed: bare, with all checks, and with the necessary checks.
    pub pairs: usize,
    /// The median time of the bare kernel.
    pub bare_ms: f64,
    /// The slowdown with all checks at run time.
    pub dynamic: Slowdown,
    /// The slowdown without statically unnecessary checks.
    pub checked: Slowdown,
    /// The first run.
    pub first: FirstRun,
    /// The time of Oclgrind for the same launch, if requested and supported.
    pub beside_oclgrind: Option<OclgrindComparison>,
    /// The reason why there is no such time, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_beside_oclgrind: Option<String>,
    /// The number of words of shared memory that plain writes reach.
    pub words: u64,
    /// The number of words that are monitored at run time.
    pub words_watched: u64,
    /// The number of bytes of shadow memory per word of `words`.
    pub shadow_bytes_per_word: Option<f64>,
    /// The number of bytes of shadow memory per word of `words_watched`.
    pub shadow_bytes_per_watched_word: Option<f64>,
    /// The number of bytes of shadow memory per word of `words`, with all checks at run time.
    pub dynamic_shadow_bytes_per_word: Option<f64>,
    /// The number of sites that access such memory.
    pub sites: usize,
    /// The number of these sites that are not monitored at run time.
    pub sites_proved: usize,
}

/// The slowdown relative to the bare kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slowdown {
    /// The median ratio.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// The ratio including the time to clear the shadow memory.
    pub with_clearing: f64,
    /// The median time of the kernel, in milliseconds.
    pub ms: f64,
    /// The median time to clear the shadow memory, in milliseconds.
    pub clearing_ms: f64,
}

/// The times of first runs, which include planning, passes, compilation, copying, clearing, running and reading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstRun {
    /// The time of the bare kernel, in milliseconds.
    pub bare_ms: f64,
    /// The slowdown with all checks at run time.
    pub dynamic: f64,
    /// The slowdown without statically unnecessary checks.
    pub checked: f64,
}

/// The time of Oclgrind, which checks the same launch for races.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OclgrindComparison {
    /// Its time in milliseconds, minus its time for an empty kernel.
    pub ms: f64,
    /// The ratio to the time with all checks at run time, including clearing.
    pub times_as_fast: f64,
}

/// A kernel that was not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The name.
    pub name: String,
    /// The origin.
    pub corpus: Corpus,
    /// The reason.
    pub reason: String,
}

impl Report {
    /// Creates a report of the results.
    pub fn new(executors: Vec<ExecutorReport>, stopped: bool) -> Self {
        let device = executors.iter().find(|executor| executor.name != hirace_core::exec::EMBEDDED);
        let subject = device.or(executors.first());
        Self {
            schema: SCHEMA,
            device: subject.map(|executor| executor.name.clone()).unwrap_or_default(),
            summary: subject.map(|executor| executor.summary.clone()).unwrap_or_default(),
            executors,
            stopped,
        }
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> String {
        // Serialization cannot fail: all values can be represented.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl ExecutorReport {
    /// Creates the results on the executor of this name.
    pub fn new(name: String, kernels: Vec<Row>, skipped: Vec<Skipped>) -> Self {
        Self {
            name,
            summary: Summary::of(kernels.iter()),
            corpora: summarize_by(&kernels, |row| row.corpus),
            categories: summarize_by(&kernels, |row| row.category),
            kernels,
            skipped,
        }
    }
}

/// Returns a summary for each value of `key`.
fn summarize_by<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> K) -> BTreeMap<K, Summary> {
    let mut groups: BTreeMap<K, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups.into_iter().map(|(key, rows)| (key, Summary::of(rows.into_iter()))).collect()
}

impl Summary {
    /// Computes the summary of these kernels.
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        let spread =
            |value: fn(&Row) -> f64| Spread::of(&rows.clone().map(value).collect::<Vec<_>>());
        let mean_of_known = |value: fn(&Row) -> Option<f64>| {
            mean(&rows.clone().filter_map(value).collect::<Vec<_>>())
        };
        let comparisons = rows.clone().filter_map(|row| row.beside_oclgrind);
        let speedups: Vec<f64> = comparisons.map(|comparison| comparison.times_as_fast).collect();
        Self {
            kernels: rows.clone().count(),
            checked: spread(|row| row.checked.ratio.ratio),
            dynamic: spread(|row| row.dynamic.ratio.ratio),
            with_clearing: spread(|row| row.checked.with_clearing),
            first: spread(|row| row.first.checked),
            beside_oclgrind: Spread::of(&speedups),
            kernels_beside_oclgrind: speedups.len(),
            shadow_bytes_per_word: mean_of_known(|row| row.shadow_bytes_per_word),
            shadow_bytes_per_watched_word: mean_of_known(|row| row.shadow_bytes_per_watched_word),
            sites: rows.clone().map(|row| row.sites).sum(),
            sites_proved: rows.map(|row| row.sites_proved).sum(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a row of a kernel with this slowdown.
    pub fn row(name: &str, corpus: Corpus, category: Category, ratio: f64) -> Row {
        let slowdown = |ratio: f64| Slowdown {
            ratio: Ratio { ratio, low: ratio * 0.9, high: ratio * 1.1 },
            with_clearing: ratio + 0.5,
            ms: 2.0 * ratio,
            clearing_ms: 1.0,
        };
        Row {
            name: name.to_owned(),
            corpus,
            category,
            input: "8".to_owned(),
            is_long: true,
            pairs: 9,
            bare_ms: 2.0,
            dynamic: slowdown(2.0 * ratio),
            checked: slowdown(ratio),
            first: FirstRun { bare_ms: 20.0, dynamic: 4.0, checked: 3.0 },
            beside_oclgrind: (ratio > 1.0)
                .then_some(OclgrindComparison { ms: 800.0, times_as_fast: 200.0 / ratio }),
            not_beside_oclgrind: None,
            words: 64,
            words_watched: 32,
            shadow_bytes_per_word: Some(2.0),
            shadow_bytes_per_watched_word: Some(4.0),
            dynamic_shadow_bytes_per_word: Some(4.0),
            sites: 4,
            sites_proved: 3,
        }
    }

    pub fn report() -> Report {
        let rows = vec![
            row("saxpy::clean", Corpus::Textbook, Category::Clean, 1.0),
            row("saxpy::racy", Corpus::Textbook, Category::Racy, 4.0),
            row("push_block_i32", Corpus::Patterns, Category::Clean, 2.0),
        ];
        let skipped = Skipped {
            name: "spin_lock::clean".to_owned(),
            corpus: Corpus::Textbook,
            reason: "it does not terminate".to_owned(),
        };
        let embedded = ExecutorReport::new("embedded".to_owned(), rows.clone(), vec![skipped]);
        let device = ExecutorReport::new("a <GPU>".to_owned(), rows[..2].to_vec(), Vec::new());
        Report::new(vec![embedded, device], false)
    }

    #[test]
    fn a_summary_covers_its_kernels() {
        let report = report();
        let embedded = &report.executors[0];
        let spread = embedded.summary.checked;
        assert_eq!((spread.median, spread.worst), (Some(2.0), Some(4.0)));
        assert_eq!(embedded.summary.dynamic.median, Some(4.0));
        assert_eq!(embedded.corpora[&Corpus::Patterns].kernels, 1);
        assert_eq!(embedded.categories[&Category::Racy].checked.mean, Some(4.0));
        let oclgrind = embedded.summary.beside_oclgrind;
        assert_eq!((oclgrind.median, embedded.summary.kernels_beside_oclgrind), (Some(75.0), 2));
        assert_eq!((embedded.summary.sites, embedded.summary.sites_proved), (12, 9));
    }

    #[test]
    fn the_summary_is_that_of_the_first_device() {
        let report = report();
        assert_eq!(report.device, "a <GPU>");
        assert_eq!(report.summary.kernels, 2);
        let embedded = ExecutorReport::new("embedded".to_owned(), Vec::new(), Vec::new());
        let report = Report::new(vec![embedded], true);
        assert_eq!((report.device.as_str(), report.summary), ("embedded", Summary::default()));
    }

    #[test]
    fn the_keys_that_other_tools_read_exist() {
        let json: serde_json::Value = serde_json::from_str(&report().to_json()).unwrap();
        assert_eq!(json["schema"], "hirace.overhead/1");
        for key in ["median", "mean", "geomean", "worst", "shadow_bytes_per_word"] {
            assert!(json["summary"][key].is_number(), "{key}");
            assert!(json["executors"][0]["summary"][key].is_number(), "{key}");
            assert!(json["executors"][0]["corpora"]["patterns"][key].is_number(), "{key}");
            assert!(json["executors"][0]["categories"]["racy"][key].is_number(), "{key}");
        }
        let kernel = &json["executors"][0]["kernels"][1];
        assert_eq!(
            (&kernel["name"], &kernel["corpus"]),
            (&"saxpy::racy".into(), &"textbook".into())
        );
        for mode in ["dynamic", "checked"] {
            for key in ["ratio", "low", "high"] {
                assert!(kernel[mode][key].is_number(), "{mode} {key}");
            }
            assert!(kernel["first"][mode].is_number(), "{mode}");
        }
    }
}
