//! Jobs: everything that a page needs to run a test in an environment.

use crate::app::App;
use crate::body::Read;
use crate::problem::Problem;
use axum::Json;
use axum::extract::State;
use hirace_litmus::results::Failed;
use hirace_litmus::run::job::{Asked, Job, NoJob};

/// Returns the shaders, the sizes of buffers, and the classes of outcomes.
pub async fn job(State(app): State<App>, Read(asked): Read<Asked>) -> Result<Json<Job>, Problem> {
    let checker = app.checker.clone();
    let job = app.at_work(move || Job::new(asked, &checker)).await?.map_err(|error| {
        let (at, kind) = match &error {
            NoJob::Test(_) => ("test", None),
            NoJob::Failure(failure) => ("environment", Some(Failed::from(failure).kind)),
        };
        Problem { kind, ..Problem::unprocessable(error.to_string()).at(at) }
    })?;
    Ok(Json(job))
}
