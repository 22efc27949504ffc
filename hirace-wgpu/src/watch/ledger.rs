//! The record of an application's run: findings are printed at once, and a summary of what was checked at the end.

use super::not_watched::NotWatchedReason;
use super::settings::{Form, Mode, Settings};
use super::shaders::Shaders;
use super::stderr::print_stderr;
use crate::forward::lock;
use hirace_core::cover::record::Record;
use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::facts::{LaunchFacts, Verdict};
use hirace_core::process_mutation::{selected_mutant_error, ProcessMutation};
use hirace_core::process_request::ProcessRequest;
use hirace_core::report::document::Report;
use hirace_core::report::{compose, text};
use hirace_terminal::file;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Mutex;

/// The record of an application's run. See the [module](self).
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) settings: Settings,
    pub(crate) shaders: Shaders,
    /// The changes that the command which runs this process asks for.
    pub(crate) mutation: Option<&'static ProcessMutation>,
    /// The folder for reports of findings that the command which runs this process reads.
    findings: Option<&'static Path>,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// The first launch of each kernel, and those with new findings.
    launches: Vec<LaunchFacts>,
    /// The known findings: source, entry point and fingerprint.
    known: BTreeSet<(String, String, String)>,
    kernels: BTreeSet<(String, String)>,
    counts: Counts,
    /// The number of dispatches that were not checked, by kernel and reason.
    unwatched: BTreeMap<(String, String), u64>,
    /// The number of pipelines that no watcher sees, by kind.
    passed: BTreeMap<&'static str, u64>,
    inconclusive: u64,
    /// The maximum memory in bytes that the copies of a device took at a time.
    peak: u64,
    /// The folder for coverage records.
    coverage: Option<PathBuf>,
    /// The mutant to run, and whether a shader has it.
    mutant: Option<(String, bool)>,
    /// Whether the current state has been printed.
    is_printed: bool,
    /// The files that could not be written.
    unwritten: BTreeSet<PathBuf>,
}

/// The number of dispatches, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All recorded dispatches.
    pub dispatches: u64,
    /// The dispatches that were checked.
    pub checked: u64,
    /// The dispatches with the same kernel, grid and memory as a checked one.
    pub repeated: u64,
    /// The dispatches that were excluded by [`Settings::only`], [`Settings::ignore`] or [`Settings::every`].
    pub passed_over: u64,
    /// The dispatches without workgroups.
    pub empty: u64,
    /// The dispatches that could not be checked.
    pub not_watched: u64,
    /// The number of distinct findings.
    pub findings: u64,
}

impl Ledger {
    /// Creates an empty ledger.
    ///
    /// # Errors
    /// The request of the command that runs this process is refused, or coverage cannot be recorded.
    pub(crate) fn new(settings: Settings) -> Result<Self> {
        let shaders = Shaders::new(settings.shaders.clone());
        let mut entries = Entries::default();
        match &settings.mode {
            Mode::Cover => entries.coverage = Some(Record::begin(&settings.coverage)?.to_owned()),
            Mode::Mutant(_) if !cfg!(feature = "mutants") => {
                let error = "HIRACE=mutant=ID needs hirace-wgpu with the feature `mutants`";
                let help = "enable the feature in the Cargo.toml of the application";
                return Err(Box::new(Diagnostic::new(error).help(help)));
            }
            Mode::Mutant(id) if ProcessRequest::of_process()?.role.is_some() => {
                return Err(Box::new(selected_mutant_error(id, "the tests of a suite")));
            }
            Mode::Mutant(id) => entries.mutant = Some((id.clone(), false)),
            Mode::Check | Mode::Off => {}
        }
        let mutation = ProcessMutation::of_process()?;
        let findings = ProcessRequest::of_process()?.findings.as_deref();
        let entries = Mutex::new(entries);
        Ok(Self { settings, shaders, mutation, findings, entries })
    }

    /// Records that a shader runs with the mutant.
    pub(crate) fn note_mutant_found(&self) {
        if let Some((_, is_met)) = &mut lock(&self.entries).mutant {
            *is_met = true;
        }
    }

    /// Records for a command that runs the process as a test that the application uses a device, and something on it that the
    /// embedded device does not have.
    pub(crate) fn note_device(&self, beyond_embedded: Option<&str>) {
        if let (Ok(Some(record)), None) = (Record::of_process(), &lock(&self.entries).coverage) {
            // Only a suggestion depends on it.
            let _ = record.add_device(beyond_embedded);
        }
    }

    /// Records the memory in bytes that copies took at a time.
    pub(crate) fn note_copy_bytes(&self, peak: u64) {
        let mut entries = lock(&self.entries);
        entries.peak = entries.peak.max(peak);
    }

