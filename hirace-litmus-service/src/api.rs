//! The API, with a file per resource. Responses are JSON; `openapi.json` describes them.

mod analysis;
mod campaigns;
mod environments;
mod jobs;
mod openapi;
mod service;
mod submissions;
mod tests;

use crate::app::App;
use crate::problem::Problem;
use axum::http::{Method, StatusCode, Uri};
use axum::routing::{MethodRouter, get, post};

/// A path and its methods.
pub struct Route {
    /// The path.
    pub path: &'static str,
    /// The HTTP methods.
    pub methods: &'static [&'static str],
    /// The handlers.
    pub handlers: MethodRouter<App>,
}

/// Returns all routes.
pub fn routes() -> Vec<Route> {
    let route = |path, methods, handlers| Route { path, methods, handlers };
    vec![
        route("/api/health", &["get"], get(service::health)),
        route("/api/openapi.json", &["get"], get(openapi::openapi)),
        route("/metrics", &["get"], get(service::metrics)),
        route("/api/tests", &["get"], get(tests::list)),
        route("/api/presets", &["get"], get(environments::presets)),
        route("/api/environments", &["get"], get(environments::generate_environments)),
        route("/api/jobs", &["post"], post(jobs::job)),
        route(
            "/api/submissions",
            &["get", "post"],
            get(submissions::list).post(submissions::submit),
        ),
        route(
            "/api/submissions/{id}",
            &["get", "delete"],
            get(submissions::one).delete(submissions::remove),
        ),
        route("/api/analysis", &["get"], get(analysis::analysis)),
        route("/api/campaigns", &["get", "post"], get(campaigns::list).post(campaigns::announce)),
        route(
            "/api/campaigns/{name}",
            &["get", "delete"],
            get(campaigns::one).delete(campaigns::close),
        ),
        route("/api/campaigns/{name}/leases", &["post"], post(campaigns::lease)),
        route("/api/campaigns/{name}/leases/{lease}", &["post"], post(campaigns::put)),
        route("/api/campaigns/{name}/results", &["get"], get(campaigns::results)),
    ]
}

/// Responds to an unknown path.
pub async fn not_found(uri: Uri) -> Problem {
    Problem::unknown_path(uri.path())
}

/// Responds to a known path with a wrong method.
pub async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    Problem::new(status, format!("method {method} is not allowed at {}", uri.path()))
}
