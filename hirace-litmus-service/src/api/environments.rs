//! Environments: presets by name, and randomly generated ones.

use crate::app::App;
use crate::problem::Problem;
use crate::streamed;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use hirace_litmus::environment::Environment;
use hirace_litmus::environment::{Preset, Recipe};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The maximum number of environments in one response.
const MAX_ENVIRONMENTS: u32 = 1000;

/// A list of environments.
#[derive(Debug, Serialize)]
pub struct Listed {
    environments: Vec<Environment>,
}

/// Returns the environments that the command line generates from the same recipe.
pub async fn generate_environments(
    State(app): State<App>,
    asked: Result<Query<Recipe>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(recipe) = asked?;
    if let Some(wrong) = recipe.out_of_range() {
        return Err(Problem::unprocessable(wrong.to_string()).at(wrong.name));
    }
    if recipe.number > MAX_ENVIRONMENTS {
        return Err(
            Problem::unprocessable(format!("must be at most {MAX_ENVIRONMENTS}")).at("number")
        );
    }
    let permit = app.long.permit().await?;
    streamed::json(&app.long, permit, Listed { environments: recipe.environments().collect() })
        .await
}

/// Returns the presets.
pub async fn presets() -> Json<Map<String, Value>> {
    let named = Preset::ALL.into_iter().filter_map(|preset| {
        let Value::String(name) = json!(preset) else { return None };
        Some((name, json!(preset.parameters())))
    });
    Json(named.collect())
}
