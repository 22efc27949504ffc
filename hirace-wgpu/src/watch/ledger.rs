//! What was found in an application, said at once; and what was checked and what was not, said at its end.

use super::at_exit;
use super::not_watched::NotWatched;
use super::settings::{Form, Mode, Settings};
use super::shaders::Shaders;
use crate::forward::lock;
use hirace_core::cover::record::Record;
use hirace_core::facts::{LaunchFacts, Verdict};
use hirace_core::mutated::Mutated;
use hirace_core::report::document::Report;
use hirace_core::report::{compose, text};
use hirace_terminal::file;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, OnceLock};

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) settings: Settings,
    pub(crate) shaders: Shaders,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// The first launch of each kernel, and those that showed something new.
    launches: Vec<LaunchFacts>,
    /// What is known: source, entry point, fingerprint.
    known: BTreeSet<(String, String, String)>,
    kernels: BTreeSet<(String, String)>,
    counts: Counts,
    /// Why dispatches were not checked, by kernel and reason.
    unwatched: BTreeMap<(String, String), u64>,
    /// What no watcher is shown.
    passed: BTreeMap<&'static str, u64>,
    inconclusive: u64,
    /// The most bytes that a device's copies took at a time.
    peak: u64,
    /// Where coverage is recorded.
    coverage: Option<PathBuf>,
    /// The mutant that is to run, and whether it does.
    mutant: Option<(String, bool)>,
    /// Whether all of this was said.
    is_said: bool,
    /// Files that could not be written.
    unwritten: BTreeSet<PathBuf>,
}

/// How dispatches went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All that were recorded.
    pub dispatches: u64,
    /// Those that were checked.
    pub checked: u64,
    /// Those that were like one that was checked: the same kernel, grid and memory.
    pub alike: u64,
    /// Those that were passed over because of [`Settings::only`], [`Settings::ignore`] or [`Settings::every`].
    pub passed_over: u64,
    /// Those with no workgroups.
    pub empty: u64,
    /// Those that could not be checked.
    pub not_watched: u64,
    /// Different findings.
    pub findings: u64,
}

impl Ledger {
    /// That of all instances that are made by the environment, whose settings these are: reports of a process are written
    /// by one.
    pub(crate) fn of_process(settings: Settings) -> Arc<Self> {
        static LEDGER: OnceLock<Arc<Ledger>> = OnceLock::new();
        Arc::clone(LEDGER.get_or_init(|| Self::new(settings)))
    }

    /// One that sums up when the process ends, too.
    pub(crate) fn new(settings: Settings) -> Arc<Self> {
        let shaders = Shaders::new(settings.shaders.clone());
        let mut entries = Entries::default();
        match &settings.mode {
            Mode::Cover => match Record::begin(&settings.coverage) {
                Ok(folder) => entries.coverage = Some(folder.to_owned()),
                Err(error) => {
                    let folder = settings.coverage.display();
                    say(&format!("hirace: cannot record coverage in {folder}: {error}\n"));
                }
            },
            Mode::Mutant(id) => entries.mutant = Some((id.clone(), false)),
            Mode::Check | Mode::Off => {}
        }
        let ledger = Arc::new(Self { settings, shaders, entries: Mutex::new(entries) });
        at_exit::sum_up(&ledger);
        ledger
    }

    /// A shader runs with the mutant.
    pub(crate) fn met_mutant(&self) {
        if let Some((_, is_met)) = &mut lock(&self.entries).mutant {
            *is_met = true;
        }
    }

    /// So many bytes were taken for copies at a time.
    pub(crate) fn copies_took(&self, peak: u64) {
        let mut entries = lock(&self.entries);
        entries.peak = entries.peak.max(peak);
    }

