//! Output files: none may be an input, and no two may be the same file.
//!
//! Files are compared by identity on disk, so links to the same file count as one.

use crate::args::{InputArgs, ReportArgs};
use crate::config::Configs;
use crate::files::Input;
use crate::modules::Preprocessing;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::launch::spec::Contents;
use hirace_terminal::Output;
use hirace_terminal::file::Target;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// An output file, with the flag that names it.
pub type OutputFile<'a> = (&'static str, &'a Path);

/// Returns the output files of `check`.
pub fn written(args: &ReportArgs) -> Vec<OutputFile<'_>> {
    let baseline = args.write_baseline.iter().map(|path| ("--write-baseline", path.as_path()));
    of_reports(&args.report).chain(baseline).collect()
}

/// Returns the report files of any format.
pub fn of_reports<F>(reports: &[(F, PathBuf)]) -> impl Iterator<Item = OutputFile<'_>> {
    reports.iter().map(|(_, path)| ("--report", path.as_path()))
}

/// Warns before a long run about files that cannot be written at the moment. The run continues.
pub fn warn_unwritable(written: &[OutputFile<'_>], output: &Output) {
    for &(flag, path) in written {
        if let Err(error) = Target::of(path) {
            let shown = path.display();
            let warning = Diagnostic::new(format!("`{flag}` cannot write {shown}: {error}"));
            output.warning(&warning.note("the run continues and tries again at its end"));
        }
    }
}

/// Rejects an output file that is an input, or that two flags name.
pub fn check_inputs_distinct(
    written: &[OutputFile<'_>],
    args: &InputArgs,
    inputs: &[Input],
    configs: &mut Configs,
    baseline: Option<&Path>,
) -> Result<()> {
    if written.is_empty() {
        return Ok(());
    }
    check_distinct(written, &read(args, inputs, configs, baseline))
}

/// Rejects an output file that is in `read`, or that two flags name.
pub fn check_distinct(written: &[OutputFile<'_>], read: &[(&'static str, PathBuf)]) -> Result<()> {
    let mut before: Vec<(&str, Identity)> = Vec::new();
    for &(flag, path) in written {
        let Some(identity) = Identity::of_output(path) else { continue };
        let shown = path.display();
        let is_it = |(_, file): &&(&str, PathBuf)| Identity::of(file).as_ref() == Some(&identity);
        // A baseline may be updated in place.
        let updates = |what: &str| flag == "--write-baseline" && what == "the baseline";
        if let Some((what, _)) = read.iter().filter(|(what, _)| !updates(what)).find(is_it) {
            let error = Diagnostic::new(format!("`{flag}` would overwrite {what}: {shown}"));
            return Err(Box::new(error.help("name another file")));
        }
        if let Some((other, _)) = before.iter().find(|(_, other)| *other == identity) {
            let error =
                Diagnostic::new(format!("`{other}` and `{flag}` write the same file: {shown}"));
            return Err(Box::new(error.help("name a different file for each")));
        }
        before.push((flag, identity));
    }
    Ok(())
}

/// Returns the input files, with a description of each.
fn read(
    args: &InputArgs,
    inputs: &[Input],
    configs: &mut Configs,
    baseline: Option<&Path>,
) -> Vec<(&'static str, PathBuf)> {
    let mut read = Vec::new();
    for input in inputs {
        read.push(("an input file", input.on_disk()));
        // Errors in a configuration are reported when its file is checked.
        if let Ok(Some(config)) = configs.of(input.folder()) {
            read.push(("the configuration", config.path().to_path_buf()));
        }
        let options = configs.options(args, input).unwrap_or_default();
        let tests = configs.tests(args, input).unwrap_or_default();
        let expected = tests.into_iter().flat_map(|test| test.expect);
        let bindings = options.launches.into_iter().flat_map(|launch| launch.bindings);
        let bindings = bindings.chain(expected);
        read.extend(bindings.filter_map(|binding| match binding.contents {
            Contents::File(path) => Some(("the contents of a buffer", path)),
            _ => None,
        }));
    }
    let modules = Preprocessing::files(&args.preprocess);
    read.extend(modules.map(|path| ("an imported module", path)));
    read.extend(args.run.config.iter().map(|path| ("the configuration", path.clone())));
    read.extend(baseline.map(|path| ("the baseline", path.to_path_buf())));
    read
}

/// The identity of a file on disk.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// An existing file: device number and inode number.
    #[cfg(unix)]
    There(u64, u64),
    /// An existing file, by its canonical path.
    #[cfg(not(unix))]
    There(PathBuf),
    /// A file that does not exist yet.
    New(PathBuf),
}

impl Identity {
    /// Returns the identity of the regular file at `path`, if there is one.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Self::there(path, &metadata)
    }

    /// Returns the identity of the regular file that writing to `path` creates or replaces.
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
