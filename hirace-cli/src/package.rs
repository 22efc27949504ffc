//! A package of cargo by itself: what `cargo hirace VERB` means where nothing is named.

use crate::args::WhatArgs;
use std::env;
use std::path::{Path, PathBuf};

/// The environment variable by which `cargo-hirace` names the folder of the package it stands in.
pub const PACKAGE: &str = "HIRACE_PACKAGE";

/// The command that runs the tests of a package.
const TESTS: [&str; 2] = ["cargo", "test"];

/// Where nothing is named, and cargo asks: the tests of the package, if it depends on hirace and some are there; otherwise
/// what kernels there are in its folder. Says what was taken.
pub fn fill(what: &mut WhatArgs, command: Option<&mut Vec<String>>) -> Option<String> {
    let package = env::var_os(PACKAGE).filter(|folder| !folder.is_empty()).map(PathBuf::from)?;
    let is_named = !what.paths.is_empty() || command.as_ref().is_some_and(|of| !of.is_empty());
    if is_named || what.run.config.is_some() || package.join("hirace.toml").exists() {
        return None;
    }
    if let Some(command) = command
        && !what.says_anything()
        && depends_on_hirace(&package.join("Cargo.toml"))
    {
        *command = TESTS.map(str::to_owned).to_vec();
        return Some(format!("the tests of {}: -- {}", package.display(), TESTS.join(" ")));
    }
    let said = format!("the kernels in {}", package.display());
    what.paths.push(package);
    Some(said)
}

/// Whether a manifest names the crate hirace among what it depends on.
fn depends_on_hirace(manifest: &Path) -> bool {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
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
