//! Preprocessing: of WGSL with naga_oil, by definitions and importable files; of GLSL, by definitions and folders of includes.

use crate::args::PreprocessArgs;
use crate::files::{self, Input};
use hirace_core::bounded::SOURCE;
use hirace_core::check::CheckOutcome;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::facts::Flag;
#[cfg(feature = "spirv")]
use hirace_core::front::glsl;
use hirace_core::front::preprocess::{self, File, ImportRequest};
use hirace_core::front::{self, Kind, ParsedModule};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The preprocessing settings of a run.
#[derive(Clone, Debug, Default)]
pub struct PreprocessInputs {
    asked: bool,
    defines: Vec<(String, String)>,
    /// The folders that `--include` names.
    includes: Vec<PathBuf>,
    /// The environment that `--target-env` names.
    target: Option<String>,
    /// The paths that `--module` names.
    modules: Vec<PathBuf>,
    /// The files that every input may import: those that `--module` names, and the other inputs. Shared, because each
    /// parse has a copy of this struct.
    shared: Arc<[Candidate]>,
}

/// A file that may be imported.
#[derive(Clone, Debug)]
struct Candidate {
    path: PathBuf,
    text: String,
}

impl PreprocessInputs {
    /// Creates the settings from the flags. `inputs` are the files that are checked.
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
        // A single input has no other inputs to import.
        let others = inputs.iter().filter(|_| inputs.len() > 1);
        shared.extend(others.filter_map(|input| Candidate::read(&input.path)));
        Ok(Self {
            asked: args.of_wgsl(),
            defines: args.define.clone(),
            includes: args.include.clone(),
            target: args.target_env.clone(),
            modules: args.module.clone(),
            shared: shared.into(),
        })
    }

    /// Adds the preprocessing flags to the commands that reproduce findings.
    pub fn replay(&self, checked: &mut CheckOutcome) {
        let defines = self.defines.iter().cloned();
        let defines = defines.map(|(name, value)| Flag::Define { name, value });
        let modules = self.modules.iter().map(|path| Flag::Module(path.display().to_string()));
        let includes = self.includes.iter().map(|path| Flag::Include(path.display().to_string()));
        let target = self.target.iter().cloned().map(Flag::TargetEnvironment);
        let mut flags: Vec<Flag> = defines.chain(modules).chain(includes).chain(target).collect();
        if flags.is_empty() && self.asked {
            flags.push(Flag::Preprocess);
        }
        for launch in &mut checked.launches {
            let allowed = launch.suppressed.iter_mut().map(|allowed| &mut allowed.finding);
            let findings = launch.findings.iter_mut().chain(allowed);
            for replay in findings.filter_map(|finding| finding.replay.as_mut()) {
                replay.flags.splice(0..0, flags.iter().cloned());
            }
        }
    }

    /// Returns the names that `--define` gives values to.
    pub fn defines(&self) -> &[(String, String)] {
        &self.defines
    }

    /// Returns the files that `--module` names.
    pub fn files(args: &PreprocessArgs) -> impl Iterator<Item = PathBuf> {
        let all = files::expand(&args.module).unwrap_or_default();
        all.into_iter().map(|input| input.path)
    }

    /// Parses a shader.
    pub fn parse(&self, input: &Input, bytes: &[u8]) -> Result<ParsedModule> {
        let name = input.name();
        let kind = Kind::of(&name, bytes);
        #[cfg(feature = "spirv")]
        if kind == Kind::Glsl {
            return self.parse_glsl(input, &name, bytes);
        }
        if !self.asked || kind != Kind::Wgsl {
            return front::parse_bytes(&name, bytes, &|file| input.sibling_name(file));
        }
        let beside = beside(&input.folder());
        let all: Vec<&Candidate> = self.shared.iter().chain(&beside).collect();
        let find = |asked: ImportRequest<'_>| {
            let mut others = all.iter().filter(|candidate| candidate.path != input.path);
            others.find(|candidate| candidate.is(asked)).map(|candidate| candidate.file())
        };
        let defines: Vec<(String, String)> = self
            .defines
            .iter()
            .map(|(name, value)| match value.is_empty() {
                true => (name.clone(), "true".to_owned()),
                false => (name.clone(), value.clone()),
            })
            .collect();
        preprocess::parse_bytes(&name, bytes, &defines, &find)
    }

    /// Parses a GLSL shader. Files that it includes are searched in the folder of the file with the directive, and then in those
    /// of `--include`.
    #[cfg(feature = "spirv")]
    fn parse_glsl(&self, input: &Input, name: &str, bytes: &[u8]) -> Result<ParsedModule> {
        let target = self.target.as_deref().map(str::parse::<glsl::TargetEnvironment>).transpose();
        let target = target.map_err(|unknown| Box::new(Diagnostic::new(unknown.to_string())))?;
        let settings =
            glsl::Settings { target: target.unwrap_or_default(), defines: self.defines.clone() };
        let find = |request: glsl::IncludeRequest<'_>| {
            let own = match request.includer == name {
                true => input.folder(),
                false => Path::new(request.includer).parent().map(Path::to_path_buf)?,
            };
            let own = (!request.is_system).then_some(&own);
            let folders = own.into_iter().chain(&self.includes);
            let paths = folders.map(|folder| folder.join(request.name));
            // Only regular files are read: reading a pipe may block forever.
            let mut files = paths.filter(|path| path.is_file()).filter_map(|path| {
                let text = SOURCE.text(&path).ok()?;
                Some(glsl::SourceFile { name: Input { path, found: false }.name(), text })
            });
            files.next()
        };
        glsl::parse_with(name, front::decode(name, bytes)?, &settings, &find)
    }
}

impl Candidate {
    /// Reads the file at `path` if it is a WGSL shader. Anything but a regular file is skipped: reading a pipe may
    /// block forever.
    fn read(path: &Path) -> Option<Self> {
        let is_wgsl = path.extension().is_some_and(|ending| ending == "wgsl");
        if !is_wgsl || !path.is_file() {
            return None;
        }
        Some(Self { path: path.to_path_buf(), text: SOURCE.text(path).ok()? })
    }

    fn is(&self, asked: ImportRequest<'_>) -> bool {
        match asked {
            ImportRequest::Module(path) => preprocess::import_path(&self.text) == Some(path),
            ImportRequest::File(name) => self.path.ends_with(name),
            ImportRequest::Part(name) => {
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

/// Returns the shaders in `folder` and its subfolders, which can be imported without `--module`.
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
