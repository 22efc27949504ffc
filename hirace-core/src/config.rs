//! The configuration file `hirace.toml`: what to check, what to watch, and with which launches.
//!
//! An unknown key is an error at its line, with the most similar known key as help, so that a misspelled
//! setting is not silently ignored. docs/book/guide/hirace.toml shows every key.

mod form;
mod keys;
mod nearest;

pub use form::{
    CheckSection, DefineValue, FileSection, LaunchSection, Seconds, ShadowSection, TestSection,
    WatchSection,
};
pub use keys::find_deep_nesting;
pub use nearest::NearestConfigs;

use crate::bounded;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::{Relation, Watch};
use crate::launch::spec::{Binding, DispatchSpec, LaunchSpec};
use crate::preprocessing::{Preprocessing, is_define_name, parse_target};
use crate::source_map::{SourceMap, Span};
use form::{ContentsText, Document};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

/// The file name of configurations.
pub const FILE_NAME: &str = "hirace.toml";

/// A configuration.
#[derive(Clone, Debug)]
pub struct Config {
    document: Document,
    source: SourceMap,
    /// The folder that relative paths start from.
    folder: PathBuf,
}

/// The settings that apply to one file.
#[derive(Clone, Debug, Default)]
pub struct FileSettings {
    /// The entry points to check; all if empty.
    pub kernels: Vec<String>,
    /// How the file is preprocessed.
    pub preprocessing: Preprocessing,
    /// The watch settings.
    pub watch: Watch,
    /// The launches to check, including those of tests; if empty, launches are inferred.
    pub launches: Vec<LaunchSpec>,
    /// The tests.
    pub tests: Vec<TestSpec>,
}

/// A test: a launch with its expected results.
#[derive(Clone, Debug, PartialEq)]
pub struct TestSpec {
    /// The name of the test.
    pub name: String,
    /// The launch to run.
    pub launch: LaunchSpec,
    /// The expected contents of buffers after the launch.
    pub expect: Vec<Binding>,
    /// The tolerance for floating-point numbers: absolute, or relative to the expected value if that is greater than 1.
    pub tolerance: f64,
    /// The buffers whose current results are the expected ones.
    pub golden: Vec<String>,
}

