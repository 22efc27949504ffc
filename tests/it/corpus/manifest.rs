//! `tests/corpus.toml`, and the shaders it names as their crates would make them.

use crate::support::{root, run};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    #[serde(rename = "crate")]
    pub crates: Vec<Crate>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crate {
    pub name: String,
    pub version: String,
    /// Where `#import name` finds `name.wgsl`.
    pub imports: Option<String>,
    #[serde(default)]
    pub templates: Vec<String>,
    #[serde(default, rename = "shader")]
    pub shaders: Vec<Shader>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shader {
    pub path: String,
    #[serde(default)]
    pub prepend: Vec<String>,
    #[serde(default)]
    pub prelude: String,
    #[serde(default)]
    pub replace: BTreeMap<String, String>,
    #[serde(default)]
    pub defines: Vec<String>,
    #[serde(default)]
    pub findings: Vec<String>,
    pub why: Option<String>,
}

impl Manifest {
    pub fn read() -> Self {
        let text = std::fs::read_to_string(root().join("tests/corpus.toml"))
            .expect("tests/corpus.toml is there");
        toml::from_str(&text).expect("tests/corpus.toml is well-formed")
    }
}

impl Crate {
    /// The folder of the unpacked crate. Cargo fetches it, if it has not yet.
    pub fn folder(&self) -> Result<PathBuf, String> {
        let unpacked = || {
            let sources = cargo_home()?.join("registry/src");
            let registries = std::fs::read_dir(sources).ok()?;
            let name = format!("{}-{}", self.name, self.version);
            // Cargo writes this file last: without it somebody is still unpacking the crate.
            let is_whole = |path: &PathBuf| {
                std::fs::metadata(path.join(".cargo-ok")).is_ok_and(|marker| marker.len() > 0)
            };
            registries.flatten().map(|registry| registry.path().join(&name)).find(is_whole)
        };
        if let Some(folder) = unpacked() {
            return Ok(folder);
        }
        let package = format!("{}@{}", self.name, self.version);
        // Of all of cargo's verbs this one unpacks a crate and nothing that it depends on.
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["info", "--quiet", "--registry", "crates-io", &package]);
        cargo.current_dir(std::env::temp_dir());
        let ended = run(&mut cargo, Duration::from_secs(120));
        unpacked().ok_or_else(|| format!("cargo cannot fetch {package}: {}", ended.stderr.trim()))
    }

    /// The text of a shader as the crate hands it to wgpu.
    pub fn source(&self, shader: &Shader) -> Result<String, String> {
        let folder = self.folder()?;
        let mut text = shader.prelude.clone();
        for path in shader.prepend.iter().chain([&shader.path]) {
            text.push_str(&read(&folder.join(path))?);
            text.push('\n');
        }
        for (placeholder, value) in &shader.replace {
            text = text.replace(placeholder, value);
        }
        match &self.imports {
            Some(imports) => expand(&text, &folder.join(imports), &shader.defines, &mut Vec::new()),
            None => Ok(text),
        }
    }
}

fn cargo_home() -> Option<PathBuf> {
    let given = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    given.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Carries out the `#import`, `#ifdef`, `#ifndef`, `#else` and `#endif` of Vello's shaders. Each
/// file is imported once.
fn expand(
    text: &str,
    imports: &Path,
    defines: &[String],
    imported: &mut Vec<String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut taken: Vec<bool> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let defined = |name: Option<&str>| defines.iter().any(|d| Some(d.as_str()) == name);
        match words.next() {
            Some("#ifdef") => taken.push(defined(words.next())),
            Some("#ifndef") => taken.push(!defined(words.next())),
            Some("#else") => {
                if let Some(last) = taken.last_mut() {
                    *last = !*last;
                }
            }
            Some("#endif") => drop(taken.pop()),
            Some("#import") if taken.iter().all(|taken| *taken) => {
                let name = words.next().unwrap_or_default().to_owned();
                if !imported.contains(&name) {
                    imported.push(name.clone());
                    let text = read(&imports.join(format!("{name}.wgsl")))?;
                    out.push_str(&expand(&text, imports, defines, imported)?);
                }
            }
            _ if taken.iter().all(|taken| *taken) => {
                out.push_str(line);
                out.push('\n');
            }
            _ => {}
        }
    }
    Ok(out)
}
