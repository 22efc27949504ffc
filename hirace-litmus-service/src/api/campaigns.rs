//! Campaigns: creating them, leasing their pieces, and merging the results.

use crate::analyses::MergeableCampaign;
use crate::app::App;
use crate::body::{JsonBody, PathParameter};
use crate::guard::{Operator, Submitter};
use crate::problem::Problem;
use crate::random;
use crate::store::{self, ItemKind, campaigns};
use crate::streamed;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hirace_litmus::campaign::{CampaignProposal, SharedCampaign};
use hirace_litmus::remote::{LeaseRequest, LeaseResponse, WorkReceipt, WorkReport};
use hirace_litmus::results::check::{Checker, RunContext};
use hirace_litmus::results::{Document, FailureKind, Run, Settings};
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// The maximum number of pieces of one lease.
const MAX_PIECES: usize = 64;

/// The maximum number of devices that an error names.
const NAMED: usize = 10;

/// The list of campaigns.
#[derive(Debug, Serialize)]
pub struct List {
    campaigns: Vec<campaigns::Listed>,
}

/// Returns all campaigns, the newest first.
pub async fn list(State(app): State<App>) -> Result<Response, Problem> {
    let permit = app.long.permit().await?;
    let campaigns = app.store.read(campaigns::list).await?;
    streamed::json(&app.long, permit, List { campaigns }).await
}

/// Returns one campaign.
pub async fn one(
    State(app): State<App>,
    PathParameter(name): PathParameter<String>,
) -> Result<Response, Problem> {
    let permit = app.long.permit().await?;
    let campaign = app.store.read(move |from| campaigns::one(from, &name)).await?;
    streamed::json(&app.long, permit, campaign).await
}

/// Creates a campaign.
pub async fn announce(
    _: Operator,
    State(app): State<App>,
    JsonBody(proposed): JsonBody<CampaignProposal>,
) -> Result<Response, Problem> {
    let announced = app.run_when_core_is_free(move || proposed.validate()).await??;
    let name = announced.name.clone();
    // A request that fails because it waited too long has created nothing.
    let permit = app.long.permit().await?;
    app.store.write(move |to| campaigns::announce(to, &announced)).await?;
    let place = [(header::LOCATION, format!("/api/campaigns/{name}"))];
    let campaign = app.store.read(move |from| campaigns::one(from, &name)).await?;
    let campaign = streamed::json(&app.long, permit, campaign).await?;
    Ok((StatusCode::CREATED, place, campaign).into_response())
}

/// Closes a campaign: its pieces are no longer leased, and its results remain.
pub async fn close(
    _: Operator,
    State(app): State<App>,
    PathParameter(name): PathParameter<String>,
) -> Result<StatusCode, Problem> {
    app.store.write(move |to| campaigns::close(to, &name)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Leases pieces.
pub async fn lease(
    _: Submitter,
    State(app): State<App>,
    PathParameter(name): PathParameter<String>,
    JsonBody(asked): JsonBody<LeaseRequest>,
) -> Result<Json<LeaseResponse>, Problem> {
    app.checker.check_target(&asked.target)?;
    let Some(lease) = random::hex::<16>() else {
        let why = "the system provides no random numbers";
        return Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, why));
    };
    let most = asked.most.clamp(1, MAX_PIECES);
    let leased =
        app.store.write(move |to| campaigns::lease(to, &name, &asked.target, most, &lease, now()));
    Ok(Json(leased.await?))
}

/// Stores the results of pieces.
pub async fn put(
    _: Submitter,
    State(app): State<App>,
    PathParameter((name, lease)): PathParameter<(String, String)>,
    JsonBody(worked): JsonBody<WorkReport>,
) -> Result<Json<WorkReceipt>, Problem> {
    let announced = app.campaign_cache.of(&app.store, &name).await?;
    let checker = app.checker.clone();
    let WorkReport { runs, done } = worked;
    let runs = app.run_when_core_is_free(move || numbered(&announced, runs, &checker)).await??;
    let kept = app.store.write(move |to| campaigns::put(to, &name, &lease, &runs, done, now()));
    let kept = kept.await?;
    app.metrics.runs.inc_by(kept.kept as u64);
    Ok(Json(kept))
}

/// Checks runs and returns them with the numbers of their pieces.
fn numbered(
    announced: &SharedCampaign,
    runs: Vec<Run>,
    checker: &Checker,
) -> Result<Vec<(usize, Run)>, Problem> {
    let given = RunContext {
        settings: &announced.settings,
        environments: &announced.environments,
        specification: announced.specification,
    };
    let mut all = Vec::new();
    for (at, run) in runs.into_iter().enumerate() {
        let at = format!("runs[{at}]");
        let test = announced.tests.iter().position(|test| *test == run.test);
        let Some(test) = test else {
            let why = "the test is not part of the campaign";
            return Err(Problem::unprocessable(why).at(format!("{at}.test")));
        };
        checker.check_run(&at, given, &run)?;
        if run.seconds.is_none() {
            let why = "the time of the run is missing";
            return Err(Problem::unprocessable(why).at(format!("{at}.seconds")));
        }
        if !is_whole(&run, &announced.settings) {
            let why = "the run is incomplete, but has no failure";
            return Err(Problem::unprocessable(why).at(format!("{at}.iterations")));
        }
        all.push((run.environment * announced.tests.len() + test, run));
    }
    Ok(all)
}

/// Returns whether a run is complete or states a failure. A stopped piece is returned without a run.
fn is_whole(run: &Run, settings: &Settings) -> bool {
    match &run.failure {
        Some(failed) => failed.kind != FailureKind::Stopped,
        None => {
            run.iterations == settings.iterations
                || (settings.seconds.is_some() && run.iterations > 0)
        }
    }
}

/// Returns the results of a device as if one machine had run the whole campaign.
pub async fn results(
    State(app): State<App>,
    PathParameter(name): PathParameter<String>,
    of: Result<Query<campaigns::DeviceFilter>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(of) = of?;
    let permit = app.long.permit().await?;
    let found = app.store.read(move |from| {
        let mut devices = campaigns::devices(from, &name, &of)?;
        match (devices.pop(), devices.is_empty()) {
            (Some(device), true) => MergeableCampaign::of(from, &name)?
                .document(from, device)
                .map(|document| MatchedDevices::One(Box::new(document))),
            (None, _) => Err(store::Error::Missing(ItemKind::Device)),
            (Some(last), false) => {
                let names = devices.into_iter().chain([last]).map(|(_, target)| target.name);
                Ok(MatchedDevices::Several(names.take(NAMED).collect()))
            }
        }
    });
    match found.await? {
        MatchedDevices::One(document) => streamed::json(&app.long, permit, document).await,
        MatchedDevices::Several(names) => Err(Problem::unprocessable(format!(
            "specify `name`, `vendor`, `driver`, `operating_system` and `browser`: there are several devices, for example {}",
            names.join(", ")
        ))),
    }
}

/// The devices that a query matches.
enum MatchedDevices {
    /// One device, with its results.
    One(Box<Document>),
    /// Several devices, with their names.
    Several(Vec<String>),
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}
