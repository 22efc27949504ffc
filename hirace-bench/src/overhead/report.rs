//! What was measured, as `hirace.overhead/1`: each kernel on each executor, and what of all of them.

use super::corpus::{Category, Corpus};
use super::statistics::{Ratio, Spread, mean};
use serde::Serialize;
use std::collections::BTreeMap;

/// The name of the form.
pub const SCHEMA: &str = "hirace.overhead/1";

/// All that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// What the summary is about: the first executor that is a device; the embedded one, if there is none.
    pub device: String,
    /// That of `device`.
    pub summary: Summary,
    /// Every executor that kernels were measured on.
    pub executors: Vec<OnExecutor>,
    /// Whether it was stopped before all was measured.
    pub stopped: bool,
}

/// What was measured on one executor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OnExecutor {
    /// What it is.
    pub name: String,
    /// Over all kernels.
    pub summary: Summary,
    /// Over those of each corpus.
    pub corpora: BTreeMap<Corpus, Summary>,
    /// Over those of each category.
    pub categories: BTreeMap<Category, Summary>,
    /// Each kernel.
    pub kernels: Vec<Row>,
    /// Those that could not be measured.
    pub skipped: Vec<Skipped>,
}

/// What is said of several kernels. The figures that have no name of their own are of warm dispatches that are checked as
/// `hirace` checks by default.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// How many kernels.
    pub kernels: usize,
    /// How much slower they are.
    #[serde(flatten)]
    pub checked: Spread,
    /// The same with all checks done while they run.
    pub dynamic: Spread,
    /// The same with the shadow cleared before.
    pub with_clearing: Spread,
    /// How much longer a first run takes than a first run that is bare.
    pub first: Spread,
    /// How many times as fast as Oclgrind they are, where it takes them.
    pub beside_oclgrind: Spread,
    /// How many of them it takes.
    pub kernels_beside_oclgrind: usize,
    /// Mean bytes of shadow for a word of memory that is shared and that plain writes reach.
    pub shadow_bytes_per_word: Option<f64>,
    /// Mean bytes of shadow for a word that is watched while the kernel runs.
    pub shadow_bytes_per_watched_word: Option<f64>,
    /// Sites that access such memory.
    pub sites: usize,
    /// Those of them that are not watched while the kernel runs.
    pub sites_proved: usize,
}

/// A kernel that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Where it is from.
    pub corpus: Corpus,
    /// What it is known to be.
    pub category: Category,
    /// The graph, or the grid.
    pub input: String,
    /// Whether the bare kernel takes as long as was asked for: larger launches of some cannot be had.
    pub is_long: bool,
    /// How often it was timed in each way.
    pub pairs: usize,
    /// The median time of the bare kernel.
    pub bare_ms: f64,
    /// With all checks done while it runs.
    pub dynamic: Slowdown,
    /// With those spared that could find nothing.
    pub checked: Slowdown,
    /// Its first run.
    pub first: First,
    /// Oclgrind's time for the same launch, if it was asked and takes the kernel.
    pub beside_oclgrind: Option<BesideOclgrind>,
    /// Why there is no such time, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_beside_oclgrind: Option<String>,
    /// Words of memory that is shared and that plain writes reach.
    pub words: u64,
    /// Words that are watched while it runs.
    pub words_watched: u64,
    /// Bytes of shadow for one of `words`.
    pub shadow_bytes_per_word: Option<f64>,
    /// Bytes of shadow for one of `words_watched`.
    pub shadow_bytes_per_watched_word: Option<f64>,
    /// Bytes of shadow for one of `words`, if all checks are done while it runs.
    pub dynamic_shadow_bytes_per_word: Option<f64>,
    /// Sites that access such memory.
    pub sites: usize,
    /// Those of them that are not watched while it runs.
    pub sites_proved: usize,
}

/// How much longer than the bare kernel it takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slowdown {
    /// The median of pairs.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// The same with the shadow cleared before.
    pub with_clearing: f64,
    /// The median time of the kernel.
    pub ms: f64,
    /// And of clearing.
    pub clearing_ms: f64,
}

/// First runs, with all that they take: plans, passes, compilers, copies, clearing, running, reading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct First {
    /// Of the bare kernel.
    pub bare_ms: f64,
    /// How much longer, with all checks done while it runs.
    pub dynamic: f64,
    /// How much longer, with those spared that could find nothing.
    pub checked: f64,
}

