//! Default inputs of `cargo hirace VERB`, taken from the current package.

use crate::args::InputArgs;
use hirace_core::config::find_deep_nesting;
use std::env;
use std::path::{Path, PathBuf};

/// The environment variable in which `cargo-hirace` passes the folder of the current package.
pub const PACKAGE: &str = "HIRACE_PACKAGE";

/// The command that runs the tests of a package.
const TESTS: [&str; 2] = ["cargo", "test"];

/// Fills in default inputs if none are given and `cargo hirace` runs the verb: the tests of the package if it depends
/// on hirace and has tests, otherwise the kernels in its folder. Returns a description of what was chosen.
pub fn fill(what: &mut InputArgs, command: Option<&mut Vec<String>>) -> Option<String> {
    let package = env::var_os(PACKAGE).filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
    let is_named = !what.paths.is_empty() || command.as_ref().is_some_and(|of| !of.is_empty());
    if is_named || what.run.config.is_some() || package.join("hirace.toml").exists() {
        return None;
    }
    if let Some(command) = command
        && !what.is_given()
        && depends_on_hirace(&package.join("Cargo.toml"))
    {
        *command = TESTS.map(str::to_owned).to_vec();
        return Some(format!("the tests of {}: -- {}", package.display(), TESTS.join(" ")));
    }
    let said = format!("the kernels in {}", package.display());
    what.paths.push(package);
    Some(said)
}

/// Returns whether a manifest lists the hirace crate among its dependencies.
fn depends_on_hirace(manifest: &Path) -> bool {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    if find_deep_nesting(&text).is_some() {
        return false;
    }
    let Ok(manifest) = text.parse::<toml::Table>() else { return false };
    let tables = ["dependencies", "dev-dependencies"]
        .into_iter()
        .filter_map(|name| manifest.get(name)?.as_table());
    let is_it = |(name, of): (&String, &toml::Value)| {
        let package = of.get("package").and_then(toml::Value::as_str);
        package.unwrap_or(name) == "hirace"
    };
    tables.flatten().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_depends_on_hirace_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.toml");
        let is = |text: &str| {
            std::fs::write(&path, text).unwrap();
            depends_on_hirace(&path)
        };
        assert!(is("[dev-dependencies]\nhirace = \"0.1\""));
        assert!(is("[dependencies.check]\npackage = \"hirace\"\nversion = \"0.1\""));
        assert!(!is("[dependencies]\nhirace-core = \"0.1\"\nhirace = { package = \"other\" }"));
        assert!(!is("hirace"));
        assert!(!depends_on_hirace(Path::new("/nowhere/Cargo.toml")));
    }
}