    /// Counts something.
    pub(crate) fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut entries = lock(&self.entries);
        count(&mut entries.counts);
        entries.is_said = false;
    }

    /// Counts what runs shaders and is shown to nobody.
    pub(crate) fn passed(&self, what: &'static str) {
        let mut entries = lock(&self.entries);
        *entries.passed.entry(what).or_default() += 1;
        entries.is_said = false;
    }

    /// A dispatch of this kernel was not checked.
    pub(crate) fn not_watched(&self, kernel: String, why: &NotWatched) {
        let mut entries = lock(&self.entries);
        entries.counts.not_watched += 1;
        *entries.unwatched.entry((kernel, why.to_string())).or_default() += 1;
        entries.is_said = false;
    }

    pub(crate) fn report(&self) -> Report {
        compose::report(&lock(&self.entries).launches)
    }

    pub(crate) fn counts(&self) -> Counts {
        lock(&self.entries).counts
    }

    /// A launch was checked: what is new of it is printed, and reports are written anew.
    ///
    /// # Panics
    /// If there is something new, and the settings want that.
    pub(crate) fn checked(&self, launch: LaunchFacts) {
        let mut entries = lock(&self.entries);
        let (source, entry) = (launch.source.name().to_owned(), launch.entries.join(","));
        entries.is_said = false;
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
        // Coverage speaks of its lines.
        if new > 0 || Record::of_process().is_some() {
            self.shaders.write(&source);
        }
        if new > 0 {
            say(&text::report(&compose::report(std::slice::from_ref(&launch)), style()));
        }
        entries.launches.push(launch);
        self.write(&mut entries);
        drop(entries);
        // Whoever runs mutants asks what a test says of them beside that.
        let ends =
            new > 0 && self.settings.panics && Mutated::of_process().is_none_or(Mutated::not_clean);
        assert!(
            !ends,
            "hirace found something wrong with a dispatch (see above); HIRACE_PANIC=1 ends the program here"
        );
    }

    fn write(&self, entries: &mut Entries) {
        let own = self.settings.found.as_ref();
        let own = own.map(|folder| (Form::Json, folder.join(format!("{}.json", process::id()))));
        if self.settings.reports.is_empty() && own.is_none() {
            return;
        }
        let report = compose::report(&entries.launches);
        for (form, path) in self.settings.reports.iter().chain(&own) {
            let written = file::write(path, form.render(&report).as_bytes());
            let Err(error) = written else { continue };
            if entries.unwritten.insert(path.clone()) {
                say(&format!("hirace: cannot write {}: {error}\n", path.display()));
            }
        }
    }

    /// Says what was checked and what was not, if that is not what was said last.
    pub(crate) fn sum_up(&self) {
        if self.settings.mode == Mode::Off {
            return;
        }
        let mut entries = lock(&self.entries);
        let is_idle = entries.counts == Counts::default() && entries.passed.is_empty();
        if !std::mem::replace(&mut entries.is_said, true) && !is_idle {
            say(&entries.summary());
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
        let Counts { dispatches, checked, alike, passed_over, empty, not_watched, findings } =
            self.counts;
        let mut said = format!(
            "hirace: {findings} {}; {checked} of {dispatches} {} checked",
            if findings == 1 { "finding" } else { "findings" },
            if dispatches == 1 { "dispatch" } else { "dispatches" },
        );
        let parts = [
            (alike, "like one of these"),
            (empty, "without workgroups"),
            (passed_over, "passed over as asked"),
            (not_watched, "not watched"),
        ];
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            let _ = write!(said, ", {count} {what}");
        }
        if self.inconclusive > 0 {
            let _ = write!(said, "; of {} nothing can be concluded", self.inconclusive);
        }
        let _ = writeln!(said, "; copies took {} MiB at most", self.peak.div_ceil(1 << 20));
        if let Some(folder) = &self.coverage {
            let folder = folder.display();
            let _ = writeln!(said, "hirace: coverage is in {folder}: hirace merge {folder}/*.json");
        }
        match &self.mutant {
            Some((id, true)) => {
                let _ = writeln!(said, "hirace: mutant {id} ran in the place of its shader");
            }
            Some((id, false)) => {
                let _ = writeln!(said, "hirace: no shader has a mutant {id}");
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

/// Prints on standard error itself: what is printed by a test that passes is not shown by whoever runs tests.
pub(crate) fn say(text: &str) {
    // Where nothing can be printed, nobody reads it.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// How findings are printed.
fn style() -> text::Style {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    text::Style { colour, ..text::Style::default() }
}
