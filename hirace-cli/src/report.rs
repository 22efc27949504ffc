//! Reports of a verb in several formats: the arguments that request reports, the functions that print and write them, and the
//! check that an output file is neither an input nor named twice.
//!
//! Files are compared by identity on disk, so links to the same file count as one.

use crate::args::{InputArgs, message};
use crate::config::Configs;
use crate::files::Input;
use crate::modules::PreprocessInputs;
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::launch::spec::Contents;
use hirace_core::report::text::Style;
use hirace_terminal::file::{self, Target};
use hirace_terminal::{Exit, Output};
use std::fmt::Debug;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// An output format of a verb. The default one is called `text`, and `--quiet` omits it.
pub trait ReportFormat:
    ValueEnum + Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// The help text of `--quiet`.
    const QUIET: &'static str = "Print errors only";

    /// Returns whether `--report` accepts the format.
    fn is_report(self) -> bool {
        true
    }
}

/// Arguments that control the report of a verb with the formats `F`, and where it goes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs<F: ReportFormat> {
    /// Choose the format of standard output
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: F,
    // The help text lists the formats, which a doc comment cannot do.
    #[arg(long, value_name = "KIND=FILE", help = help::<F>(), value_parser = message(parse::<F>))]
    pub report: Vec<(F, PathBuf)>,
    #[arg(long, short, help = F::QUIET)]
    pub quiet: bool,
}

/// An output file, with the flag that names it.
pub type OutputFile<'a> = (&'static str, &'a Path);