/// Oclgrind, looking for races in the same launch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BesideOclgrind {
    /// How long it takes, less what it takes for one workgroup.
    pub ms: f64,
    /// Over the time with all checks done while the kernel runs, its shadow cleared before.
    pub times_as_fast: f64,
}

/// A kernel that was not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its name.
    pub name: String,
    /// Where it is from.
    pub corpus: Corpus,
    /// Why.
    pub reason: String,
}

impl Report {
    /// The report of what was measured.
    pub fn new(executors: Vec<OnExecutor>, stopped: bool) -> Self {
        let device = executors.iter().find(|of| of.name != hirace_core::exec::EMBEDDED);
        let of = device.or(executors.first());
        Self {
            schema: SCHEMA,
            device: of.map(|of| of.name.clone()).unwrap_or_default(),
            summary: of.map(|of| of.summary.clone()).unwrap_or_default(),
            executors,
            stopped,
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        // All of it has a form there.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl OnExecutor {
    /// What was measured on the executor of this name.
    pub fn new(name: String, kernels: Vec<Row>, skipped: Vec<Skipped>) -> Self {
        Self {
            name,
            summary: Summary::of(kernels.iter()),
            corpora: by(&kernels, |row| row.corpus),
            categories: by(&kernels, |row| row.category),
            kernels,
            skipped,
        }
    }
}

/// A summary for each of what `key` tells apart.
fn by<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> K) -> BTreeMap<K, Summary> {
    let mut groups: BTreeMap<K, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups.into_iter().map(|(key, rows)| (key, Summary::of(rows.into_iter()))).collect()
}

impl Summary {
    /// That of these kernels.
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        let spread = |of: fn(&Row) -> f64| Spread::of(&rows.clone().map(of).collect::<Vec<_>>());
        let known =
            |of: fn(&Row) -> Option<f64>| mean(&rows.clone().filter_map(of).collect::<Vec<_>>());
        let beside = rows.clone().filter_map(|row| row.beside_oclgrind);
        let beside: Vec<f64> = beside.map(|beside| beside.times_as_fast).collect();
        Self {
            kernels: rows.clone().count(),
            checked: spread(|row| row.checked.ratio.ratio),
            dynamic: spread(|row| row.dynamic.ratio.ratio),
            with_clearing: spread(|row| row.checked.with_clearing),
            first: spread(|row| row.first.checked),
            beside_oclgrind: Spread::of(&beside),
            kernels_beside_oclgrind: beside.len(),
            shadow_bytes_per_word: known(|row| row.shadow_bytes_per_word),
            shadow_bytes_per_watched_word: known(|row| row.shadow_bytes_per_watched_word),
            sites: rows.clone().map(|row| row.sites).sum(),
            sites_proved: rows.map(|row| row.sites_proved).sum(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row of a kernel that is so many times as slow.
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
            first: First { bare_ms: 20.0, dynamic: 4.0, checked: 3.0 },
            beside_oclgrind: (ratio > 1.0)
                .then_some(BesideOclgrind { ms: 800.0, times_as_fast: 200.0 / ratio }),
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
            reason: "it does not end".to_owned(),
        };
        let embedded = OnExecutor::new("embedded".to_owned(), rows.clone(), vec![skipped]);
        let device = OnExecutor::new("a <GPU>".to_owned(), rows[..2].to_vec(), Vec::new());
        Report::new(vec![embedded, device], false)
    }

    #[test]
    fn a_summary_is_of_its_kernels() {
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
    fn the_first_device_is_what_the_whole_is_about() {
        let report = report();
        assert_eq!(report.device, "a <GPU>");
        assert_eq!(report.summary.kernels, 2);
        let embedded = OnExecutor::new("embedded".to_owned(), Vec::new(), Vec::new());
        let report = Report::new(vec![embedded], true);
        assert_eq!((report.device.as_str(), report.summary), ("embedded", Summary::default()));
    }

    #[test]
    fn what_is_read_by_others_stands_where_they_look() {
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
        for way in ["dynamic", "checked"] {
            for key in ["ratio", "low", "high"] {
                assert!(kernel[way][key].is_number(), "{way} {key}");
            }
            assert!(kernel["first"][way].is_number(), "{way}");
        }
    }
}
