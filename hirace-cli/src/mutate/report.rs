//! The report of mutants in the requested formats, and its score thresholds.

use crate::args::message;
use crate::report::{ProtectedFiles, ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_adequacy::gate::Gate;
use hirace_adequacy::mutate::report::{github, html, json, junit, sarif, stryker, text};
use hirace_adequacy::mutate::results::{Mutant, Results};
use hirace_core::cover::located::text_of;
use hirace_core::diagnostic::Diagnostic;
use hirace_core::report::text::Style;
use hirace_terminal::{Exit, Output};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The thresholds for mutation scores.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Report")]
pub struct MutationGateArgs {
    /// Fail with status 1 if the mutation score is below PERCENT, or if no mutant counts toward it
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under: Option<Gate>,
    /// Fail with status 1 if less than PERCENT of the mutants are detected by assertions on outputs
    #[arg(long, value_name = "PERCENT", value_parser = message(Gate::parse))]
    fail_under_strict: Option<Gate>,
    /// Count equivalent mutants in scores, as mutants that no test detects
    #[arg(long)]
    pub strict: bool,
}

/// An output format of `hirace mutate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table and the surviving mutants
    #[default]
    Text,
    /// `hirace.mutate/1`
    Json,
    /// Stryker's JSON report
    Stryker,
    /// An interactive page with Stryker's report
    Html,
    /// SARIF with surviving mutants, for code scanning
    Sarif,
    /// JUnit XML with a test case per mutant
    Junit,
    /// GitHub annotations for surviving mutants
    Github,
}

impl ReportFormat for Format {}

impl MutationGateArgs {
    /// Returns the names of the threshold flags that are given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let flags =
            [("--fail-under", self.fail_under), ("--fail-under-strict", self.fail_under_strict)];
        flags.into_iter().filter_map(|(flag, gate)| gate.map(|_| flag))
    }

    /// Returns an error for each missed threshold. With a diff that changes no kernel, no threshold is missed.
    fn missed(&self, results: &Results) -> Vec<Diagnostic> {
        let summary = &results.summary;
        let gates = [
            (self.fail_under, summary.score, "are detected"),
            (self.fail_under_strict, summary.strict_score, "are detected by assertions on outputs"),
        ];
        let missed = gates.into_iter().filter_map(|(gate, score, what)| {
            let gate = gate?;
            match score {
                None if results.unchanged => None,
                score => gate.missed_score(score, summary.total, what),
            }
        });
        missed.collect()
    }
}

/// Prints and writes the results in all requested formats. Returns the exit status, given the status of the run.
pub fn reported(
    report: &ReportArgs<Format>,
    gates: &MutationGateArgs,
    results: &Results,
    read: ProtectedFiles,
    exit: Exit,
    output: &Output,
) -> Exit {
    let timed = timed(results, output);
    let render = |format, style| rendered(format, &timed, style);
    let is_written = match report.deliver(&with_sources(read, results), render, output) {
        Ok(is_written) => is_written,
        Err(exit) => return exit,
    };
    let missed = gates.missed(results);
    missed.iter().for_each(|error| output.error(error));
    let holds = |mutant: &Mutant| mutant.directive.as_ref().is_none_or(|says| says.holds);
    let is_enough = missed.is_empty() && results.mutants.iter().all(holds);
    match (exit, is_written, is_enough) {
        (Exit::Clean, false, _) => Exit::Failed,
        (Exit::Clean, true, false) => Exit::Findings,
        (exit, ..) => exit,
    }
}

/// Lists mutants, one per line in text formats. Thresholds do not apply, since nothing was judged.
pub fn listed(
    report: &ReportArgs<Format>,
    results: &Results,
    read: ProtectedFiles,
    output: &Output,
) -> Exit {
    let lines = || results.mutants.iter().map(|mutant| format!("{}\n", text::line(mutant)));
    let timed = timed(results, output);
    let render = |format, style| match format {
        Format::Text => lines().collect(),
        format => rendered(format, &timed, style),
    };
    match report.deliver(&with_sources(read, results), render, output) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Failed,
        Err(exit) => exit,
    }
}

/// Returns the results with their timing, or without it if the output has none.
fn timed<'r>(results: &'r Results, output: &Output) -> Cow<'r, Results> {
    match output.has_timing() {
        true => Cow::Borrowed(results),
        false => Cow::Owned(results.without_timing()),
    }
}

/// Adds the mutated sources to the files that must not be overwritten.
fn with_sources(mut read: ProtectedFiles, results: &Results) -> ProtectedFiles {
    let sources = results.files.iter().map(|file| PathBuf::from(&file.file));
    read.extend(sources.map(|path| ("a mutated source", path)));
    read
}

fn rendered(format: Format, results: &Results, style: Style) -> String {
    let source = |name: &str| text_of(Path::new(name));
    match format {
        Format::Text => text::report(results, style),
        Format::Json => json::report(results),
        Format::Stryker => {
            let here = std::env::current_dir().ok();
            let here = here.as_ref().and_then(|here| here.to_str());
            stryker::report(results, &source, here)
        }
        Format::Html => html::report(results, &source),
        Format::Sarif => sarif::report(results),
        Format::Junit => junit::report(results),
        Format::Github => github::report(results),
    }
}
