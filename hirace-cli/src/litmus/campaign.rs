//! Running a campaign with its folder and progress display, and reporting the results.

use super::run_folder;
use super::target::TargetArgs;
use crate::progress::CountedBar;
use crate::report::{ReportArgs, ReportFormat};
use clap::{Args, ValueEnum};
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::folder::Folder;
use hirace_litmus::campaign::{Campaign, EarlyEnd, Piece, Watcher};
use hirace_litmus::environment::Environment;
use hirace_litmus::report;
use hirace_litmus::results::published::PublishedResults;
use hirace_litmus::results::{self, Classes, Document, Run, Verb};
use hirace_litmus::run::RunResult;
use hirace_litmus::test::{Class, Test};
use hirace_terminal::{Exit, Output, stop};
use std::borrow::Cow;
use std::path::PathBuf;

/// An output format of litmus campaigns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Outcomes of tests, and conclusions
    #[default]
    Text,
    /// `hirace.litmus/1`
    Json,
    /// A table with a row for each test and environment, for spreadsheets
    Csv,
    /// The JSON format that GPUHarbor and MC Mutants published, for their tools
    Published,
}

impl ReportFormat for Format {}

/// Where a campaign keeps its results, so that a stopped campaign can be resumed.
#[derive(Debug, Args)]
pub struct StorageArgs {
    /// Keep the campaign in this folder, and continue the one in it [default: a new folder for each run in
    /// target/hirace/litmus, or in .hirace/litmus outside a cargo package]
    #[arg(long, value_name = "FOLDER", help_heading = "Test settings")]
    output: Option<PathBuf>,
}

/// Runs a campaign on a target. Stores the results in a folder if `storage` is given.
pub fn run(
    campaign: &Campaign,
    target: &TargetArgs,
    storage: Option<&StorageArgs>,
    args: &ReportArgs<Format>,
    output: &Output,
) -> Result<Exit> {
    args.warn_unwritable(output);
    let stop = stop::on_signal();
    let mut runner = target.open()?;
    let device = runner.described();
    let opened =
        storage.map(|storage| run_folder::open(storage.output.as_deref(), campaign, &device));
    let (path, mut folder) = opened.transpose()?.unzip();
    if let (Some(path), Some(text)) = (&path, folder.as_ref().and_then(Folder::results)) {
        output.note(&format!("the campaign in {} is complete: nothing was run", path.display()));
        let document = results::read(&text).map_err(|error| {
            let error = format!("the results in {} are damaged: {error}", path.display());
            Box::new(Diagnostic::new(error).help("choose another folder with --output"))
        })?;
        return Ok(reported(args, &document, None, output));
    }
    // Runs that failed because the device was lost are repeated when a campaign is resumed.
    let finished: Vec<Run> = campaign
        .own()
        .filter_map(|piece| find_stored(folder.as_ref()?, &piece, campaign))
        .filter(|run| run.failure.as_ref().is_none_or(|failure| !failure.is_of_target()))
        .collect();
    if let Some(path) = path.as_ref().filter(|_| !args.quiet || !finished.is_empty()) {
        let path = path.display();
        output.note(&match finished.len() {
            0 => format!("the campaign is kept in {path}"),
            known => format!("resuming the campaign in {path}: {known} tests are already done"),
        });
    }
    let find_finished = |piece: &Piece| {
        let name = &campaign.tests[piece.test].name;
        let is_same = |run: &&Run| run.environment == piece.environment && run.test == *name;
        finished.iter().find(is_same).cloned()
    };
    let count = campaign.own().count() - finished.len();
    let mut progress =
        CampaignProgress { folder: folder.as_mut(), ..CampaignProgress::new(count, args.quiet) };
    let (runs, early_end) = campaign.run(runner.as_mut(), &find_finished, &mut progress, &stop)?;
    drop(progress);
    let document = campaign.document(device.into(), runs, early_end.is_some());
    if let (Some(folder), None) = (folder, early_end) {
        folder.finish(&document, &[])?;
    }
    if let Some(early_end) = early_end.filter(|early_end| !is_expected(*early_end, campaign.verb)) {
        let diagnostic = Diagnostic::new(report::early_end_message(early_end));
        let diagnostic = match &path {
            Some(path) => diagnostic.help(format!(
                "run the same command to resume: the results so far are in {}",
                path.display()
            )),
            None => diagnostic,
        };
        match early_end {
            EarlyEnd::Budget => output.warning(&diagnostic),
            EarlyEnd::Stopped | EarlyEnd::DeviceLost(_) => output.error(&diagnostic.of_device()),
        }
    }
    Ok(reported(args, &document, early_end, output))
}

fn find_stored(folder: &Folder<Run>, piece: &Piece, campaign: &Campaign) -> Option<Run> {
    folder.known(&(piece.environment, campaign.tests[piece.test].name.clone())).cloned()
}

/// Returns whether a run ended early as intended: exploration ends when its time is over.
fn is_expected(early: EarlyEnd, verb: Verb) -> bool {
    early == EarlyEnd::Budget && verb == Verb::Explore
}

/// Prints and writes a document in all requested formats. Returns the exit status.
pub fn reported(
    args: &ReportArgs<Format>,
    document: &Document,
    early: Option<EarlyEnd>,
    output: &Output,
) -> Exit {
    let document = &*with_timing_if_wanted(document, output);
    let rendered = |format, _| match format {
        Format::Text => report::report(document),
        Format::Json => report::json(document),
        Format::Csv => report::csv(document),
        Format::Published => PublishedResults::of_campaign(document).text(),
    };
    let is_printed = args.print(rendered, output);
    let is_written = args.write(rendered, output) && is_printed;
    let failures = document.runs.iter().filter_map(|run| run.failure.as_ref());
    let target_failed = failures.clone().any(|failure| failure.is_of_target());
    let did_nothing = document.runs.iter().all(|run| run.instances == 0);
    match early {
        _ if !is_written => Exit::Failed,
        _ if !document.summary.violations.is_empty() => Exit::Findings,
        Some(EarlyEnd::Stopped | EarlyEnd::DeviceLost(_)) => Exit::Failed,
        _ if target_failed => Exit::Failed,
        Some(early) if !is_expected(early, document.verb) => Exit::Inconclusive,
        _ if did_nothing => Exit::BadInput,
        _ => Exit::Clean,
    }
}

/// Returns the document, without times if the output shows none.
pub fn with_timing_if_wanted<'a>(document: &'a Document, output: &Output) -> Cow<'a, Document> {
    match output.has_timing() {
        true => Cow::Borrowed(document),
        false => Cow::Owned(document.without_timing()),
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

    fn counted(&mut self, _: &Test, result: &RunResult) {
        let classes = Classes::of(&result.counts.outcomes, &self.classes);
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
