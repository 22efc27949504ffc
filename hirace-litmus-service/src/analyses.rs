//! Scores of what is kept. They take long, and are asked for often: what was had is kept as long as nothing new comes, and one at
//! a time is made.

use crate::problem::Problem;
use crate::store::campaigns::{Campaign, Of};
use crate::store::submissions::{self, Chosen, Kept, Kind};
use crate::store::{self, Store, campaigns};
use axum::http::StatusCode;
use hirace_core::diagnostic::Diagnostic;
use hirace_litmus::analysis::document::Analysis;
use hirace_litmus::analysis::{Options, Source, analyze};
use hirace_litmus::results::published::Published;
use hirace_litmus::results::table::Side;
use hirace_litmus::results::{self, Document, Target};
use rusqlite::Connection;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// The most results of one analysis: the newest are taken.
pub const MOST: usize = 200;

/// So many analyses are waited for.
const WAITING: usize = 32;

/// So many analyses are kept.
const KEPT: usize = 16;

/// What is to be analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Asked {
    /// Which submissions.
    pub chosen: Chosen,
    /// Or what came of a campaign.
    pub campaign: Option<String>,
}

/// What changes when results do.
type Version = ((i64, i64), (i64, i64));

/// An analysis of some version of what is asked.
#[derive(Debug)]
struct Had {
    asked: Asked,
    version: Version,
    analysis: Arc<Analysis>,
}

/// What was analysed.
#[derive(Debug)]
pub struct Analyses {
    had: Mutex<VecDeque<Had>>,
    /// One is made at a time.
    turn: Semaphore,
    /// So many wait for that.
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
    /// The analysis of what is asked for. It is made to its end and kept even if nobody waits for it any more.
    pub async fn of(
        self: &Arc<Self>,
        store: &Store,
        asked: Asked,
    ) -> Result<Arc<Analysis>, Problem> {
        let version = store.read(version).await?;
        if let Some(had) = self.known(&asked, version) {
            return Ok(had);
        }
        let Ok(waits) = Arc::clone(&self.waiting).try_acquire_owned() else {
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many analyses wait");
            return Err(Problem { retry_after: Some(10), ..problem });
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
        asked: Asked,
        version: Version,
    ) -> Result<Arc<Analysis>, store::Error> {
        let _turn = self.turn.acquire().await.map_err(|_| store::Error::Ended)?;
        // Whoever was before may have asked for the same.
        if let Some(had) = self.known(&asked, version) {
            return Ok(had);
        }
        let of = asked.clone();
        let analysis = Arc::new(store.read(move |connection| made(connection, &of)).await?);
        if let Ok(mut had) = self.had.lock() {
            had.retain(|had| had.asked != asked);
            had.push_back(Had { asked, version, analysis: Arc::clone(&analysis) });
            if had.len() > KEPT {
                had.pop_front();
            }
        }
        Ok(analysis)
    }

    fn known(&self, asked: &Asked, version: Version) -> Option<Arc<Analysis>> {
        let had = self.had.lock().ok()?;
        let known = had.iter().find(|had| had.asked == *asked && had.version == version)?;
        Some(Arc::clone(&known.analysis))
    }
}

fn version(connection: &Connection) -> Result<Version, store::Error> {
    Ok((submissions::version(connection)?, campaigns::version(connection)?))
}

fn made(connection: &Connection, asked: &Asked) -> Result<Analysis, store::Error> {
    let mut sources = Vec::new();
    match &asked.campaign {
        Some(name) => {
            let devices = campaigns::devices(connection, name, &Of::default())?;
            let merged = Merged::of(connection, name)?;
            let before = devices.len().saturating_sub(MOST);
            for device in devices.into_iter().skip(before) {
                let document = merged.document(connection, device)?;
                let file = format!("{name}, {}", document.target.name);
                let source = Source::of_campaign(file, &document, Side::Plain, None);
                sources.push(source.map_err(|error| damaged(&error))?);
            }
        }
        None => submissions::chosen(connection, &asked.chosen, MOST, |kept| {
            match of_kept(&kept) {
                Ok(source) => sources.push(source),
                // One that cannot be read is no reason to have no analysis of the others.
                Err(error) => tracing::error!(id = kept.id, %error, "a submission is left out"),
            }
        })?,
    }
    Ok(analyze(&sources, Options::default()))
}

fn damaged(error: &Diagnostic) -> store::Error {
    store::Error::Damaged(error.to_string())
}

fn of_kept(kept: &Kept) -> Result<Source, store::Error> {
    let file = kept.file.clone();
    match kept.kind {
        Kind::Litmus => {
            let document = results::read(&kept.document)?;
            Source::of_campaign(file, &document, kept.side, None)
        }
        Kind::Published => {
            let document = Published::parse(&file, &kept.document).map_err(|e| damaged(&e))?;
            let stem = file.rsplit('/').next().unwrap_or_default();
            let stem = stem.strip_suffix(".json").unwrap_or(stem).to_owned();
            Source::of_published(file, &document, &stem, kept.side, None)
        }
    }
    .map_err(|error| damaged(&error))
}

/// A campaign, of which what devices showed is put together.
pub struct Merged(hirace_litmus::campaign::Campaign);

impl Merged {
    /// The one of this name.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn of(connection: &Connection, name: &str) -> Result<Self, store::Error> {
        let Campaign { announced, .. } = campaigns::one(connection, name)?;
        announced.campaign().map(Self).ok_or_else(|| {
            store::Error::Damaged(format!("campaign {name} is of tests of another version"))
        })
    }

    /// What a device showed, as if one machine had run all of it.
    ///
    /// # Errors
    /// It cannot be read.
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
