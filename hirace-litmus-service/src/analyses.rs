//! Scores of what is kept. They take long, and are asked for often: what was had is kept as long as nothing new comes, and one at
//! a time is made.

use crate::problem::Problem;
use crate::store::submissions::{self, Chosen, Kept, Kind};
use crate::store::{self, Store, campaigns};
use hirace_core::diagnostic::Diagnostic;
use hirace_litmus::analysis::document::Analysis;
use hirace_litmus::analysis::{Options, Source, analyze};
use hirace_litmus::results::published::Published;
use hirace_litmus::results::table::Side;
use hirace_litmus::results::{self, Document};
use rusqlite::Connection;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// The most results of one analysis: the newest are taken.
const MOST: usize = 200;

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
    turn: Semaphore,
}

impl Default for Analyses {
    fn default() -> Self {
        Self { had: Mutex::default(), turn: Semaphore::new(1) }
    }
}

impl Analyses {
    /// The analysis of what is asked for.
    pub async fn of(&self, store: &Store, asked: Asked) -> Result<Arc<Analysis>, Problem> {
        let _turn = self.turn.acquire().await.map_err(|_| store::Error::Ended)?;
        let version = store.read(version).await?;
        if let Some(had) = self.known(&asked, version) {
            return Ok(had);
        }
        let of = asked.clone();
        let made = store.read(move |connection| made(connection, &of)).await?;
        let analysis = Arc::new(made);
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
    let sources = match &asked.campaign {
        Some(name) => of_campaign(connection, name)?,
        None => {
            let (kept, _) = submissions::chosen(connection, &asked.chosen, MOST)?;
            kept.iter().map(of_kept).collect::<Result<_, _>>()?
        }
    };
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

fn of_campaign(connection: &Connection, name: &str) -> Result<Vec<Source>, store::Error> {
    let of_device = |document: &Document| {
        let file = format!("{name}, {}", document.target.name);
        Source::of_campaign(file, document, Side::Plain, None).map_err(|error| damaged(&error))
    };
    merged(connection, name)?.iter().map(of_device).collect()
}

/// What each device showed of a campaign, as if one machine had run all of it.
pub fn merged(connection: &Connection, name: &str) -> Result<Vec<Document>, store::Error> {
    let (campaign, done) = campaigns::done(connection, name)?;
    let Some(of) = campaign.announced.campaign() else {
        return Err(store::Error::Damaged(format!(
            "campaign {name} is of tests of another version"
        )));
    };
    let document = |done: campaigns::Done| {
        let stopped = done.runs.len() < campaign.pieces;
        of.document(done.target, done.runs, stopped)
    };
    Ok(done.into_iter().map(document).collect())
}
