//! Merges the results of the shards of a campaign.

use super::document::{Document, SCHEMA, Target};
use super::summary::Summary;
use super::timing::Timing;
use hirace_core::shard::Shard;
use thiserror::Error;

/// The reason why documents cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// A document has another version.
    #[error("the schema is `{0}`, not `{SCHEMA}`")]
    Version(String),
    /// A document is from another target.
    #[error("the document ran on {0}, but the others on {1}")]
    Target(Box<Target>, Box<Target>),
    /// A document has different tests, environments or settings.
    #[error("the document has different {0}")]
    Campaign(&'static str),
    /// Two documents have different results of a test in an environment.
    #[error("`{test}` in environment {environment} has different results")]
    Run {
        /// The test.
        test: String,
        /// The index of the environment.
        environment: usize,
    },
}

/// A merger of documents.
#[derive(Debug, Default)]
pub struct ResultMerger {
    document: Option<Document>,
    /// Whether a document of the whole campaign was added: then no shard is missing.
    has_unsharded: bool,
}

impl ResultMerger {
    /// Adds a document.
    ///
    /// # Errors
    /// The document has another version, or is from another campaign.
    pub fn add(&mut self, other: Document) -> Result<(), MergeError> {
        if other.schema != SCHEMA {
            return Err(MergeError::Version(other.schema));
        }
        let is_whole = other.shards.is_empty() && !other.stopped;
        let Some(known) = &mut self.document else {
            self.document = Some(with_times_in_runs(other));
            self.has_unsharded = is_whole;
            return Ok(());
        };
        check_compatible(known, &other)?;
        known.shards.extend(other.shards.iter().cloned());
        known.stopped |= other.stopped;
        for run in with_times_in_runs(other).runs {
            let is_same =
                |own: &&super::Run| (own.environment, &own.test) == (run.environment, &run.test);
            match known.runs.iter().find(is_same) {
                None => known.runs.push(run),
                Some(own) if own.outcomes == run.outcomes && own.other == run.other => {}
                Some(_) => {
                    return Err(MergeError::Run { test: run.test, environment: run.environment });
                }
            }
        }
        self.has_unsharded |= is_whole;
        Ok(())
    }

    /// Returns the merged document, or `None` if none was added. It lists shards only if some are missing.
    pub fn document(self) -> Option<Document> {
        let mut document = self.document?;
        document.shards.sort_unstable();
        document.shards.dedup();
        if self.has_unsharded || missing(&document).is_some_and(|missing| missing.is_empty()) {
            document.shards.clear();
        }
        let order = |name: &str| document.tests.iter().position(|tested| tested.name == name);
        document.runs.sort_by_key(|run| (run.environment, order(&run.test)));
        document.summary = Summary::of(&document.runs, &document.tests);
        // Without the time of one run, the rates of all are unknown.
        document.timing = Timing::take(&mut document.runs, &document.tests);
        Some(document)
    }
}

/// Moves the times of a document into its runs.
fn with_times_in_runs(mut document: Document) -> Document {
    let seconds = document.timing.take().map(|timing| timing.runs).unwrap_or_default();
    document.runs.iter_mut().zip(seconds).for_each(|(run, time)| run.seconds = Some(time));
    document
}

fn check_compatible(known: &Document, other: &Document) -> Result<(), MergeError> {
    if known.target != other.target {
        let targets = [other, known].map(|document| Box::new(document.target.clone()));
        let [other, known] = targets;
        return Err(MergeError::Target(other, known));
    }
    let differs = [
        ("subcommands", known.verb != other.verb),
        ("settings", known.settings != other.settings),
        ("versions of the specification", known.specification != other.specification),
        ("environments", known.environments != other.environments),
        ("tests", known.tests != other.tests),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((what, _)) => Err(MergeError::Campaign(what)),
        None => Ok(()),
    }
}

/// Returns the shards that a document lacks, or `None` if it is not a shard.
pub fn missing(document: &Document) -> Option<Vec<Shard>> {
    let shards: Option<Vec<Shard>> = document.shards.iter().map(|text| text.parse().ok()).collect();
    Shard::missing(&shards?)
}
