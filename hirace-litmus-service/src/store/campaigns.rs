//! Campaigns and the leases of their pieces.
//!
//! For each device of a campaign, a piece is either new (its number is at least `next`), leased, or done. A piece whose
//! lease has expired is leased to the next worker that asks.

use super::{Error, ItemKind};
use hirace_litmus::campaign::SharedCampaign;
use hirace_litmus::remote::{LeaseResponse, NoMorePieces, WorkReceipt};
use hirace_litmus::results::{Run, Software, Target};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// The duration of a lease without renewal, in seconds, in addition to the time of a piece.
const LEASE_SECONDS: i64 = 120;

/// The time for which an expired lease is remembered, in seconds, so that a result can be sent again.
const KNOWN: i64 = 86_400;

/// The maximum number of devices of a campaign.
const MAX_TARGETS: i64 = 10_000;

/// A campaign and its progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Campaign {
    /// The parameters of the campaign.
    #[serde(flatten)]
    pub announced: SharedCampaign,
    /// The number of pieces.
    pub pieces: usize,
    /// The time of creation.
    pub created: String,
    /// Whether pieces are leased.
    pub open: bool,
    /// The devices that work on it.
    pub targets: Vec<Progress>,
}

/// A campaign in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// The name.
    pub name: String,
    /// The number of tests.
    pub tests: usize,
    /// The number of environments.
    pub environments: usize,
    /// The number of pieces.
    pub pieces: usize,
    /// The time of creation.
    pub created: String,
    /// Whether pieces are leased.
    pub open: bool,
    /// The devices that work on it.
    pub targets: Vec<Progress>,
}

/// The progress of a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// The device.
    pub target: Target,
    /// The number of pieces that are done.
    pub done: usize,
}

/// Creates a campaign.
///
/// # Errors
/// There is a campaign of this name, or the database cannot be written.
pub fn announce(connection: &Connection, announced: &SharedCampaign) -> Result<(), Error> {
    let inserted = connection.execute(
        "INSERT OR IGNORE INTO campaigns (name, created, tests, environments, budget, lasts, announced)
         VALUES (?1, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?2, ?3, ?4, ?5, ?6)",
        params![
            announced.name,
            announced.tests.len() as i64,
            announced.environments.len() as i64,
            announced.budget,
            LEASE_SECONDS + 2 * announced.settings.seconds.unwrap_or_default().ceil() as i64,
            serde_json::to_string(announced)?
        ],
    )?;
    if inserted == 0 { Err(Error::Exists(ItemKind::Campaign)) } else { Ok(()) }
}

/// Closes a campaign: its pieces are no longer leased.
///
/// # Errors
/// There is no such campaign, or the database cannot be written.
pub fn close(connection: &Connection, name: &str) -> Result<(), Error> {
    let changed = connection.execute("UPDATE campaigns SET open = 0 WHERE name = ?1", [name])?;
    if changed == 0 { Err(Error::Missing(ItemKind::Campaign)) } else { Ok(()) }
}

/// Returns the campaign of this name.
///
/// # Errors
/// There is no such campaign, or it cannot be read.
pub fn one(connection: &Connection, name: &str) -> Result<Campaign, Error> {
    let row = connection
        .prepare_cached("SELECT id, announced, created, open FROM campaigns WHERE name = ?1")?
        .query_row([name], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((id, announced, created, open)) = row else {
        return Err(Error::Missing(ItemKind::Campaign));
    };
    let announced: SharedCampaign = serde_json::from_str(&announced)?;
    let targets = progress(connection, id)?;
    Ok(Campaign { pieces: announced.pieces(), announced, created, open, targets })
}

/// Returns all campaigns, the newest first.
///
/// # Errors
/// The campaigns cannot be read.
pub fn list(connection: &Connection) -> Result<Vec<Listed>, Error> {
    let mut select = connection.prepare_cached(
        "SELECT id, name, tests, environments, created, open FROM campaigns ORDER BY id DESC",
    )?;
    let mut rows = select.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let (tests, environments): (i64, i64) = (row.get(2)?, row.get(3)?);
        all.push(Listed {
            name: row.get(1)?,
            tests: tests as usize,
            environments: environments as usize,
            pieces: (tests * environments) as usize,
            created: row.get(4)?,
            open: row.get(5)?,
            targets: progress(connection, row.get(0)?)?,
        });
    }
    Ok(all)
}

fn progress(connection: &Connection, campaign: i64) -> Result<Vec<Progress>, Error> {
    Ok(targets(connection, campaign)?.into_iter().map(|(_, progress)| progress).collect())
}

