//! Files for naga_oil: what is defined for them, and the files that they import.

use crate::args::PreprocessArgs;
use crate::files::{self, Input};
use hirace_core::bounded::SOURCE;
use hirace_core::check::Checked;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::facts::Flag;
use hirace_core::front::preprocess::{self, Asked, File};
use hirace_core::front::{self, Kind, Parsed};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How files are read.
#[derive(Clone, Debug, Default)]
pub struct Preprocessing {
    asked: bool,
    defines: Vec<(String, String)>,
    /// What `--module` names.
    modules: Vec<PathBuf>,
    /// The files that may be imported by all: those that `--module` names, and those that are checked. Whoever parses a
    /// file has a copy of this.
    shared: Arc<[Candidate]>,
}

/// A file that may be imported.
#[derive(Clone, Debug)]
struct Candidate {
    path: PathBuf,
    text: String,
}

impl Preprocessing {
    /// What the flags ask for; `inputs` are the files that are checked.
    pub fn new(args: &PreprocessArgs, inputs: &[Input]) -> Result<Self> {
        if !args.any() {
            return Ok(Self::default());
        }
        let mut shared = Vec::new();
        for input in files::expand(&args.module)? {
            if input.found {
                shared.extend(Candidate::read(&input.path));
                continue;
            }
            let text = SOURCE.text(&input.path).map_err(|error| {
                Box::new(Diagnostic::new(format!("cannot read {}: {error}", input.name())))
            })?;
            shared.push(Candidate { path: input.path, text });
        }
        // One file alone imports nothing of itself.
        let others = inputs.iter().filter(|_| inputs.len() > 1);
        shared.extend(others.filter_map(|input| Candidate::read(&input.path)));
        let (defines, modules) = (args.define.clone(), args.module.clone());
        Ok(Self { asked: true, defines, modules, shared: shared.into() })
    }

    /// Has the commands that show findings again ask for the same.
    pub fn replay(&self, checked: &mut Checked) {
        let defines = self.defines.iter().cloned();
        let defines = defines.map(|(name, value)| Flag::Define { name, value });
        let modules = self.modules.iter().map(|path| Flag::Module(path.display().to_string()));
        let mut flags: Vec<Flag> = defines.chain(modules).collect();
        if flags.is_empty() && self.asked {
            flags.push(Flag::Preprocess);
        }
        for launch in &mut checked.launches {
            let allowed = launch.allowed.iter_mut().map(|allowed| &mut allowed.finding);
            let findings = launch.findings.iter_mut().chain(allowed);
            for replay in findings.filter_map(|finding| finding.replay.as_mut()) {
                replay.flags.splice(0..0, flags.iter().cloned());
            }
        }
    }

    /// The files that `--module` names, which are read.
    pub fn files(args: &PreprocessArgs) -> impl Iterator<Item = PathBuf> {
        let all = files::expand(&args.module).unwrap_or_default();
        all.into_iter().map(|input| input.path)
    }

    /// Parses a shader.
    pub fn parse(&self, input: &Input, bytes: &[u8]) -> Result<Parsed> {
        let name = input.name();
        if !self.asked || Kind::of(&name, bytes) != Kind::Wgsl {
            return front::parse_bytes(&name, bytes, &|file| input.beside(file));
        }
        let beside = beside(&input.folder());
        let all: Vec<&Candidate> = self.shared.iter().chain(&beside).collect();
        let find = |asked: Asked<'_>| {
            let mut others = all.iter().filter(|candidate| candidate.path != input.path);
            others.find(|candidate| candidate.is(asked)).map(|candidate| candidate.file())
        };
        preprocess::parse_bytes(&name, bytes, &self.defines, &find)
    }
}

impl Candidate {
    /// Reads the file at `path`, if it is a shader. Anything but a regular file is passed over: to read a pipe may never end.
    fn read(path: &Path) -> Option<Self> {
        let is_wgsl = path.extension().is_some_and(|ending| ending == "wgsl");
        if !is_wgsl || !path.is_file() {
            return None;
        }
        Some(Self { path: path.to_path_buf(), text: SOURCE.text(path).ok()? })
    }

    fn is(&self, asked: Asked<'_>) -> bool {
        match asked {
            Asked::Module(path) => preprocess::import_path(&self.text) == Some(path),
            Asked::File(name) => self.path.ends_with(name),
            Asked::Part(name) => {
                self.path.file_stem().is_some_and(|stem| stem == name)
                    && preprocess::import_path(&self.text).is_none()
            }
        }
    }

    fn file(&self) -> File {
        let input = Input { path: self.path.clone(), found: false };
        File { name: input.name(), text: self.text.clone() }
    }
}

/// The shaders in `folder`, and in the folders within it: there modules stand that nobody has to name.
fn beside(folder: &Path) -> Vec<Candidate> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        paths
    };
    let (folders, files): (Vec<_>, Vec<_>) =
        entries(folder).into_iter().partition(|path| path.is_dir());
    let within = folders.iter().flat_map(|folder| entries(folder));
    files.into_iter().chain(within).filter_map(|path| Candidate::read(&path)).collect()
}
