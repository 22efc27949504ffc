//! Reads `tests/corpus.toml` and `tests/corpus/collected.toml`, and the shaders that they name in the form that their crates
//! make.

use crate::support::{root, run};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The sampling intervals of the crates that CI runs: of the crates picked by hand, and of those that were collected by the
/// rule.
const SAMPLED: [usize; 2] = [2, 18];

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
    /// The folder in which `#import name` finds `name.wgsl`.
    pub imports: Option<String>,
    #[serde(default)]
    pub templates: Vec<String>,
    #[serde(default, rename = "shader")]
    pub shaders: Vec<Shader>,
    /// Whether the crate was collected by the rule of `docs/evaluation/published-shaders.md`, and not picked by hand.
    #[serde(skip)]
    pub collected: bool,
    #[serde(skip)]
    pub sampled: bool,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shader {
    pub path: String,
    pub constant: Option<String>,
    #[serde(default)]
    pub held_out: bool,
    #[serde(default)]
    pub prepend: Vec<String>,
    #[serde(default)]
    pub append: Vec<String>,
    #[serde(default)]
    pub prelude: String,
    #[serde(default)]
    pub replace: BTreeMap<String, String>,
    pub defines: Option<Vec<String>>,
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    #[serde(default)]
    pub findings: Vec<String>,
    #[serde(default)]
    pub unconfirmed: Vec<String>,
    pub why: Option<String>,
    pub refused: Option<String>,
}

impl Manifest {
    pub fn read() -> Self {
        let mut by_hand = Self::of("tests/corpus.toml");
        let collected = Self::of("tests/corpus/collected.toml").crates.into_iter().enumerate();
        for (at, krate) in by_hand.crates.iter_mut().enumerate() {
            krate.sampled = at % SAMPLED[0] == 1;
        }
        by_hand.crates.extend(collected.map(|(at, krate)| Crate {
            collected: true,
            sampled: at % SAMPLED[1] == 0,
            ..krate
        }));
        by_hand
    }

    fn of(path: &str) -> Self {
        let text = std::fs::read_to_string(root().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

impl Shader {
    /// Returns the name of the shader in its crate.
    pub fn name(&self) -> String {
        match &self.constant {
            Some(constant) => format!("{}::{constant}", self.path),
            None => self.path.clone(),
        }
    }

    /// Returns those of its findings that are certain: that follow from the file alone.
    pub fn certain(&self) -> impl Iterator<Item = &String> {
        self.findings.iter().filter(|finding| finding.contains(" certain "))
    }
}

impl Crate {
    /// Returns the folder of the unpacked crate. Cargo fetches it if necessary.
    pub fn folder(&self) -> Result<PathBuf, String> {
        let unpacked = || {
            let sources = cargo_home()?.join("registry/src");
            let registries = std::fs::read_dir(sources).ok()?;
            let name = format!("{}-{}", self.name, self.version);
            // Cargo writes this file last: without it another process is still unpacking the crate.
            let is_whole = |path: &PathBuf| {
                std::fs::metadata(path.join(".cargo-ok")).is_ok_and(|marker| marker.len() > 0)
            };
            registries.flatten().map(|registry| registry.path().join(&name)).find(is_whole)
        };
        if let Some(folder) = unpacked() {
            return Ok(folder);
        }
        let package = format!("{}@{}", self.name, self.version);
        // `cargo info` is the only verb that unpacks a crate without its dependencies.
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["info", "--quiet", "--registry", "crates-io", &package]);
        cargo.current_dir(std::env::temp_dir());
        let ended = run(&mut cargo, Duration::from_secs(120));
        unpacked().ok_or_else(|| format!("cargo cannot fetch {package}: {}", ended.stderr.trim()))
    }

    /// Returns the text of a shader as the crate passes it to wgpu.
    pub fn source(&self, shader: &Shader) -> Result<String, String> {
        let folder = self.folder()?;
        let mut text = shader.prelude.clone();
        let mut push = |piece: &str| {
            text.push_str(piece);
            text.push('\n');
        };
        for path in &shader.prepend {
            push(&read(&folder.join(path))?);
        }
        let file = read(&folder.join(&shader.path))?;
        push(match &shader.constant {
            Some(name) => constant(&file, name).ok_or_else(|| format!("no constant {name}"))?,
            None => &file,
        });
        for path in &shader.append {
            push(&read(&folder.join(path))?);
        }
        for (placeholder, value) in &shader.replace {
            text = text.replace(placeholder, value);
        }
        if self.imports.is_some() || shader.defines.is_some() {
            let imports = self.imports.as_ref().map(|imports| folder.join(imports));
            let defines = shader.defines.as_deref().unwrap_or_default();
            text = expand(&text, imports.as_deref(), defines, &mut Vec::new())?;
        }
        Ok(replace_words(&text, &shader.words))
    }
}

fn cargo_home() -> Option<PathBuf> {
    let given = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    given.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the raw string of a constant in a Rust file, if it contains a kernel.
fn constant<'a>(rust: &'a str, name: &str) -> Option<&'a str> {
    rust.match_indices(name).find_map(|(at, _)| {
        let (before, after) = (rust[..at].trim_end(), &rust[at + name.len()..]);
        if before.len() == at || !(before.ends_with("const") || before.ends_with("static")) {
            return None;
        }
        let (_, value) = after.trim_start().strip_prefix(':')?.split_once('=')?;
        let value = value.trim_start().strip_prefix('r')?;
        let hashes = value.len() - value.trim_start_matches('#').len();
        let (_, value) = value.split_at(hashes);
        let end = format!("\"{}", "#".repeat(hashes));
        let (text, _) = value.strip_prefix('"')?.split_once(&end)?;
        text.contains("@compute").then_some(text)
    })
}

/// Replaces whole words by values.
fn replace_words(text: &str, words: &BTreeMap<String, String>) -> String {
    if words.is_empty() {
        return text.to_owned();
    }
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(of_word) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !of_word(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        out.push_str(before);
        out.push_str(words.get(word).map_or(word, String::as_str));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Expands `#import`, `#ifdef`, `#ifndef`, `#else` and `#endif` of Vello's shaders. Each file is imported once.
fn expand(
    text: &str,
    imports: Option<&Path>,
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
                let folder = imports.ok_or("an #import, and no folder of imports")?;
                let name = words.next().unwrap_or_default().to_owned();
                if !imported.contains(&name) {
                    imported.push(name.clone());
                    let text = read(&folder.join(format!("{name}.wgsl")))?;
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
