//! The status of the service.

use crate::app::App;
use crate::problem::Problem;
use crate::store::submissions;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde_json::{Value, json};

/// Returns the health of the service: whether it can read its database.
pub async fn health(State(app): State<App>) -> Result<Json<Value>, Problem> {
    let (submissions, _) = app.store.read(submissions::version).await?;
    Ok(Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "submissions": submissions,
        "closed": app.options.requires_token,
    })))
}

/// Returns the metrics for Prometheus.
pub async fn metrics(State(app): State<App>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text())
}
