//! Replaces a source in this process by a mutant, on request of the command that runs the process.
//!
//! `hirace mutate -- COMMAND` runs tests with [`MUTANT`] set to a file: where the process makes a kernel of the text
//! with the hash [`ORIGINAL`], it uses the text of that file instead. [`RECORD`] is a file to which each check appends
//! a line with its outcome.

use crate::check::CheckOutcome;
use crate::cover::hash;
use crate::diagnostic::{Cause, Diagnostic};
use crate::finding::identity::{FindingIdentity, exceeded_limits, finding_identities};
use crate::launch::spec::LaunchSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

/// The environment variable that names the file with the mutant's text.
pub const MUTANT: &str = "HIRACE_MUTANT";

/// The environment variable with the hash of the text that the mutant replaces.
pub const ORIGINAL: &str = "HIRACE_MUTANT_OF";

/// The environment variable that names the record, a file to append to.
pub const RECORD: &str = "HIRACE_MUTANT_RECORD";

/// The environment variable with the schedule for launches that name none.
pub const SCHEDULE: &str = "HIRACE_MUTANT_SCHEDULE";

/// The environment variable with the step limit of a subgroup for launches that set none.
pub const STEPS: &str = "HIRACE_MUTANT_STEPS";

/// The environment variable that, if it is `1`, keeps findings from failing tests.
pub const LENIENT: &str = "HIRACE_MUTANT_LENIENT";

/// The environment variable that, if it is `1`, turns off the search for the accesses that race.
pub const UNEXPLAINED: &str = "HIRACE_MUTANT_UNEXPLAINED";

/// The changes that this process makes to its checks.
#[derive(Debug)]
pub struct ProcessMutation {
    /// The hash of the text to replace, and its replacement.
    change: Option<(String, String)>,
    record: PathBuf,
    schedule: u64,
    steps: Option<u64>,
    lenient: bool,
    unexplained: bool,
}

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordLine {
    /// A check completed.
    Checked {
        /// The findings.
        findings: Vec<FindingIdentity>,
        /// The limits of WebGPU that the launches exceed.
        exceeded: BTreeSet<String>,
        /// Whether the launches behave the same under every schedule.
        steady: bool,
        /// Whether all launches terminated.
        ended: bool,
        /// The most steps that a dispatch took.
        steps: u64,
    },
    /// A test asserted that a check is clean, but it is not.
    NotClean,
    /// A check was refused before anything ran.
    Refused {
        /// The reason.
        why: String,
    },
    /// The mutant, which compiled before, could not be made for lack of memory or threads.
    NotMade {
        /// The reason.
        why: String,
    },
}

impl ProcessMutation {
    /// Returns the changes for this process, if its environment asks for any.
    pub fn of_process() -> Option<&'static Self> {
        static MUTATED: OnceLock<Option<ProcessMutation>> = OnceLock::new();
        let mutated = MUTATED.get_or_init(|| {
            let given = |name| env::var_os(name).filter(|value| !value.is_empty());
            let text = |name| given(name).and_then(|value| value.into_string().ok());
            let record = given(RECORD)?.into();
            let edited = |path: &OsStr| fs::read_to_string(Path::new(path)).ok();
            let change = text(ORIGINAL).zip(given(MUTANT).and_then(|path| edited(&path)));
            let schedule = text(SCHEDULE).and_then(|seed| seed.parse().ok()).unwrap_or(0);
            let steps = text(STEPS).and_then(|steps| steps.parse().ok());
            let is_set = |name| text(name).is_some_and(|value| value == "1");
            let (lenient, unexplained) = (is_set(LENIENT), is_set(UNEXPLAINED));
            Some(Self { change, record, schedule, steps, lenient, unexplained })
        });
        mutated.as_ref()
    }

    /// Returns the replacement of this text, if it has one.
    pub fn replacement(&self, text: &str) -> Option<&str> {
        self.of_hash(&hash(text))
    }

    /// Returns the replacement of the text with this hash, if it has one.
    pub fn of_hash(&self, hash: &str) -> Option<&str> {
        let (original, edited) = self.change.as_ref()?;
        (original == hash).then_some(edited.as_str())
    }

    /// Sets the schedule and the step limit of a launch that does not set them itself.
    pub fn apply_defaults(&self, launch: &mut LaunchSpec) {
        launch.give(self.schedule, self.steps);
    }

    /// Returns whether races need not be explained.
    pub fn is_unexplained(&self) -> bool {
        self.unexplained
    }

    /// Records the outcome of a check.
    ///
    /// # Errors
    /// The record is not writable.
    pub fn record_check(&self, checked: &CheckOutcome) -> io::Result<()> {
        self.note(&RecordLine::Checked {
            findings: finding_identities(&checked.launches, |_| true),
            exceeded: exceeded_limits(&checked.launches),
            steady: checked.is_steady(),
            ended: checked.all_terminated(),
            steps: checked.steps(),
        })
    }

    /// Records that the input or the device refused a check, so that nothing ran.
    ///
    /// # Errors
    /// The record is not writable.
    pub fn record_refused(&self, error: &Diagnostic) -> io::Result<()> {
        match error.cause {
            Cause::Device => Ok(()),
            _ => self.note(&RecordLine::Refused { why: error.message.clone() }),
        }
    }

    /// Records that a test asserted that a check is clean which is not. Returns whether the test is to fail for that.
    pub fn record_not_clean(&self) -> bool {
        // If the record is not writable, the check before this one has reported it.
        let _ = self.note(&RecordLine::NotClean);
        !self.lenient
    }

    /// Records that the mutant could not be made, so that the test's outcome says nothing about it.
    pub fn record_not_made(&self, error: &Diagnostic) {
        // If the record is not writable, the check that follows reports it.
        let _ = self.note(&RecordLine::NotMade { why: error.message.clone() });
    }

    fn note(&self, line: &RecordLine) -> io::Result<()> {
        let text = serde_json::to_string(line).map_err(io::Error::other)?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.record)?;
        // A single write, so that lines of several threads do not mix.
        file.write_all(format!("{text}\n").as_bytes())
    }
}

/// Reads the lines of a record, without truncated ones.
pub fn read(record: &Path) -> Vec<RecordLine> {
    let text = fs::read_to_string(record).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