    /// Updates the counts.
    pub(crate) fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut entries = lock(&self.entries);
        count(&mut entries.counts);
        entries.is_printed = false;
    }

    /// Counts an object that runs shaders and that no watcher sees.
    pub(crate) fn count_unwatched_object(&self, what: &'static str) {
        let mut entries = lock(&self.entries);
        *entries.passed.entry(what).or_default() += 1;
        entries.is_printed = false;
    }

    /// Records that a dispatch of this kernel was not checked.
    pub(crate) fn not_watched(&self, kernel: String, why: &NotWatchedReason) {
        let mut entries = lock(&self.entries);
        entries.counts.not_watched += 1;
        *entries.unwatched.entry((kernel, why.to_string())).or_default() += 1;
        entries.is_printed = false;
    }

    pub(crate) fn report(&self) -> Report {
        compose::report(&lock(&self.entries).launches)
    }

    pub(crate) fn counts(&self) -> Counts {
        lock(&self.entries).counts
    }

    /// Records a checked launch: prints its new findings and rewrites the reports.
    ///
    /// # Panics
    /// Panics if there are new findings and [`Settings::panics`] is set.
    pub(crate) fn checked(&self, launch: LaunchFacts) {
        let mut entries = lock(&self.entries);
        let (source, entry) = (launch.source.name().to_owned(), launch.entries.join(","));
        entries.is_printed = false;
        entries.counts.checked += 1;
        entries.inconclusive += u64::from(launch.verdict() == Verdict::Inconclusive);
        let mut new = 0;
        for finding in &launch.findings {
            let known = (source.clone(), entry.clone(), finding.fingerprint.to_string());
            new += u64::from(entries.known.insert(known));
        }
        entries.counts.findings += new;
        let is_first = entries.kernels.insert((source.clone(), entry));
        if new == 0 && !is_first {
            return;
        }
        // Coverage refers to the lines of the shader.
        if new > 0 || matches!(Record::of_process(), Ok(Some(_))) {
            self.shaders.write(&source);
        }
        if new > 0 {
            print_stderr(&text::report(&compose::report(std::slice::from_ref(&launch)), style()));
        }
        entries.launches.push(launch);
        self.write(&mut entries);
        drop(entries);
        // While mutants run, `not_clean` records the finding and decides whether it fails the test.
        let ends = new > 0
            && self.settings.panics
            && self.mutation.is_none_or(ProcessMutation::record_not_clean);
        assert!(
            !ends,
            "hirace reported a finding for a dispatch (see above), and HIRACE_PANIC=1 is set"
        );
    }

    fn write(&self, entries: &mut Entries) {
        let own = self.findings;
        let own = own.map(|folder| (Form::Json, folder.join(format!("{}.json", process::id()))));
        if self.settings.reports.is_empty() && own.is_none() {
            return;
        }
        let report = compose::report(&entries.launches);
        for (form, path) in self.settings.reports.iter().chain(&own) {
            let written = file::write(path, form.render(&report).as_bytes());
            let Err(error) = written else { continue };
            if entries.unwritten.insert(path.clone()) {
                print_stderr(&format!("hirace: cannot write {}: {error}\n", path.display()));
            }
        }
    }

    /// Prints the summary, if it has changed since it was last printed.
    pub(crate) fn sum_up(&self) {
        if self.settings.mode == Mode::Off {
            return;
        }
        let mut entries = lock(&self.entries);
        // A mutant that no shader has is reported even if nothing was dispatched.
        let is_missing = matches!(entries.mutant, Some((_, false)));
        let is_idle =
            entries.counts == Counts::default() && entries.passed.is_empty() && !is_missing;
        if !std::mem::replace(&mut entries.is_printed, true) && !is_idle {
            print_stderr(&entries.summary());
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.sum_up();
    }
}

impl Entries {
    fn summary(&self) -> String {
        use std::fmt::Write as _;
        let Counts {
            dispatches,
            checked,
            repeated: alike,
            passed_over,
            empty,
            not_watched,
            findings,
        } = self.counts;
        let mut said = format!(
            "hirace: {findings} {}; {checked} of {dispatches} {} checked",
            if findings == 1 { "finding" } else { "findings" },
            if dispatches == 1 { "dispatch" } else { "dispatches" },
        );
        let parts = [
            (alike, "repeated"),
            (empty, "without workgroups"),
            (passed_over, "excluded by settings"),
            (not_watched, "not watched"),
        ];
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            let _ = write!(said, ", {count} {what}");
        }
        if self.inconclusive > 0 {
            let _ = write!(said, ", {} inconclusive", self.inconclusive);
        }
        let _ = writeln!(said, "; at most {} MiB of copies", self.peak.div_ceil(1 << 20));
        if let Some(folder) = &self.coverage {
            let folder = folder.display();
            let _ = writeln!(
                said,
                "hirace: coverage was recorded in {folder}; to merge it, run: hirace merge {folder}/*.json"
            );
        }
        match &self.mutant {
            Some((id, true)) => {
                let _ = writeln!(said, "hirace: mutant {id} ran instead of its shader");
            }
            Some((id, false)) => {
                let _ = writeln!(
                    said,
                    "hirace: no shader in WGSL has a mutant {id}, so all shaders ran unchanged"
                );
            }
            None => {}
        }
        for ((kernel, why), count) in &self.unwatched {
            let _ = writeln!(said, "hirace: not watched: {kernel}, {count} times: {why}");
        }
        for (what, count) in &self.passed {
            let plural = if *count == 1 { "" } else { "s" };
            let _ = writeln!(said, "hirace: not watched: {count} {what}{plural}");
        }
        said
    }
}

/// Returns the style of printed findings.
fn style() -> text::Style {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    text::Style::default().with_color(color)
}
