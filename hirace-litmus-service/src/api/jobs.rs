//! What it takes to run a test in an environment, for pages.

use crate::app::App;
use crate::body::Read;
use crate::problem::Problem;
use axum::Json;
use axum::extract::State;
use hirace_litmus::results::Failed;
use hirace_litmus::run::job::{Asked, Job, NoJob};

/// Shaders, sizes, and what outcomes are.
pub async fn job(State(app): State<App>, Read(asked): Read<Asked>) -> Result<Json<Job>, Problem> {
    let made = tokio::task::spawn_blocking(move || Job::new(asked, &app.checker)).await;
    let job = made.map_err(|_| crate::store::Error::Ended)?.map_err(|error| {
        let (at, kind) = match &error {
            NoJob::Test(_) => ("test", None),
            NoJob::Specification(_) => ("specification", None),
            NoJob::Failure(failure) => ("environment", Some(Failed::from(failure).kind)),
        };
        Problem { kind, ..Problem::unprocessable(error.to_string()).at(at) }
    })?;
    Ok(Json(job))
}