/// Returns the devices of a campaign with their ids.
fn targets(connection: &Connection, campaign: i64) -> Result<Vec<(i64, Progress)>, Error> {
    let mut select = connection.prepare_cached(
        "SELECT id, name, vendor, driver, software, done FROM targets WHERE campaign = ?1 ORDER BY id",
    )?;
    let mut rows = select.query([campaign])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let (operating_system, browser) = serde_json::from_str(&row.get::<_, String>(4)?)?;
        let (name, vendor, driver) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let target = Target { name, vendor, driver, operating_system, browser };
        let done: i64 = row.get(5)?;
        all.push((row.get(0)?, Progress { target, done: done as usize }));
    }
    Ok(all)
}

/// Leases pieces to a device. `lease` is the name of the lease, and `now` the current time.
///
/// # Errors
/// There is no such campaign, it has too many devices, or the database cannot be written.
pub fn lease(
    connection: &Connection,
    name: &str,
    target: &Target,
    most: usize,
    lease: &str,
    now: i64,
) -> Result<LeaseResponse, Error> {
    let known = connection
        .prepare_cached(
            "SELECT id, tests * environments, open, budget, lasts FROM campaigns WHERE name = ?1",
        )?
        .query_row([name], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((campaign, all, open, budget, lasts)): Option<(i64, i64, bool, Option<f64>, i64)> =
        known
    else {
        return Err(Error::Missing(ItemKind::Campaign));
    };
    let nothing = |why| Ok(LeaseResponse { reason: Some(why), ..LeaseResponse::default() });
    if !open {
        return nothing(NoMorePieces::Closed);
    }
    let of = find_or_add_device(connection, campaign, target)?;
    let (next, seconds): (i64, f64) = connection
        .prepare_cached("SELECT next, seconds FROM targets WHERE id = ?1")?
        .query_row([of], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if budget.is_some_and(|budget| seconds >= budget) {
        return nothing(NoMorePieces::Budget);
    }
    let mut pieces: Vec<i64> = connection
        .prepare_cached(
            "SELECT piece FROM leased LEFT JOIN leases USING (lease)
             WHERE leased.target = ?1 AND (leases.expires IS NULL OR leases.expires <= ?2)
             ORDER BY piece LIMIT ?3",
        )?
        .query_map(params![of, now, most as i64], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let end = (next + (most - pieces.len()) as i64).min(all);
    pieces.extend(next..end);
    if pieces.is_empty() {
        let until: Option<i64> = connection
            .prepare_cached(
                "SELECT min(expires) FROM leased JOIN leases USING (lease) WHERE leased.target = ?1",
            )?
            .query_row([of], |row| row.get(0))?;
        let Some(until) = until else { return nothing(NoMorePieces::Done) };
        let wait = u64::try_from(until - now).unwrap_or_default().max(1);
        return Ok(LeaseResponse { retry_after: Some(wait), ..LeaseResponse::default() });
    }
    connection
        .prepare_cached("DELETE FROM leases WHERE target = ?1 AND expires < ?2")?
        .execute([of, now - KNOWN])?;
    connection
        .prepare_cached(
            "INSERT INTO leases (lease, target, began, expires) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![lease, of, now, now + lasts])?;
    let mut hand_out = connection.prepare_cached(
        "INSERT INTO leased (target, piece, lease) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET lease = excluded.lease",
    )?;
    for piece in &pieces {
        hand_out.execute(params![of, piece, lease])?;
    }
    connection
        .prepare_cached("UPDATE targets SET next = ?2 WHERE id = ?1")?
        .execute(params![of, end])?;
    Ok(LeaseResponse {
        lease: Some(lease.to_owned()),
        expires: lasts.unsigned_abs(),
        pieces: pieces.into_iter().filter_map(|piece| usize::try_from(piece).ok()).collect(),
        ..LeaseResponse::default()
    })
}

/// Returns the id of a device in a campaign, and adds the device if it is new.
fn find_or_add_device(
    connection: &Connection,
    campaign: i64,
    target: &Target,
) -> Result<i64, Error> {
    let Target { name, vendor, driver, operating_system, browser } = target;
    let software = serde_json::to_string(&(operating_system, browser))?;
    let known = connection
        .prepare_cached(
            "SELECT id FROM targets
             WHERE campaign = ?1 AND name = ?2 AND vendor = ?3 AND driver = ?4 AND software = ?5",
        )?
        .query_row(params![campaign, name, vendor, driver, software], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM targets WHERE campaign = ?1")?
        .query_row([campaign], |row| row.get(0))?;
    if count >= MAX_TARGETS {
        return Err(Error::TooMany(ItemKind::Device));
    }
    Ok(connection
        .prepare_cached(
            "INSERT INTO targets (campaign, name, vendor, driver, software)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .insert(params![campaign, name, vendor, driver, software])?)
}

/// Stores the results of pieces, by their numbers, and renews or ends their lease.
///
/// # Errors
/// There is no such lease, a piece was never leased, or the database cannot be written.
pub fn put(
    connection: &Connection,
    name: &str,
    lease: &str,
    runs: &[(usize, Run)],
    done: bool,
    now: i64,
) -> Result<WorkReceipt, Error> {
    let found = connection
        .prepare_cached(
            "SELECT targets.id, targets.next, leases.began, leases.expires, campaigns.lasts FROM leases
             JOIN targets ON targets.id = leases.target JOIN campaigns ON campaigns.id = targets.campaign
             WHERE leases.lease = ?1 AND campaigns.name = ?2",
        )?
        .query_row([lease, name], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((of, next, began, expires, lasts)): Option<(i64, i64, i64, i64, i64)> = found else {
        return Err(Error::Missing(ItemKind::Lease));
    };
    let mut kept = 0;
    for (piece, run) in runs {
        let piece = *piece as i64;
        if piece >= next {
            return Err(Error::NotLeased(piece));
        }
        let is_new = connection
            .prepare_cached("INSERT OR IGNORE INTO runs (target, piece, run) VALUES (?1, ?2, ?3)")?
            .execute(params![of, piece, serde_json::to_string(run)?])?;
        kept += is_new;
        if is_new > 0 {
            connection
                .prepare_cached(
                    "UPDATE targets SET done = done + 1, seconds = seconds + ?2 WHERE id = ?1",
                )?
                // The run cannot have taken longer than the time since the lease began.
                .execute(params![
                    of,
                    run.seconds.unwrap_or_default().min((now - began).max(0) as f64 + 1.0)
                ])?;
        }
        connection
            .prepare_cached("DELETE FROM leased WHERE target = ?1 AND piece = ?2")?
            .execute([of, piece])?;
    }
    let over = expires <= now;
    if done {
        connection
            .prepare_cached("UPDATE leased SET lease = NULL WHERE target = ?1 AND lease = ?2")?
            .execute(params![of, lease])?;
    }
    if !over {
        let until = if done { now } else { now + lasts };
        connection
            .prepare_cached("UPDATE leases SET expires = ?2 WHERE lease = ?1")?
            .execute(params![lease, until])?;
    }
    Ok(WorkReceipt { kept, expired: over })
}

/// A filter of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceFilter {
    /// The name to match.
    pub name: Option<String>,
    /// The vendor to match.
    pub vendor: Option<String>,
    /// The driver to match.
    pub driver: Option<String>,
    /// The operating system to match: its name and version.
    pub operating_system: Option<String>,
    /// The browser to match: its name and version.
    pub browser: Option<String>,
}

impl DeviceFilter {
    fn is(&self, target: &Target) -> bool {
        let is = |asked: &Option<String>, is: &String| asked.as_ref().is_none_or(|of| of == is);
        let software =
            |of: &Option<Software>| of.as_ref().map(ToString::to_string).unwrap_or_default();
        is(&self.name, &target.name)
            && is(&self.vendor, &target.vendor)
            && is(&self.driver, &target.driver)
            && is(&self.operating_system, &software(&target.operating_system))
            && is(&self.browser, &software(&target.browser))
    }
}

/// Returns the devices of a campaign that match the filter, with their ids.
///
/// # Errors
/// There is no such campaign, or the devices cannot be read.
pub fn devices(
    connection: &Connection,
    name: &str,
    of: &DeviceFilter,
) -> Result<Vec<(i64, Target)>, Error> {
    let id = connection
        .prepare_cached("SELECT id FROM campaigns WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    let Some(id) = id else { return Err(Error::Missing(ItemKind::Campaign)) };
    let all = targets(connection, id)?.into_iter().map(|(id, progress)| (id, progress.target));
    Ok(all.filter(|(_, target)| of.is(target)).collect())
}

/// Returns the runs of the device of this id, in the order of the pieces.
///
/// # Errors
/// The runs cannot be read.
pub fn runs(connection: &Connection, id: i64) -> Result<Vec<Run>, Error> {
    let mut select =
        connection.prepare_cached("SELECT run FROM runs WHERE target = ?1 ORDER BY piece")?;
    let mut rows = select.query([id])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(serde_json::from_str(&row.get::<_, String>(0)?)?);
    }
    Ok(runs)
}

/// Returns a value that changes when runs of campaigns are added.
///
/// # Errors
/// The database cannot be read.
pub fn version(connection: &Connection) -> Result<(i64, i64), Error> {
    let mut select =
        connection.prepare_cached("SELECT count(*), coalesce(sum(done), 0) FROM targets")?;
    Ok(select.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}
