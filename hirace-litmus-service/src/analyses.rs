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
const WAITING: usize = 32;

/// The number of cached analyses.
const KEPT: usize = 16;

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
    asked: AnalysisSelection,
    version: Version,
    analysis: Arc<Analysis>,
}

/// The cache of analyses.
#[derive(Debug)]
pub struct Analyses {
    had: Mutex<VecDeque<CachedAnalysis>>,
    /// Limits computation to one analysis at a time.
    turn: Semaphore,
    /// Limits the number of waiting analyses.
    waiting: Arc<Semaphore>,
}

impl Default for Analyses {
    fn default() -> Self {
        Self {
            had: Mutex::default(),
            turn: Semaphore::new(1),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }
}

impl Analyses {
    /// Returns the analysis of a selection. It is completed and cached even if its client has gone.
    pub async fn of(
        self: &Arc<Self>,
        store: &Store,
        asked: AnalysisSelection,
    ) -> Result<Arc<Analysis>, Problem> {
        let version = store.read(version).await?;
        if let Some(had) = self.known(&asked, version) {
            return Ok(had);
        }
        let Ok(waits) = Arc::clone(&self.waiting).try_acquire_owned() else {
            let detail = "too many analyses are waiting";
            return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(10));
        };
        let (own, store) = (Arc::clone(self), store.clone());
        let made = tokio::spawn(async move {
            let made = own.make(&store, asked, version).await;
            drop(waits);
            made
        });
        Ok(made.await??)
    }

    async fn make(
        &self,
        store: &Store,
        asked: AnalysisSelection,
        version: Version,
    ) -> Result<Arc<Analysis>, store::Error> {
        let _turn = self.turn.acquire().await.map_err(|_| store::Error::ShuttingDown)?;
        // An earlier request may have computed the same analysis.
        if let Some(had) = self.known(&asked, version) {
            return Ok(had);
        }
        let of = asked.clone();
        let analysis =
            Arc::new(store.read(move |connection| analyze_stored(connection, &of)).await?);
        if let Ok(mut had) = self.had.lock() {
            had.retain(|had| had.asked != asked);
            had.push_back(CachedAnalysis { asked, version, analysis: Arc::clone(&analysis) });
            if had.len() > KEPT {
                had.pop_front();
            }
        }
        Ok(analysis)
    }

    fn known(&self, asked: &AnalysisSelection, version: Version) -> Option<Arc<Analysis>> {
        let had = self.had.lock().ok()?;
        let known = had.iter().find(|had| had.asked == *asked && had.version == version)?;
        Some(Arc::clone(&known.analysis))
    }
}

fn version(connection: &Connection) -> Result<Version, store::Error> {
    Ok((submissions::version(connection)?, campaigns::version(connection)?))
}

fn analyze_stored(
    connection: &Connection,
    asked: &AnalysisSelection,
) -> Result<Analysis, store::Error> {
    let mut sources = Vec::new();
    match &asked.campaign {
        Some(name) => {
            let devices = campaigns::devices(connection, name, &DeviceFilter::default())?;
            let merged = MergeableCampaign::of(connection, name)?;
            let before = devices.len().saturating_sub(MAX_ENTRIES);
            for device in devices.into_iter().skip(before) {
                let document = merged.document(connection, device)?;
                let file = format!("{name}, {}", document.target.name);
                let source = Source::of_campaign(file, &document, Side::Plain, None);
                sources.push(source.map_err(|error| damaged(&error))?);
            }
        }
        None => submissions::chosen(connection, &asked.chosen, MAX_ENTRIES, |kept| {
            match of_kept(&kept) {
                Ok(source) => sources.push(source),
                // An unreadable submission must not prevent an analysis of the others.
                Err(error) => tracing::error!(id = kept.id, %error, "unreadable submission"),
            }
        })?,
    }
    Ok(analyze(&sources, Options::default()))
}

fn damaged(error: &Diagnostic) -> store::Error {
    store::Error::Damaged(error.to_string())
}

fn of_kept(kept: &StoredSubmission) -> Result<Source, store::Error> {
    let file = kept.file.clone();
    match kept.kind {
        Kind::Litmus => {
            let document = results::read(&kept.document)?;
            Source::of_campaign(file, &document, kept.side, None)
        }
        Kind::Published => {
            let document =
                PublishedResults::parse(&file, &kept.document).map_err(|e| damaged(&e))?;
            let stem = file.rsplit('/').next().unwrap_or_default();
            let stem = stem.strip_suffix(".json").unwrap_or(stem).to_owned();
            Source::of_published(file, &document, &stem, kept.side, None)
        }
    }
    .map_err(|error| damaged(&error))
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
