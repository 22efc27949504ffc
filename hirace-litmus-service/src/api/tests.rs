//! The list of tests.

use crate::app::App;
use crate::problem::Problem;
use crate::streamed;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use hirace_litmus::report::Listing;
use hirace_litmus::test::{self, Specification};
use serde::Deserialize;

/// The query: the version of the specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestsQuery {
    specification: Option<String>,
}

/// Returns all tests, with their kinds under a version of the specification.
pub async fn list(
    State(app): State<App>,
    asked: Result<Query<TestsQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(TestsQuery { specification }) = asked?;
    let judge = match specification {
        None => Specification::default(),
        Some(name) => Specification::of_name(&name).ok_or_else(|| {
            Problem::unprocessable("unknown version of the specification").at("specification")
        })?,
    };
    let permit = app.long.permit().await?;
    let listing = app.run_when_core_is_free(move || Listing::new(&test::all(), judge)).await?;
    streamed::json(&app.long, permit, listing).await
}
