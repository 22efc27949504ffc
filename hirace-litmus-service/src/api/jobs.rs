//! Jobs: everything that a page needs to run a test in an environment.

use crate::app::App;
use crate::body::JsonBody;
use crate::problem::Problem;
use axum::Json;
use axum::extract::State;
use hirace_litmus::job::{Job, JobError, JobRequest};
use hirace_litmus::results::RunFailure;

/// Returns the shaders, the sizes of buffers, and the classes of outcomes.
pub async fn job(
    State(app): State<App>,
    JsonBody(asked): JsonBody<JobRequest>,
) -> Result<Json<Job>, Problem> {
    let checker = app.checker.clone();
    let job =
        app.run_when_core_is_free(move || Job::new(asked, &checker)).await?.map_err(|error| {
            let (at, kind) = match &error {
                JobError::Test(_) => ("test", None),
                JobError::Failure(failure) => ("environment", Some(RunFailure::from(failure).kind)),
            };
            Problem { kind, ..Problem::unprocessable(error.to_string()).at(at) }
        })?;
    Ok(Json(job))
}
