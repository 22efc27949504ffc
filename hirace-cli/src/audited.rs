//! An audit in the forms that are asked for, and how a run ends by it.

use crate::args::message;
use crate::outputs::{self, Written};
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum, value_parser};
use hirace_adequacy::audit::report::text::TestsIn;
use hirace_adequacy::audit::report::{badge, html, json, text};
use hirace_adequacy::audit::results::{Audit, What};
use hirace_adequacy::gate::Gate;
use hirace_core::cover::hash;
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::path::{Path, PathBuf};

/// What is printed, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json, html or badge
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    /// How many things to do are printed
    #[arg(long, value_name = "N", default_value = "5", value_parser = value_parser!(u32))]
    advice: u32,
    /// Print proposed tests so [default: rust for the tests of a command, else toml]
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    tests: Option<Language>,
    /// Fail with status 1 if less of a hundred mistakes are noticed, or if there are none
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under: Option<Gate>,
    /// Print errors, and nothing else
    #[arg(long, short)]
    pub quiet: bool,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// How good the tests of each kernel are, and what to do next
    #[default]
    Text,
    /// `hirace.audit/1`
    Json,
    /// A page
    Html,
    /// A small picture: how many of a hundred mistakes are noticed
    Badge,
}

/// What proposed tests are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Tables of hirace.toml
    Toml,
    /// Functions of Rust
    Rust,
}

impl ReportArgs {
    /// The files that reports go to.
    pub fn written(&self) -> Vec<Written<'_>> {
        outputs::of_reports(&self.report).collect()
    }
}

/// Puts an audit into all forms that are asked for, with pictures where there is room for them, and says with what the run
/// ends that ended so.
pub fn reported(
    args: &ReportArgs,
    audit: &Audit,
    (tests, pictures): (TestsIn, &html::Pictures),
    exit: Exit,
    output: &Output,
) -> Exit {
    let tests = match args.tests {
        Some(Language::Toml) => TestsIn::Toml,
        Some(Language::Rust) => TestsIn::Rust,
        None => tests,
    };
    let most = usize::try_from(args.advice).unwrap_or(usize::MAX);
    let source = |name: &str| text_of_audited(audit, name);
    let render = |format, style: Style| match format {
        Format::Text => text::report(audit, tests, most, style),
        Format::Json => json::report(audit),
        Format::Html => {
            html::report(audit, &html::Beside { tests, source: &source, pictures: Some(pictures) })
        }
        Format::Badge => badge::report(audit),
    };
    let is_unwanted = args.quiet && args.format == Format::Text;
    let printed = (!is_unwanted).then_some(args.format);
    let reports = Reports { printed, files: &args.report, output };
    let is_printed = reports.print(render);
    let mutated = audit.mutants.files.iter().map(|file| &file.file);
    let sources = audit.coverage.files.iter().map(|file| &file.file).chain(mutated);
    let sources = sources.map(|file| ("a source that is audited", PathBuf::from(file)));
    if let Err(error) = outputs::apart(&args.written(), &sources.collect::<Vec<_>>()) {
        output.error(&error);
        return Exit::BadInput;
    }
    let is_written = reports.write(render) && is_printed;
    let is_wrong = |what: &What| matches!(what, What::Fix { .. } | What::Order { .. });
    let missed = args
        .fail_under
        .filter(|gate| !audit.mutants.summary.score.is_some_and(|score| gate.is_met(score)));
    if let Some(gate) = missed {
        let is = match audit.mutants.summary.score {
            Some(score) => {
                format!("{:.2} % of mistakes are noticed", (score * 100.0).floor() / 100.0)
            }
            None => "there are no mistakes to notice".to_owned(),
        };
        output.error(&Diagnostic::new(format!("{is}, and {gate} % have to be")));
    }
    let fails = missed.is_some() || audit.advice.iter().any(|advice| is_wrong(&advice.what));
    match (exit, is_written, fails) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, _) if audit.stopped => Exit::Failed,
        (Exit::Clean, true, true) => Exit::Findings,
        (exit, ..) => exit,
    }
}

/// The text of a file. What changed since is not shown as what was audited.
fn text_of_audited(audit: &Audit, name: &str) -> Option<String> {
    let text = text_of(Path::new(name))?;
    let covered = audit.coverage.files.iter().find(|file| file.file == name);
    let mutated = audit.mutants.files.iter().find(|file| file.file == name);
    let known = covered.and_then(|file| file.text.as_ref()).or(mutated.map(|file| &file.text));
    known.is_none_or(|known| *known == hash(&text)).then_some(text)
}