impl Config {
    /// Reads the configuration file at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let text = bounded::CONFIGURATION.text(path)?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Self::parse(&shown, &text, folder)
    }

    /// Returns the path of the configuration file.
    pub fn path(&self) -> &Path {
        Path::new(self.source.name())
    }

    /// Parses the configuration in `text`, whose relative paths start from `folder`.
    pub fn parse(name: &str, text: &str, folder: PathBuf) -> Result<Self> {
        let source = SourceMap::new(name, text);
        let document = keys::deserialize(&source)?;
        let config = Self { document, source, folder };
        // Errors are reported now, not when the affected file is first checked.
        for section in &config.document.file {
            config.launches(section)?;
            config.tests(section)?;
            config.preprocessing(section)?;
        }
        config.watch(&[&config.document.watch])?;
        for section in &config.document.file {
            config.watch(&[&section.watch])?;
        }
        Ok(config)
    }

    /// Finds the configuration for files in `folder`: the one in `folder` or in its nearest ancestor that has one.
    pub fn find(folder: &Path) -> Result<Option<Self>> {
        let folder = absolute(folder);
        let found = folder.ancestors().find(|above| above.join(FILE_NAME).is_file());
        found.map(|found| Self::read(&found.join(FILE_NAME))).transpose()
    }

    /// Returns the settings that apply to the whole run.
    pub fn check(&self) -> &CheckSection {
        &self.document.check
    }

    /// Returns the path of the baseline, if one is configured.
    pub fn baseline(&self) -> Option<PathBuf> {
        self.document.check.baseline.as_ref().map(|path| self.resolve_path(path))
    }

    /// Returns the files that have sections, in the order of their first section. Sections with patterns are left out.
    pub fn files(&self) -> Vec<PathBuf> {
        let paths = self.document.file.iter().map(|section| &section.path);
        let mut files: Vec<PathBuf> = Vec::new();
        for path in paths.filter(|path| !path.contains('*')).map(|path| self.resolve_path(path)) {
            if !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Returns the settings for `file`, combined in order from every section whose path matches.
    pub fn settings(&self, file: &Path) -> Result<FileSettings> {
        let (file, folder) = (absolute(file), absolute(&self.folder));
        let relative =
            file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let sections: Vec<&FileSection> = self
            .document
            .file
            .iter()
            .filter(|section| matches(&normalize(&section.path), &relative))
            .collect();
        let mut watched = vec![&self.document.watch];
        watched.extend(sections.iter().map(|section| &section.watch));
        let mut settings = FileSettings { watch: self.watch(&watched)?, ..FileSettings::default() };
        for section in sections {
            settings.kernels.extend(section.kernels.iter().cloned());
            settings.preprocessing = self.preprocessing(section)?.over(&settings.preprocessing);
            settings.launches.extend(self.launches(section)?);
            let tests = self.tests(section)?;
            settings.launches.extend(tests.iter().map(|test| test.launch.clone()));
            settings.tests.extend(tests);
        }
        Ok(settings)
    }

    fn watch(&self, sections: &[&WatchSection]) -> Result<Watch> {
        let shadow = &self.document.shadow;
        let mut watch = Watch {
            oracle: self.document.check.oracle,
            shadow_bytes: shadow.max_mib.map(|mib| mib.saturating_mul(1 << 20)),
            ..Watch::default()
        };
        for section in sections {
            watch.only.extend(section.variables.iter().cloned());
            watch.ignore.extend(section.ignore.iter().cloned());
            if let Some(relations) = &section.relations {
                watch.relations = relations
                    .iter()
                    .map(|name| {
                        let relation = Relation::parse(name.get_ref());
                        relation.ok_or_else(|| {
                            self.error(
                                name.span(),
                                format!("unknown relation `{}`", name.get_ref()),
                            )
                            .help("expected subgroup, workgroup or dispatch")
                            .into()
                        })
                    })
                    .collect::<Result<_>>()?;
            }
        }
        Ok(watch)
    }

    fn preprocessing(&self, section: &FileSection) -> Result<Preprocessing> {
        let mut defines = Vec::new();
        for (name, value) in &section.define {
            if !is_define_name(name) {
                let error = self.error(value.span(), format!("`{name}` cannot be defined"));
                return Err(Box::new(error.help("use a name of letters, digits and `_`")));
            }
            let DefineValue(value) = value.get_ref();
            defines.push((name.clone(), value.clone()));
        }
        if let Some(target) = &section.target_env {
            parse_target(target.get_ref()).map_err(|error| {
                let located = self.error(target.span(), error.message);
                Box::new(Diagnostic { notes: error.notes, help: error.help, ..located })
            })?;
        }
        Ok(Preprocessing {
            defines,
            includes: section.include.iter().map(|folder| self.resolve_path(folder)).collect(),
            target: section.target_env.as_ref().map(|target| target.get_ref().clone()),
        })
    }

    fn launches(&self, section: &FileSection) -> Result<Vec<LaunchSpec>> {
        section.launch.iter().map(|launch| self.launch(launch)).collect()
    }

    fn tests(&self, section: &FileSection) -> Result<Vec<TestSpec>> {
        let mut tests: Vec<TestSpec> = Vec::new();
        for test in &section.test {
            let name = test.name.get_ref().clone();
            if tests.iter().any(|known| known.name == name) {
                let error = self.error(test.name.span(), format!("duplicate test name `{name}`"));
                return Err(Box::new(error));
            }
            if test.expect.is_empty() && test.golden.is_empty() {
                let error = self.error(test.name.span(), "this test expects nothing");
                return Err(Box::new(error.help(
                    "give the expected contents of a buffer: `expect = { NAME = SPEC }`, or keep its current results: `golden = [\"NAME\"]`",
                )));
            }
            let tolerance = test.tolerance.map_or(0.0, |tolerance| tolerance.0);
            if !(tolerance >= 0.0 && tolerance.is_finite()) {
                let error = self.error(
                    test.name.span(),
                    "the tolerance of this test must be a finite number that is not negative",
                );
                return Err(Box::new(error));
            }
            let expect = self.bindings(&test.expect)?;
            let golden = test.golden.iter().map(|name| name.get_ref().clone()).collect();
            let launch = self.launch(&test.launch)?;
            let is_open = launch.dispatches.iter().any(|dispatch| dispatch.workgroups.is_none());
            if launch.workgroups.is_none() && (is_open || launch.dispatches.is_empty()) {
                let error = self.error(test.name.span(), "this test gives no number of workgroups");
                return Err(Box::new(error.help("set `workgroups` in its launch")));
            }
            tests.push(TestSpec { name, launch, expect, tolerance, golden });
        }
        Ok(tests)
    }

    /// Parses the contents of buffers.
    fn bindings(&self, buffers: &BTreeMap<String, Spanned<ContentsText>>) -> Result<Vec<Binding>> {
        let binding = |(name, contents): (&String, &Spanned<ContentsText>)| {
            let text = self.resolve_contents(&contents.get_ref().0);
            Binding::new(name, &text).map_err(|error| {
                let mut located = self.error(contents.span(), error.message);
                located.notes = error.notes;
                located.help = error.help;
                Box::new(located)
            })
        };
        buffers.iter().map(binding).collect()
    }

    fn launch(&self, section: &LaunchSection) -> Result<LaunchSpec> {
        let check = &self.document.check;
        let mut spec = LaunchSpec {
            workgroups: section.workgroups.map(|grid| grid.0),
            seed: section.seed.unwrap_or(check.seed),
            schedule: section.schedule.unwrap_or(0),
            subgroup_size: section.subgroup_size.or(check.subgroup_size),
            step_limit: section.max_steps.or(check.max_steps),
            timeout: section.timeout.or(check.timeout).map(|seconds| seconds.0),
            overrides: section
                .overrides
                .iter()
                .map(|(name, value)| (name.clone(), value.0))
                .collect(),
            ..LaunchSpec::default()
        };
        if let Some(entry) = &section.entry {
            if let Some(first) = section.dispatches.first() {
                let error = self.error(entry.span(), "a launch has either `entry` or `dispatches`");
                return Err(Box::new(
                    error.label(span(first.entry.span()), "dispatches given here"),
                ));
            }
            let entry = entry.get_ref().clone();
            spec.dispatches.push(DispatchSpec { entry, workgroups: spec.workgroups });
        }
        spec.dispatches.extend(section.dispatches.iter().map(|dispatch| DispatchSpec {
            entry: dispatch.entry.get_ref().clone(),
            workgroups: dispatch.workgroups.map(|grid| grid.0),
        }));
        spec.bindings = self.bindings(&section.buffers)?;
        Ok(spec)
    }

    /// Returns the path of the file that the configuration calls `path`. If the working folder is inside this folder or
    /// contains it, the path is relative to the working folder, so that reports, baselines and replay commands are the
    /// same on every machine.
    fn resolve_path(&self, path: &str) -> PathBuf {
        let path = self.folder.join(path);
        let (here, folder) = (absolute(Path::new(".")), absolute(&self.folder));
        match here.starts_with(&folder) || folder.starts_with(&here) {
            true => relative_path(&here, &absolute(&path)),
            false => path,
        }
    }

    /// Resolves the path of a file in `contents` relative to the configuration's folder.
    fn resolve_contents(&self, contents: &str) -> String {
        match contents.strip_prefix('@') {
            Some(path) => format!("@{}", self.resolve_path(path).display()),
            None => contents.to_owned(),
        }
    }

    fn error(&self, at: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(&self.source, span(at), message)
    }
}

/// Returns the absolute path, without `..` components.
fn absolute(path: &Path) -> PathBuf {
    // An empty path stands for the working folder.
    let path = Path::new(".").join(path);
    let absolute = std::path::absolute(&path).unwrap_or(path);
    let mut plain = PathBuf::new();
    for step in absolute.components() {
        match step {
            Component::ParentDir => drop(plain.pop()),
            step => plain.push(step),
        }
    }
    plain
}

/// Returns an absolute path as it is written relative to the folder `here`.
fn relative_path(here: &Path, path: &Path) -> PathBuf {
    let same = here.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let back = here.components().skip(same).map(|_| Component::ParentDir);
    back.chain(path.components().skip(same)).collect()
}

fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

fn normalize(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches("./").to_owned()
}

/// Returns whether `text` matches `pattern`, in which `*` matches any text. A pattern that names a folder matches
/// everything in it.
fn matches(pattern: &str, text: &str) -> bool {
    let in_folder = text.strip_prefix(pattern.trim_end_matches('/'));
    in_folder.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || pattern.is_empty())
        || crate::exec::matches_pattern(pattern, text)
}

#[cfg(test)]
mod tests;
