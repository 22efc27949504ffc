//! Tests of the manifests of the published packages.

use super::support::root;
use hirace_testing::harness::Trial;
use libtest_mimic::Failed;
use serde_json::Value;
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("packages::features_name_dependencies_that_installs_have", features)]
}

/// `cargo install` ignores dependencies of tests, and fails if a feature enables a feature of one of them.
fn features() -> Result<(), Failed> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("there are no packages")?;
    let mut checked = 0;
    for package in packages.iter().filter(|package| package["publish"].is_null()) {
        let dependencies = package["dependencies"].as_array().ok_or("there are no dependencies")?;
        let installed: Vec<&Value> = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .map(|dependency| &dependency["name"])
            .collect();
        for (feature, enabled) in package["features"].as_object().into_iter().flatten() {
            for enabled in enabled.as_array().into_iter().flatten().filter_map(Value::as_str) {
                let Some((dependency, _)) = enabled.split_once('/') else { continue };
                let dependency = dependency.trim_end_matches('?');
                checked += 1;
                if !installed.iter().any(|installed| *installed == dependency) {
                    let name = &package["name"];
                    let error = format!(
                        "{name}: feature {feature} enables {enabled}, of a dependency of tests only"
                    );
                    return Err(error.into());
                }
            }
        }
    }
    if checked < 20 { Err(format!("only {checked} features were checked").into()) } else { Ok(()) }
}
