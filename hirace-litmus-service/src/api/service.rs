//! Of the service itself.

use crate::app::App;
use crate::problem::Problem;
use crate::store::submissions;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};

/// Whether it can read what is kept.
pub async fn health(State(app): State<App>) -> Result<Json<Value>, Problem> {
    let (submissions, _) = app.store.read(submissions::version).await?;
    Ok(Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "submissions": submissions,
        "closed": app.options.closed,
    })))
}

/// What is counted, for Prometheus.
pub async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text())
}
