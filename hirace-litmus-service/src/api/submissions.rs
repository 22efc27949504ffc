//! Submissions: results that clients send.

use crate::app::App;
use crate::body::{JsonText, PathParameter};
use crate::guard::{Operator, Submitter};
use crate::problem::Problem;
use crate::store::submissions::{self, Listed};
use crate::streamed;
use crate::submission::{self, ReadOptions};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hirace_litmus::remote::SubmissionReceipt;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The maximum number of submissions in a response.
const MAX_LISTED: usize = 200;

/// Stores a submission if it is consistent.
pub async fn submit(
    _: Submitter,
    State(app): State<App>,
    JsonText(text, _memory): JsonText,
) -> Result<Response, Problem> {
    let checker = app.checker.clone();
    let submission = app
        .run_when_core_is_free(move || submission::read(&text, &checker, &ReadOptions::FROM_API))
        .await??;
    let (id, is_new) =
        app.store.write(move |connection| submissions::keep(connection, &submission)).await?;
    let status = match is_new {
        true => StatusCode::CREATED,
        false => StatusCode::OK,
    };
    app.metrics.submissions.inc_by(is_new.into());
    let url = format!("/#/results/{id}");
    let location = [(header::LOCATION, format!("/api/submissions/{id}"))];
    Ok((status, location, Json(SubmissionReceipt { id, url })).into_response())
}

/// The query parameters that select a part of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    before: Option<i64>,
    limit: Option<usize>,
}

/// A part of the list of submissions, the newest first.
#[derive(Debug, Serialize)]
pub struct SubmissionPage {
    submissions: Vec<Listed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<i64>,
}

/// Returns a part of the stored submissions.
pub async fn list(
    State(app): State<App>,
    part: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<SubmissionPage>, Problem> {
    let Query(ListQuery { before, limit }) = part?;
    let limit = limit.unwrap_or(50);
    if !(1..=MAX_LISTED).contains(&limit) {
        return Err(Problem::unprocessable(format!("must be from 1 to {MAX_LISTED}")).at("limit"));
    }
    let mut listed =
        app.store.read(move |connection| submissions::list(connection, before, limit + 1)).await?;
    let has_more = listed.len() > limit;
    listed.truncate(limit);
    let next = listed.last().filter(|_| has_more).map(|last| last.id);
    Ok(Json(SubmissionPage { submissions: listed, next }))
}

/// Returns one submission with its document.
pub async fn one(
    State(app): State<App>,
    PathParameter(id): PathParameter<i64>,
) -> Result<Response, Problem> {
    let permit = app.long.permit().await?;
    let stored = app.store.read(move |connection| submissions::one(connection, id)).await?;
    let fields = [
        ("id", json!(stored.id)),
        ("received", json!(stored.received)),
        ("kind", json!(stored.kind)),
        ("side", json!(stored.side)),
        ("file", json!(stored.file)),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    streamed::json_with(&app.long, permit, fields, ("document", stored.document)).await
}

/// Removes a submission.
pub async fn remove(
    _: Operator,
    State(app): State<App>,
    PathParameter(id): PathParameter<i64>,
) -> Result<StatusCode, Problem> {
    app.store.write(move |connection| submissions::remove(connection, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
