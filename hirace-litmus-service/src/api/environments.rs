//! Environments by name, and by what they are drawn from.

use crate::problem::Problem;
use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use hirace_litmus::environment::{Preset, Recipe};
use hirace_litmus::results::Environment;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The most that one answer has.
const MOST: u32 = 1000;

/// A list.
#[derive(Debug, Serialize)]
pub struct Listed {
    environments: Vec<Environment>,
}

/// Those that the command line draws from the same.
pub async fn drawn(asked: Result<Query<Recipe>, QueryRejection>) -> Result<Json<Listed>, Problem> {
    let Query(recipe) = asked?;
    if let Some(wrong) = recipe.out_of_range() {
        return Err(Problem::unprocessable(wrong.to_string()).at(wrong.name));
    }
    if recipe.number > MOST {
        return Err(Problem::unprocessable(format!("at most {MOST} are drawn")).at("number"));
    }
    Ok(Json(Listed { environments: recipe.environments().collect() }))
}

/// Those with names.
pub async fn presets() -> Json<Map<String, Value>> {
    let named = Preset::ALL.into_iter().filter_map(|preset| {
        let Value::String(name) = json!(preset) else { return None };
        Some((name, json!(preset.parameters())))
    });
    Json(named.collect())
}