/// Files that must not be overwritten, with a description of each.
pub type ProtectedFiles = Vec<(&'static str, PathBuf)>;

impl<F: ReportFormat> ReportArgs<F> {
    /// Returns the report files to write.
    pub fn output_files(&self) -> Vec<OutputFile<'_>> {
        self.report.iter().map(|(_, path)| ("--report", path.as_path())).collect()
    }

    /// Returns the requested formats.
    #[cfg(feature = "litmus")]
    pub fn formats(&self) -> impl Iterator<Item = F> + '_ {
        self.report.iter().map(|(format, _)| *format).chain([self.format])
    }

    /// Warns before a long run about report files that cannot be written at the moment.
    pub fn warn_unwritable(&self, output: &Output) {
        warn_unwritable(&self.output_files(), output);
    }

    /// Prints the result of `render`, unless the run is quiet and the format is text. Returns whether that succeeded.
    pub fn print(&self, render: impl Fn(F, Style) -> String, output: &Output) -> bool {
        let is_unwanted = self.quiet && self.format == F::default();
        is_unwanted || output.print(&render(self.format, output.style())).is_ok()
    }

    /// Writes the result of `render` to each report file. Returns whether all writes succeeded; a failure does not
    /// affect the other files.
    pub fn write(&self, render: impl Fn(F, Style) -> String, output: &Output) -> bool {
        let plain = output.style().with_color(false);
        let mut all_written = true;
        for (form, path) in &self.report {
            all_written &= write(path, &render(*form, plain), output);
        }
        all_written
    }

    /// Prints the result of `render`, and writes it to each report file. Returns whether all of this succeeded.
    ///
    /// # Errors
    /// Returns an error if a report file is in `protected`, or if two report files are the same. The error has been reported, and
    /// no file is written.
    pub fn deliver(
        &self,
        protected: &[(&'static str, PathBuf)],
        render: impl Fn(F, Style) -> String,
        output: &Output,
    ) -> std::result::Result<bool, Exit> {
        let is_printed = self.print(&render, output);
        if let Err(error) = check_distinct(&self.output_files(), protected) {
            output.error(&error);
            return Err(Exit::BadInput);
        }
        Ok(self.write(render, output) && is_printed)
    }
}

/// Returns the help text of `--report`.
fn help<F: ReportFormat>() -> String {
    format!("Also write a report to a file (repeatable): {}", kinds::<F>())
}

/// Writes a file, or reports why that failed. Returns whether it succeeded.
pub fn write(path: &Path, text: &str, output: &Output) -> bool {
    let written = file::write(path, text.as_bytes());
    if let Err(error) = &written {
        let message = format!("cannot write {}: {error}", path.display());
        output.error(&Diagnostic::new(message));
    }
    written.is_ok()
}

/// Parses `KIND=FILE`.
pub fn parse<F: ReportFormat>(text: &str) -> Result<(F, PathBuf)> {
    let parsed = text.split_once('=').and_then(|(kind, file)| {
        let kind = F::from_str(kind.trim(), true).ok()?;
        (!file.is_empty() && kind.is_report()).then(|| (kind, PathBuf::from(file)))
    });
    parsed.ok_or_else(|| {
        let error = Diagnostic::new(format!("expected KIND=FILE, got `{text}`"));
        Box::new(error.help(format!("use one of these for KIND: {}", kinds::<F>())))
    })
}

/// Returns the names of all formats that `--report` accepts, as a list in prose.
fn kinds<F: ReportFormat>() -> String {
    let formats = F::value_variants().iter().filter(|format| format.is_report());
    let kinds = formats.filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = kinds.map(|kind| kind.get_name().to_owned()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
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
    check_distinct(written, &input_files(args, inputs, configs, baseline))
}

/// Rejects an output file that is in `protected`, or that two flags name.
pub fn check_distinct(
    written: &[OutputFile<'_>],
    protected: &[(&'static str, PathBuf)],
) -> Result<()> {
    let mut seen: Vec<(&str, Identity)> = Vec::new();
    for &(flag, path) in written {
        let Some(identity) = Identity::of_output(path) else { continue };
        let shown = path.display();
        let is_it = |(_, file): &&(&str, PathBuf)| Identity::of(file).as_ref() == Some(&identity);
        // A baseline may be updated in place.
        let updates = |what: &str| flag == "--write-baseline" && what == "the baseline";
        if let Some((what, _)) = protected.iter().filter(|(what, _)| !updates(what)).find(is_it) {
            let error = Diagnostic::new(format!("`{flag}` would overwrite {what}: {shown}"));
            return Err(Box::new(error.help("name another file")));
        }
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == identity) {
            let error =
                Diagnostic::new(format!("`{other}` and `{flag}` write the same file: {shown}"));
            return Err(Box::new(error.help("name a different file for each")));
        }
        seen.push((flag, identity));
    }
    Ok(())
}

/// Returns the input files, with a description of each.
fn input_files(
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
    let modules = PreprocessInputs::files(&args.preprocess);
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
    Existing(u64, u64),
    /// An existing file, by its canonical path.
    #[cfg(not(unix))]
    Existing(PathBuf),
    /// A file that does not exist yet.
    New(PathBuf),
}

impl Identity {
    /// Returns the identity of the regular file at `path`, if there is one.
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Self::existing(path, &metadata)
    }

    /// Returns the identity of the regular file that writing to `path` creates or replaces.
    fn of_output(path: &Path) -> Option<Self> {
        match Target::of(path).ok()? {
            Target::File(path, Some(metadata)) => Self::existing(&path, &metadata),
            Target::File(path, None) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
                Some(Self::New(folder.join(path.file_name()?)))
            }
            _ => None,
        }
    }

    #[cfg(unix)]
    fn existing(_: &Path, metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::Existing(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn existing(path: &Path, _: &Metadata) -> Option<Self> {
        fs::canonicalize(path).ok().map(Self::Existing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Format;

    #[test]
    fn unknown_format_lists_all_formats() {
        let error = parse::<Format>("xml=out.xml").unwrap_err();
        assert_eq!(
            error.help.as_deref(),
            Some("use one of these for KIND: text, json, sarif, github or html")
        );
        assert_eq!(parse(" JSON =a=b").unwrap(), (Format::Json, PathBuf::from("a=b")));
        assert!(parse::<Format>("json=").is_err());
    }
}
