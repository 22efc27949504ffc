//! Campaigns: they are announced, their pieces are handed out, and what comes of these is put together.

use crate::analyses::merged;
use crate::app::App;
use crate::body::Read;
use crate::guard::{Guest, Host};
use crate::problem::Problem;
use crate::random;
use crate::store::{self, campaigns};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hirace_litmus::campaign::{Announced, Proposed};
use hirace_litmus::remote::{Kept, LeaseAsked, Leased, Worked};
use hirace_litmus::results::check::{Checker, Given};
use hirace_litmus::results::{Document, Run};
use hirace_litmus::test::Specification;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// The most pieces of one lease.
const MOST: usize = 64;

/// All of them.
#[derive(Debug, Serialize)]
pub struct List {
    campaigns: Vec<campaigns::Listed>,
}

/// All of them, the newest first.
pub async fn list(State(app): State<App>) -> Result<Json<List>, Problem> {
    Ok(Json(List { campaigns: app.store.read(campaigns::list).await? }))
}

/// One.
pub async fn one(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<Json<campaigns::Campaign>, Problem> {
    Ok(Json(app.store.read(move |from| campaigns::one(from, &name)).await?))
}

/// Announces one.
pub async fn announce(
    _: Host,
    State(app): State<App>,
    Read(proposed): Read<Proposed>,
) -> Result<Response, Problem> {
    let announced = tokio::task::spawn_blocking(move || proposed.announced());
    let announced = announced
        .await
        .map_err(|_| store::Error::Ended)?
        .map_err(|refused| Problem::unprocessable(refused.why).at(refused.at))?;
    let name = announced.name.clone();
    app.store.write(move |to| campaigns::announce(to, &announced)).await?;
    let place = [(header::LOCATION, format!("/api/campaigns/{name}"))];
    let campaign = app.store.read(move |from| campaigns::one(from, &name)).await?;
    Ok((StatusCode::CREATED, place, Json(campaign)).into_response())
}

/// Ends one: no more of its pieces are handed out, and what came of it stays.
pub async fn close(
    _: Host,
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    app.store.write(move |to| campaigns::open(to, &name, false)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Hands out pieces.
pub async fn lease(
    _: Guest,
    State(app): State<App>,
    Path(name): Path<String>,
    Read(asked): Read<LeaseAsked>,
) -> Result<Json<Leased>, Problem> {
    app.checker.check_target(&asked.target)?;
    let Some(lease) = random::hex::<16>() else {
        let why = "the system has no random numbers";
        return Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, why));
    };
    let most = asked.most.clamp(1, MOST);
    let leased =
        app.store.write(move |to| campaigns::lease(to, &name, &asked.target, most, &lease, now()));
    Ok(Json(leased.await?))
}

/// Takes what came of pieces.
pub async fn put(
    _: Guest,
    State(app): State<App>,
    Path((name, lease)): Path<(String, String)>,
    Read(worked): Read<Worked>,
) -> Result<Json<Kept>, Problem> {
    let of = name.clone();
    let campaign = app.store.read(move |from| campaigns::one(from, &of)).await?;
    let checker = app.checker.clone();
    let Worked { runs, done } = worked;
    let checked =
        tokio::task::spawn_blocking(move || numbered(&campaign.announced, runs, &checker));
    let runs = checked.await.map_err(|_| store::Error::Ended)??;
    let kept = app.store.write(move |to| campaigns::put(to, &name, &lease, &runs, done, now()));
    let kept = kept.await?;
    app.metrics.runs.inc_by(kept.kept as u64);
    Ok(Json(kept))
}

/// Runs with the numbers of their pieces, if they are true to themselves.
fn numbered(
    announced: &Announced,
    runs: Vec<Run>,
    checker: &Checker,
) -> Result<Vec<(usize, Run)>, Problem> {
    let Some(specification) = Specification::of_name(&announced.specification) else {
        return Err(store::Error::Damaged(announced.specification.clone()).into());
    };
    let mut all = Vec::new();
    for (at, run) in runs.into_iter().enumerate() {
        let at = format!("runs[{at}]");
        let test = announced.tests.iter().position(|test| *test == run.test);
        let Some(test) = test else {
            let why = "the campaign has no such test";
            return Err(Problem::unprocessable(why).at(format!("{at}.test")));
        };
        let given = Given {
            settings: &announced.settings,
            environments: &announced.environments,
            specification,
        };
        checker.check_run(&at, given, &run)?;
        all.push((run.environment * announced.tests.len() + test, run));
    }
    Ok(all)
}

/// Of which device, if there are several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Of {
    name: Option<String>,
    vendor: Option<String>,
    driver: Option<String>,
}

/// What a device showed, as if one machine had run all of it.
pub async fn results(
    State(app): State<App>,
    Path(name): Path<String>,
    of: Result<Query<Of>, QueryRejection>,
) -> Result<Json<Document>, Problem> {
    let Query(of) = of?;
    let is_it = move |document: &Document| {
        let is = |asked: &Option<String>, is: &String| asked.as_ref().is_none_or(|of| of == is);
        let target = &document.target;
        is(&of.name, &target.name)
            && is(&of.vendor, &target.vendor)
            && is(&of.driver, &target.driver)
    };
    let mut all = app.store.read(move |from| merged(from, &name)).await?;
    all.retain(is_it);
    match all.len() {
        0 => Err(Problem::missing("device")),
        1 => Ok(Json(all.remove(0))),
        _ => {
            let names: Vec<String> =
                all.iter().map(|document| format!("`{}`", document.target.name)).collect();
            let why = format!("give `name`, `vendor` and `driver`: there are {}", names.join(", "));
            Err(Problem::unprocessable(why))
        }
    }
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}
