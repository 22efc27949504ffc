//! Running a campaign with its folder and progress display, and reporting the results.

use super::target::TargetArgs;
use crate::args::message;
use crate::outputs;
use crate::progress::CountedBar;
use crate::reports::{self, Reports};
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::folder::Folder;
use hirace_litmus::campaign::{Campaign, EarlyEnd, Piece, Watcher};
use hirace_litmus::environment::Environment;
use hirace_litmus::report;
use hirace_litmus::results::published::Published;
use hirace_litmus::results::{Classes, Document, Run, Verb};
use hirace_litmus::run::RunResult;
use hirace_litmus::test::{Class, Test};
use hirace_terminal::{Exit, Output, stop};
use std::path::{Path, PathBuf};

/// Arguments that control the report and where it goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Choose the format of standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Also write a report to a file (repeatable): text, json or published
    #[arg(long, value_name = "KIND=FILE", value_parser = message(reports::parse::<Format>))]
    pub report: Vec<(Format, PathBuf)>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// An output format of litmus campaigns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Outcomes of tests, and conclusions
    #[default]
    Text,
    /// `hirace.litmus/1`
    Json,
    /// The JSON format that GPUHarbor and MC Mutants published, for their tools
    Published,
}

/// Runs a campaign on a target. If `folder` is given, results are kept there, so that a stopped campaign can be
/// resumed.
pub fn run(
    campaign: &Campaign,
    target: &TargetArgs,
    folder: Option<&Path>,
    args: &ReportArgs,
    output: &Output,
) -> Result<Exit> {
    outputs::warn_unwritable(&outputs::of_reports(&args.report).collect::<Vec<_>>(), output);
    let stop = stop::on_signal();
    let mut runner = target.open()?;
    let about = runner.described();
    let key = format!("{about:?} {}", campaign.key());
    let mut folder = folder.map(|path| Folder::<Run>::open(path, &key)).transpose()?;
    // Runs that failed because the device was lost are repeated when a campaign is resumed.
    let known: Vec<Run> = campaign
        .own()
        .filter_map(|piece| kept(folder.as_ref()?, &piece, campaign))
        .filter(|run| run.failure.as_ref().is_none_or(|failed| !failed.is_of_target()))
        .collect();
    if !known.is_empty() {
        output.note(&format!("resuming: {} tests are already done", known.len()));
    }
    let is_known = |piece: &Piece| {
        let name = &campaign.tests[piece.test].name;
        let is_it = |run: &&Run| run.environment == piece.environment && run.test == *name;
        known.iter().find(is_it).cloned()
    };
    let count = campaign.own().count() - known.len();
    let mut live =
        CampaignProgress { folder: folder.as_mut(), ..CampaignProgress::new(count, args.quiet) };
    let (runs, early) = campaign.run(runner.as_mut(), &is_known, &mut live, &stop)?;
    drop(live);
    let document = campaign.document(about.into(), runs, early.is_some());
    if let (Some(folder), None) = (folder, early) {
        folder.finish(&document, &[])?;
    }
    if let Some(early) = early.filter(|early| !is_expected(*early, campaign.verb)) {
        let said = Diagnostic::new(report::early_end_message(early));
        match early {
            EarlyEnd::Budget => output.warning(&said),
            EarlyEnd::Stopped | EarlyEnd::Lost(_) => output.error(&said.of_device()),
        }
    }
    Ok(reported(args, &document, early, output))
}

fn kept(folder: &Folder<Run>, piece: &Piece, campaign: &Campaign) -> Option<Run> {
    folder.known(&(piece.environment, campaign.tests[piece.test].name.clone())).cloned()
}

/// Returns whether a run ended early as intended: exploration ends when its time is over.
fn is_expected(early: EarlyEnd, verb: Verb) -> bool {
    early == EarlyEnd::Budget && verb == Verb::Explore
}

/// Prints and writes a document in all requested formats. Returns the exit status.
pub fn reported(
    args: &ReportArgs,
    document: &Document,
    early: Option<EarlyEnd>,
    output: &Output,
) -> Exit {
    let rendered = |format, _| match format {
        Format::Text => report::report(document),
        Format::Json => report::json(document),
        Format::Published => Published::of_campaign(document).text(),
    };
    let is_unwanted = args.quiet && args.format == Format::Text;
    let printed = (!is_unwanted).then_some(args.format);
    let reports = Reports { printed, files: &args.report, output };
    let is_printed = reports.print(rendered);
    let is_written = reports.write(rendered) && is_printed;
    let failed = document.runs.iter().filter_map(|run| run.failure.as_ref());
    let is_at_fault = failed.clone().any(|failed| failed.is_of_target());
    let did_nothing = document.runs.iter().all(|run| run.instances == 0);
    match early {
        _ if !is_written => Exit::Failed,
        _ if !document.summary.violations.is_empty() => Exit::Findings,
        Some(EarlyEnd::Stopped | EarlyEnd::Lost(_)) => Exit::Failed,
        _ if is_at_fault => Exit::Failed,
        Some(early) if !is_expected(early, document.verb) => Exit::Inconclusive,
        _ if did_nothing => Exit::BadInput,
        _ => Exit::Clean,
    }
}

/// Stores finished runs and shows progress.
pub struct CampaignProgress<'a> {
    bar: CountedBar,
    folder: Option<&'a mut Folder<Run>>,
    classes: Vec<Class>,
    name: String,
}

impl CampaignProgress<'_> {
    /// Creates the display for `count` tests, without a folder.
    pub fn new(count: usize, quiet: bool) -> Self {
        Self {
            bar: CountedBar::lines(count, quiet),
            folder: None,
            classes: Vec::new(),
            name: String::new(),
        }
    }
}

impl Watcher for CampaignProgress<'_> {
    fn begins(&mut self, _: &Environment, test: &Test, classes: &[Class]) {
        self.classes = classes.to_vec();
        self.name.clone_from(&test.name);
        self.bar.say(&self.name);
    }

    fn counted(&mut self, _: &Test, ran: &RunResult) {
        let classes = Classes::of(&ran.counts.outcomes, &self.classes);
        self.bar.say(&format!("{}\n{}", self.name, report::bars(&classes)));
    }

    fn ended(&mut self, run: &Run) -> Result<()> {
        self.bar.advance(&run.test);
        match &mut self.folder {
            Some(folder) => folder.store(run),
            None => Ok(()),
        }
    }
}
