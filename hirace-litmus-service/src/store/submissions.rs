//! Submissions.

use super::{Error, ItemKind};
use hirace_litmus::results::Software;
use hirace_litmus::results::table::Side;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A submission to store.
#[derive(Clone, Debug)]
pub struct NewSubmission {
    /// The kind of the document.
    pub kind: Kind,
    /// How tests were run.
    pub side: Side,
    /// The name in an analysis; the default is its number.
    pub file: Option<String>,
    /// The device.
    pub device: Device,
    /// The summary for lists.
    pub outline: Outline,
    /// The document as JSON.
    pub document: String,
}

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The results of a campaign, `hirace.litmus/1`.
    #[serde(rename = "hirace.litmus/1")]
    Litmus,
    /// Results in the published form of MC Mutants and GPUHarbor.
    #[serde(rename = "published")]
    Published,
}

/// The device under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The name.
    pub device: String,
    /// The vendor.
    pub vendor: String,
    /// The driver.
    pub driver: String,
}

/// The summary of a submission for lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The verb of the campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<hirace_litmus::results::Verb>,
    /// The version of the specification that classified outcomes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specification: Option<String>,
    /// The seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
    /// The number of environments.
    pub environments: usize,
    /// The number of tests.
    pub tests: usize,
    /// The number of runs.
    pub runs: usize,
    /// The number of instances.
    pub instances: u64,
    /// The number of mutants that were killed.
    pub killed: usize,
    /// The number of mutants that were run.
    pub mutants: usize,
    /// The tests with outcomes that the model forbids.
    pub violations: Vec<String>,
    /// The operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operating_system: Option<Software>,
    /// The browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Software>,
}

/// A submission in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The number of the submission.
    pub id: i64,
    /// The time of submission.
    pub received: String,
    /// The kind of the document.
    pub kind: Kind,
    /// How tests were run.
    pub side: Side,
    /// The device.
    #[serde(flatten)]
    pub device: Device,
    /// The summary.
    #[serde(flatten)]
    pub outline: Outline,
}

/// A stored submission with its document.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSubmission {
    /// The number of the submission.
    pub id: i64,
    /// The time of submission.
    pub received: String,
    /// The kind of the document.
    pub kind: Kind,
    /// How tests were run.
    pub side: Side,
    /// The name in an analysis.
    pub file: String,
    /// The document as JSON.
    pub document: String,
}

/// A selection of submissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The numbers of the submissions; all if empty.
    pub ids: Vec<i64>,
    /// The vendor to match.
    pub vendor: Option<String>,
    /// The device to match.
    pub device: Option<String>,
}

fn to_word<T: Serialize>(value: &T) -> Result<String, Error> {
    match serde_json::to_value(value)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(Error::Damaged(other.to_string())),
    }
}

fn from_word<T: for<'de> Deserialize<'de>>(word: String) -> Result<T, Error> {
    Ok(serde_json::from_value(serde_json::Value::String(word))?)
}

