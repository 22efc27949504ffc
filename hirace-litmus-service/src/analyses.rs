//! Analyses of the stored results. They are slow and requested often, so each is cached until new results arrive, and
//! only one is computed at a time.

use crate::problem::Problem;
use crate::store::campaigns::{Campaign, DeviceFilter};
use crate::store::submissions::{self, Kind, Selection, StoredSubmission};
use crate::store::{self, Store, campaigns};
use axum::http::StatusCode;
use hirace_core::diagnostic::Diagnostic;
use hirace_litmus::analysis::document::Analysis;
use hirace_litmus::analysis::{Options, Source, analyze};
use hirace_litmus::results::published::PublishedResults;
use hirace_litmus::results::table::Side;
use hirace_litmus::results::{self, Document, Target};
use rusqlite::Connection;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// The maximum number of results in one analysis: the newest are used.
pub const MAX_ENTRIES: usize = 200;

/// The maximum number of waiting analyses.
const MAX_WAITING: usize = 32;

/// The maximum number of cached analyses.
const MAX_CACHED: usize = 16;

/// The selection of results to analyze.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AnalysisSelection {
    /// The submissions to analyze.
    pub chosen: Selection,
    /// The campaign to analyze instead of submissions.
    pub campaign: Option<String>,
}

/// A value that changes when results are added or removed.
type Version = ((i64, i64), (i64, i64));

/// A cached analysis and the version of the results that it was computed from.
#[derive(Debug)]
struct CachedAnalysis {
    selection: AnalysisSelection,
    version: Version,
    analysis: Arc<Analysis>,
}

/// The cache of analyses.
#[derive(Debug)]
pub struct Analyses {
    cached: Mutex<VecDeque<CachedAnalysis>>,
    /// Limits computation to one analysis at a time.
    computing: Semaphore,
    /// Limits the number of waiting analyses.
    waiting: Arc<Semaphore>,
}

impl Default for Analyses {
    fn default() -> Self {
        Self {
            cached: Mutex::default(),
            computing: Semaphore::new(1),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }
}

impl Analyses {
    /// Returns the analysis of a selection. It is completed and cached even if the client has disconnected.
    pub async fn of(
        self: &Arc<Self>,
        store: &Store,
        selection: AnalysisSelection,
    ) -> Result<Arc<Analysis>, Problem> {
        let version = store.read(version).await?;
        if let Some(cached) = self.find_cached(&selection, version) {
            return Ok(cached);
        }
        let Ok(waiting_permit) = Arc::clone(&self.waiting).try_acquire_owned() else {
            let detail = "too many analyses are waiting";
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(10));
        };
        let (analyses, store) = (Arc::clone(self), store.clone());
        let task = tokio::spawn(async move {
            let result = analyses.compute(&store, selection, version).await;
            drop(waiting_permit);
            result
        });
        Ok(task.await??)
    }

    async fn compute(
        &self,
        store: &Store,
        selection: AnalysisSelection,
        version: Version,
    ) -> Result<Arc<Analysis>, store::Error> {
        let _permit = self.computing.acquire().await.map_err(|_| store::Error::ShuttingDown)?;
        // An earlier request may have computed the same analysis.
        if let Some(cached) = self.find_cached(&selection, version) {
            return Ok(cached);
        }
        let read_selection = selection.clone();
        let analysis = Arc::new(
            store.read(move |connection| analyze_stored(connection, &read_selection)).await?,
        );
        if let Ok(mut cached) = self.cached.lock() {
            cached.retain(|entry| entry.selection != selection);
            cached.push_back(CachedAnalysis {
                selection,
                version,
                analysis: Arc::clone(&analysis),
            });
            if cached.len() > MAX_CACHED {
                cached.pop_front();
            }
        }
        Ok(analysis)
    }

    fn find_cached(
        &self,
        selection: &AnalysisSelection,
        version: Version,
    ) -> Option<Arc<Analysis>> {
        let cached = self.cached.lock().ok()?;
        let found = cached
            .iter()
            .find(|entry| entry.selection == *selection && entry.version == version)?;
        Some(Arc::clone(&found.analysis))
    }
}

fn version(connection: &Connection) -> Result<Version, store::Error> {
    Ok((submissions::version(connection)?, campaigns::version(connection)?))
}

fn analyze_stored(
    connection: &Connection,
    selection: &AnalysisSelection,
) -> Result<Analysis, store::Error> {
    let mut sources = Vec::new();
    match &selection.campaign {
        Some(name) => {
            let devices = campaigns::devices(connection, name, &DeviceFilter::default())?;
            let mergeable = MergeableCampaign::of(connection, name)?;
            let skipped = devices.len().saturating_sub(MAX_ENTRIES);
            for device in devices.into_iter().skip(skipped) {
                let document = mergeable.document(connection, device)?;
                let file = format!("{name}, {}", document.target.name);
                let source = Source::of_campaign(file, &document, Side::Plain, None);
                sources.push(source.map_err(|error| damaged_error(&error))?);
            }
        }
        None => submissions::chosen(connection, &selection.chosen, MAX_ENTRIES, |submission| {
            match read_source(&submission) {
                Ok(source) => sources.push(source),
                // An unreadable submission must not prevent an analysis of the others.
                Err(error) => tracing::error!(id = submission.id, %error, "unreadable submission"),
            }
        })?,
    }
    Ok(analyze(&sources, Options::default()))
}

fn damaged_error(error: &Diagnostic) -> store::Error {
    store::Error::Damaged(error.to_string())
}

fn read_source(submission: &StoredSubmission) -> Result<Source, store::Error> {
    let file = submission.file.clone();
    match submission.kind {
        Kind::Litmus => {
            let document = results::read(&submission.document)?;
            Source::of_campaign(file, &document, submission.side, None)
        }
        Kind::Published => {
            let document = PublishedResults::parse(&file, &submission.document)
                .map_err(|e| damaged_error(&e))?;
            let stem = file.rsplit('/').next().unwrap_or_default();
            let stem = stem.strip_suffix(".json").unwrap_or(stem).to_owned();
            Source::of_published(file, &document, &stem, submission.side, None)
        }
    }
    .map_err(|error| damaged_error(&error))
}

/// A campaign whose runs can be merged into one document per device.
pub struct MergeableCampaign(hirace_litmus::campaign::Campaign);

impl MergeableCampaign {
    /// Returns the campaign of this name.
    ///
    /// # Errors
    /// There is no such campaign, or it cannot be read.
    pub fn of(connection: &Connection, name: &str) -> Result<Self, store::Error> {
        let Campaign { announced, .. } = campaigns::one(connection, name)?;
        announced.campaign().map(Self).ok_or_else(|| {
            store::Error::Damaged(format!("campaign {name} has tests of another version"))
        })
    }

    /// Returns the results of a device as if one machine had run the whole campaign.
    ///
    /// # Errors
    /// The results cannot be read.
    pub fn document(
        &self,
        connection: &Connection,
        device: (i64, Target),
    ) -> Result<Document, store::Error> {
        let runs = campaigns::runs(connection, device.0)?;
        let stopped = runs.len() < self.0.pieces.len();
        Ok(self.0.document(device.1, runs, stopped))
    }
}
