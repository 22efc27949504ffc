//! Analyses of the stored results.

use crate::analyses::{AnalysisSelection, MAX_ENTRIES};
use crate::app::App;
use crate::problem::Problem;
use crate::store::submissions::Selection;
use crate::streamed;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hirace_litmus::analysis;
use hirace_litmus::analysis::document::Analysis;
use serde::Deserialize;

/// The content security policy: the page has no scripts, and none can be injected.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/// The query: the selection of results and the format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisQuery {
    submissions: Option<String>,
    vendor: Option<String>,
    device: Option<String>,
    campaign: Option<String>,
    #[serde(default)]
    format: Format,
}

/// The format of an analysis.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    Html,
    Text,
}

/// Returns the analysis.
pub async fn analysis(
    State(app): State<App>,
    of: Result<Query<AnalysisQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(AnalysisQuery { submissions, vendor, device, campaign, format }) = of?;
    if campaign.is_some() && (submissions.is_some() || vendor.is_some() || device.is_some()) {
        let why = "`campaign` cannot be combined with `submissions`, `vendor` or `device`";
        return Err(Problem::unprocessable(why).at("campaign"));
    }
    let ids = match submissions {
        None => Vec::new(),
        Some(list) => ids(&list).ok_or_else(|| {
            let why = format!("must be up to {MAX_ENTRIES} numbers, separated by commas");
            Problem::unprocessable(why).at("submissions")
        })?,
    };
    let asked = AnalysisSelection { chosen: Selection { ids, vendor, device }, campaign };
    let analysis = app.analyses.of(&app.store, asked).await?;
    let (kind, report): (_, fn(&Analysis) -> String) = match format {
        Format::Json => ("application/json", analysis::json),
        Format::Html => ("text/html; charset=utf-8", analysis::html::report),
        Format::Text => ("text/plain; charset=utf-8", analysis::text::report),
    };
    let permit = app.long.permit().await?;
    let text = streamed::text(&app.long, permit, kind, move || report(&analysis)).await?;
    Ok(([(header::CONTENT_SECURITY_POLICY, POLICY)], text).into_response())
}

fn ids(list: &str) -> Option<Vec<i64>> {
    let ids: Option<Vec<i64>> =
        list.split(',').take(MAX_ENTRIES + 1).map(|id| id.trim().parse().ok()).collect();
    ids.filter(|ids| ids.len() <= MAX_ENTRIES)
}
