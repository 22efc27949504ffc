//! The report of an audit in the requested formats, and the exit status of the run.

use crate::args::message;
use crate::outputs::{self, OutputFile};
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum, value_parser};
use hirace_adequacy::audit::report::text::TestLanguage;
use hirace_adequacy::audit::report::{badge, html, json, text};
use hirace_adequacy::audit::results::{AdviceKind, Audit};
use hirace_adequacy::gate::Gate;
use hirace_core::cover::hash;
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};

/// Arguments that control the report and where it goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Choose the format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json, html or badge
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    /// Print this many pieces of advice
    #[arg(long, value_name = "N", default_value = "5", value_parser = value_parser!(u32))]
    advice: u32,
    /// Choose the language of proposed tests [default: rust for the tests of a command, else toml]
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    tests: Option<Language>,
    /// Fail with status 1 if the mutation score is below PERCENT, or if there are no mutants
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under: Option<Gate>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// An output format of `hirace audit`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The quality of each kernel's tests, and advice
    #[default]
    Text,
    /// `hirace.audit/1`
    Json,
    /// An HTML page
    Html,
    /// An SVG badge with the mutation score
    Badge,
}

/// A language of proposed tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Tables for hirace.toml
    Toml,
    /// Rust functions
    Rust,
}

impl ReportArgs {
    /// Returns the report files to write.
    pub fn written(&self) -> Vec<OutputFile<'_>> {
        outputs::of_reports(&self.report).collect()
    }
}

/// Prints and writes an audit in all requested formats, with race diagrams in those that have them. Returns the exit
/// status, given the status of the run.
pub fn reported(
    args: &ReportArgs,
    audit: &Audit,
    (tests, pictures): (TestLanguage, &html::Diagrams),
    exit: Exit,
    output: &Output,
) -> Exit {
    let tests = match args.tests {
        Some(Language::Toml) => TestLanguage::Toml,
        Some(Language::Rust) => TestLanguage::Rust,
        None => tests,
    };
    let most = usize::try_from(args.advice).unwrap_or(usize::MAX);
    let source = |name: &str| text_of_audited(audit, name);
    let untimed = (!output.has_timing())
        .then(|| Audit { mutants: audit.mutants.without_timing(), ..audit.clone() });
    let audit = untimed.as_ref().unwrap_or(audit);
    let render = |format, style: Style| match format {
        Format::Text => text::report(audit, tests, most, style),
        Format::Json => json::report(audit),
        Format::Html => html::report(
            audit,
            &html::PageContext { tests, source: &source, pictures: Some(pictures) },
        ),
        Format::Badge => badge::report(audit),
    };
    let is_unwanted = args.quiet && args.format == Format::Text;
    let printed = (!is_unwanted).then_some(args.format);
    let reports = Reports { printed, files: &args.report, output };
    let is_printed = reports.print(render);
    let mutated = audit.mutants.files.iter().map(|file| &file.file);
    let sources = audit.coverage.files.iter().map(|file| &file.file).chain(mutated);
    let sources = sources.map(|file| ("an audited source", PathBuf::from(file)));
    if let Err(error) = outputs::check_distinct(&args.written(), &sources.collect::<Vec<_>>()) {
        output.error(&error);
        return Exit::BadInput;
    }
    let is_written = reports.write(render) && is_printed;
    let is_wrong =
        |what: &AdviceKind| matches!(what, AdviceKind::Fix { .. } | AdviceKind::Order { .. });
    let missed = args
        .fail_under
        .filter(|gate| !audit.mutants.summary.score.is_some_and(|score| gate.is_met(score)));
    if let Some(gate) = missed {
        let is = match audit.mutants.summary.score {
            Some(score) => {
                format!("{:.2} % of mutants are detected", (score * 100.0).floor() / 100.0)
            }
            None => "there are no mutants".to_owned(),
        };
        output.error(&Diagnostic::new(format!("{is}, but {gate} % are required")));
    }
    let fails = missed.is_some() || audit.advice.iter().any(|advice| is_wrong(&advice.what));
    match (exit, is_written, fails) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, _) if audit.stopped => Exit::Failed,
        (Exit::Clean, true, true) => Exit::Findings,
        (exit, ..) => exit,
    }
}

/// Returns the text of a file, or `None` if the file has changed since the audit.
fn text_of_audited(audit: &Audit, name: &str) -> Option<String> {
    let text = text_of(Path::new(name))?;
    let covered = audit.coverage.files.iter().find(|file| file.file == name);
    let mutated = audit.mutants.files.iter().find(|file| file.file == name);
    let known = covered.and_then(|file| file.text.as_ref()).or(mutated.map(|file| &file.text));
    known.is_none_or(|known| *known == hash(&text)).then_some(text)
}
