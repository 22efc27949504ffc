//! Files that are to be written: none of them may be one that is read, and no two may be one.
//!
//! Files are the same if they are the same on disk, whatever links lead there.

use crate::args::{ReportArgs, WhatArgs};
use crate::config::Configs;
use crate::files::Input;
use crate::modules::Preprocessing;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::launch::spec::Contents;
use hirace_terminal::Output;
use hirace_terminal::file::Target;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A file that is to be written, with the flag that says so.
pub type Written<'a> = (&'static str, &'a Path);

/// The files that the reports of `check` go to.
pub fn written(args: &ReportArgs) -> Vec<Written<'_>> {
    let baseline = args.write_baseline.iter().map(|path| ("--write-baseline", path.as_path()));
    of_reports(&args.report).chain(baseline).collect()
}

/// The files that reports of such forms go to.
pub fn of_reports<F>(reports: &[(F, PathBuf)]) -> impl Iterator<Item = Written<'_>> {
    reports.iter().map(|(_, path)| ("--report", path.as_path()))
}

/// Says what cannot be written as things are, before long work begins. All else is done all the same.
pub fn foresee(written: &[Written<'_>], output: &Output) {
    for &(flag, path) in written {
        if let Err(error) = Target::of(path) {
            let shown = path.display();
            let warning = Diagnostic::new(format!("`{flag}` cannot write {shown}: {error}"));
            output.warning(&warning.note("the run goes on, and tries again at its end"));
        }
    }
}

/// Refuses to write what is read, or one file twice.
pub fn distinct(
    written: &[Written<'_>],
    args: &WhatArgs,
    inputs: &[Input],
    configs: &mut Configs,
    baseline: Option<&Path>,
) -> Result<()> {
    if written.is_empty() {
        return Ok(());
    }
    apart(written, &read(args, inputs, configs, baseline))
}

/// Refuses to write any of what is read, or one file twice.
pub fn apart(written: &[Written<'_>], read: &[(&'static str, PathBuf)]) -> Result<()> {
    let mut before: Vec<(&str, Identity)> = Vec::new();
    for &(flag, path) in written {
        let Some(identity) = Identity::of_output(path) else { continue };
        let shown = path.display();
        let is_it = |(_, file): &&(&str, PathBuf)| Identity::of(file).as_ref() == Some(&identity);
        // A baseline may be brought up to date.
        let updates = |what: &str| flag == "--write-baseline" && what == "the baseline";
        if let Some((what, _)) = read.iter().filter(|(what, _)| !updates(what)).find(is_it) {
            let error = Diagnostic::new(format!("`{flag}` would overwrite {what}: {shown}"));
            return Err(Box::new(error.help("name another file")));
        }
        if let Some((other, _)) = before.iter().find(|(_, other)| *other == identity) {
            let error = Diagnostic::new(format!("`{other}` and `{flag}` write one file: {shown}"));
            return Err(Box::new(error.help("name a file for each")));
        }
        before.push((flag, identity));
    }
    Ok(())
}

/// The files that are read, and what they are.
fn read(
    args: &WhatArgs,
    inputs: &[Input],
    configs: &mut Configs,
    baseline: Option<&Path>,
) -> Vec<(&'static str, PathBuf)> {
    let mut read = Vec::new();
    for input in inputs {
        read.push(("a file that is checked", input.on_disk()));
        // What is wrong with a configuration is said when its file is checked.
        if let Ok(Some(config)) = configs.of(input.folder()) {
            read.push(("the configuration", config.path().to_path_buf()));
        }
        let options = configs.options(args, input).unwrap_or_default();
        let tests = configs.tests(args, input).unwrap_or_default();
        let expected = tests.into_iter().flat_map(|test| test.expect);
        let bindings = options.launches.into_iter().flat_map(|launch| launch.bindings);
        let bindings = bindings.chain(expected);
        read.extend(bindings.filter_map(|binding| match binding.contents {
            Contents::File(path) => Some(("what a buffer holds", path)),
            _ => None,
        }));
    }
    let modules = Preprocessing::files(&args.preprocess);
    read.extend(modules.map(|path| ("a module that is imported", path)));
    read.extend(args.run.config.iter().map(|path| ("the configuration", path.clone())));
    read.extend(baseline.map(|path| ("the baseline", path.to_path_buf())));
    read
}

/// What makes two paths lead to one file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// The file that is there: the number of its disk, and its own there.
    #[cfg(unix)]
    There(u64, u64),
    /// The file that is there, by its one true path.
    #[cfg(not(unix))]
    There(PathBuf),
    /// A file that is to be made.
    New(PathBuf),
}

impl Identity {
    /// Of the regular file at `path`, if there is one.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Self::there(path, &metadata)
    }

    /// Of the regular file that writing to `path` makes or replaces.
    fn of_output(path: &Path) -> Option<Self> {
        match Target::of(path).ok()? {
            Target::File(path, Some(metadata)) => Self::there(&path, &metadata),
            Target::File(path, None) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
                Some(Self::New(folder.join(path.file_name()?)))
            }
            _ => None,
        }
    }

    #[cfg(unix)]
    fn there(_: &Path, metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::There(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn there(path: &Path, _: &Metadata) -> Option<Self> {
        fs::canonicalize(path).ok().map(Self::There)
    }
}