/// Stores a submission. Returns its number, and false if it was already stored.
///
/// # Errors
/// The database cannot be written.
pub fn keep(connection: &Connection, new: &NewSubmission) -> Result<(i64, bool), Error> {
    let side = to_word(&new.side)?;
    let mut digest = Sha256::new();
    digest.update(side.as_bytes());
    digest.update(b"\n");
    digest.update(new.document.as_bytes());
    let digest = digest.finalize();
    let known = connection
        .prepare_cached("SELECT id FROM submissions WHERE digest = ?1")?
        .query_row([&digest[..]], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok((id, false));
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO submissions (received, digest, kind, side, file, device, vendor, driver, outline, document)
         VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let Device { device, vendor, driver } = &new.device;
    let id = insert.insert(params![
        &digest[..],
        to_word(&new.kind)?,
        side,
        new.file.as_deref().unwrap_or_default(),
        device,
        vendor,
        driver,
        serde_json::to_string(&new.outline)?,
        new.document,
    ])?;
    Ok((id, true))
}

/// Returns the newest submissions with a number below `before`.
///
/// # Errors
/// The submissions cannot be read.
pub fn list(
    connection: &Connection,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Listed>, Error> {
    let mut select = connection.prepare_cached(
        "SELECT id, received, kind, side, device, vendor, driver, outline FROM submissions
         WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
    )?;
    let mut rows = select.query(params![before.unwrap_or(i64::MAX), limit as i64])?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next()? {
        listed.push(Listed {
            id: row.get(0)?,
            received: row.get(1)?,
            kind: from_word(row.get(2)?)?,
            side: from_word(row.get(3)?)?,
            device: Device { device: row.get(4)?, vendor: row.get(5)?, driver: row.get(6)? },
            outline: serde_json::from_str(&row.get::<_, String>(7)?)?,
        });
    }
    Ok(listed)
}

/// Returns one submission.
///
/// # Errors
/// There is no submission of this number, or it cannot be read.
pub fn one(connection: &Connection, id: i64) -> Result<StoredSubmission, Error> {
    let mut select = connection.prepare_cached(
        "SELECT id, received, kind, side, file, document FROM submissions WHERE id = ?1",
    )?;
    let mut rows = select.query([id])?;
    let Some(row) = rows.next()? else { return Err(Error::Missing(ItemKind::Submission)) };
    let file: String = row.get(4)?;
    Ok(StoredSubmission {
        id,
        received: row.get(1)?,
        kind: from_word(row.get(2)?)?,
        side: from_word(row.get(3)?)?,
        file: if file.is_empty() { format!("#{id}") } else { file },
        document: row.get(5)?,
    })
}

/// The maximum number of bytes of documents that are read for one analysis.
const MAX_BYTES: usize = 128 << 20;

/// Calls `visit` with the newest selected submissions up to the limits, in the order of submission.
///
/// # Errors
/// The submissions cannot be read.
pub fn chosen(
    connection: &Connection,
    chosen: &Selection,
    limit: usize,
    mut visit: impl FnMut(StoredSubmission),
) -> Result<(), Error> {
    let ids: Vec<String> = (0..chosen.ids.len()).map(|index| format!("?{}", index + 4)).collect();
    let ids = ids.join(", ");
    let by_ids = if chosen.ids.is_empty() { String::new() } else { format!("AND id IN ({ids})") };
    let mut select = connection.prepare(&format!(
        "SELECT id, length(CAST(document AS BLOB)) FROM submissions
         WHERE (?1 IS NULL OR vendor = ?1) AND (?2 IS NULL OR device = ?2) {by_ids}
         ORDER BY id DESC LIMIT ?3",
    ))?;
    let values: Vec<rusqlite::types::Value> =
        [chosen.vendor.clone().into(), chosen.device.clone().into(), (limit as i64).into()]
            .into_iter()
            .chain(chosen.ids.iter().map(|id| (*id).into()))
            .collect();
    let mut rows = select.query(params_from_iter(values))?;
    let (mut ids, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        bytes += row.get::<_, i64>(1)? as usize;
        if bytes > MAX_BYTES {
            tracing::warn!(read = ids.len(), "skipped older submissions: too many bytes");
            break;
        }
        ids.push(row.get(0)?);
    }
    for id in ids.into_iter().rev() {
        visit(one(connection, id)?);
    }
    Ok(())
}

/// Removes a submission.
///
/// # Errors
/// There is no submission of this number, or the database cannot be written.
pub fn remove(connection: &Connection, id: i64) -> Result<(), Error> {
    match connection.execute("DELETE FROM submissions WHERE id = ?1", [id])? {
        0 => Err(Error::Missing(ItemKind::Submission)),
        _ => Ok(()),
    }
}

/// Returns a value that changes when submissions are added or removed.
///
/// # Errors
/// The database cannot be read.
pub fn version(connection: &Connection) -> Result<(i64, i64), Error> {
    let mut select =
        connection.prepare_cached("SELECT count(*), coalesce(max(id), 0) FROM submissions")?;
    Ok(select.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}
