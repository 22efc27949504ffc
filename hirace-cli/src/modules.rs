//! Preprocessing: of WGSL with naga_oil, by definitions and importable files; of GLSL, by definitions and folders of includes.

use crate::args::PreprocessArgs;
use crate::files::{self, Input};
use hirace_core::bounded::SOURCE;
use hirace_core::check::CheckOutcome;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::facts::Flag;
use hirace_core::front::preprocess::{self, File, ImportRequest};
use hirace_core::front::{Kind, ParsedModule};
use hirace_core::preprocessing::{FileRead, Preprocessing, file_name, key_of_files};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The preprocessing settings of a run.
#[derive(Clone, Debug, Default)]
pub struct PreprocessInputs {
    /// Whether WGSL is preprocessed.
    asked: bool,
    settings: Preprocessing,
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
            settings: Preprocessing {
                defines: args.define.clone(),
                includes: args.include.clone(),
                target: args.target_env.clone(),
            },
            modules: args.module.clone(),
            shared: shared.into(),
        })
    }

    /// Returns the settings of a file that its configuration preprocesses in this way. Flags take precedence.
    #[must_use]
    pub fn with_configured(&self, configured: &Preprocessing) -> Self {
        Self {
            asked: self.asked || !configured.defines.is_empty(),
            settings: self.settings.over(configured),
            ..self.clone()
        }
    }

    /// Adds the preprocessing flags to the commands that reproduce findings.
    pub fn replay(&self, checked: &mut CheckOutcome) {
        let defines = self.settings.defines.iter().cloned();
        let defines = defines.map(|(name, value)| Flag::Define { name, value });
        let modules = self.modules.iter().map(|path| Flag::Module(path.display().to_string()));
        let includes =
            self.settings.includes.iter().map(|path| Flag::Include(path.display().to_string()));
        let target = self.settings.target.iter().cloned().map(Flag::TargetEnvironment);
        let mut flags: Vec<Flag> = defines.chain(modules).chain(includes).chain(target).collect();
        if flags.is_empty() && self.asked {
            flags.push(Flag::Preprocess);
        }
        for launch in &mut checked.launches {
            for replay in launch.replays_mut() {
                replay.flags.splice(0..0, flags.iter().cloned());
            }
        }
    }

    /// Returns the names that `--define` gives values to.
    pub fn defines(&self) -> &[(String, String)] {
        &self.settings.defines
    }

    /// Returns the files that `--module` names.
    pub fn files(args: &PreprocessArgs) -> impl Iterator<Item = PathBuf> {
        let all = files::expand(&args.module).unwrap_or_default();
        all.into_iter().map(|input| input.path)
    }

    /// Returns a text that identifies everything that the program of a shader depends on in addition to its own text: settings, and
    /// the texts of other files that it refers to.
    pub fn key(&self, input: &Input, bytes: &[u8]) -> String {
        let files = key_of_files(|on_read| self.parse_and_report(input, bytes, on_read));
        format!("{} {:?}{files}", self.asked, self.settings)
    }

    /// Parses a shader.
    pub fn parse(&self, input: &Input, bytes: &[u8]) -> Result<ParsedModule> {
        self.parse_and_report(input, bytes, &|_, _| {})
    }

    /// Parses a shader, and reports the other files that it refers to.
    fn parse_and_report(
        &self,
        input: &Input,
        bytes: &[u8],
        on_read: &FileRead<'_>,
    ) -> Result<ParsedModule> {
        let name = input.name();
        if !self.asked || Kind::of(&name, bytes) != Kind::Wgsl {
            return self.settings.parse(&input.path, &name, bytes, on_read);
        }
        let importable = find_importable_shaders(&input.folder());
        let all: Vec<&Candidate> = self.shared.iter().chain(&importable).collect();
        let find = |asked: ImportRequest<'_>| {
            let mut others = all.iter().filter(|candidate| candidate.path != input.path);
            let found = others.find(|candidate| candidate.matches(asked));
            found
                .inspect(|candidate| on_read(&candidate.name(), &candidate.text))
                .map(|candidate| candidate.file())
        };
        let defines: Vec<(String, String)> = self
            .settings
            .defines
            .iter()
            .map(|(name, value)| match value.is_empty() {
                true => (name.clone(), "true".to_owned()),
                false => (name.clone(), value.clone()),
            })
            .collect();
        preprocess::parse_bytes(&name, bytes, &defines, &find)
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

    fn matches(&self, asked: ImportRequest<'_>) -> bool {
        match asked {
            ImportRequest::Module(path) => preprocess::import_path(&self.text) == Some(path),
            ImportRequest::File(name) => self.path.ends_with(name),
            ImportRequest::Part(name) => {
                self.path.file_stem().is_some_and(|stem| stem == name)
                    && preprocess::import_path(&self.text).is_none()
            }
        }
    }

    fn name(&self) -> String {
        file_name(&self.path)
    }

    fn file(&self) -> File {
        File { name: self.name(), text: self.text.clone() }
    }
}

/// Returns the shaders in `folder` and its subfolders, which can be imported without `--module`.
fn find_importable_shaders(folder: &Path) -> Vec<Candidate> {
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
