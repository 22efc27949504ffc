//! Replaces a source in this process by a mutant, on request of the command that runs the process.
//!
//! `hirace mutate -- COMMAND` runs tests with a [`MutationRequest`]: where the process makes a kernel of the original text,
//! it uses the text of the mutant instead. Each check appends a line with its outcome to the record.

use crate::check::CheckOutcome;
use crate::cover::hash;
use crate::diagnostic::{Cause, Diagnostic, Result};
use crate::finding::identity::{FindingIdentity, exceeded_limits, finding_identities};
use crate::launch::spec::LaunchSpec;
use crate::process_request::{MutationRequest, ProcessRequest, Role};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

/// The changes that this process makes to its checks.
#[derive(Debug)]
pub struct ProcessMutation {
    request: &'static MutationRequest,
    /// The hash of the text to replace, and its replacement.
    change: Option<(String, String)>,
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

/// Refuses `HIRACE=mutant=ID`, with which a user selects a mutant of an application, where it cannot work: `by` would run
/// the original without a message.
///
/// # Errors
/// The variable is set so.
pub fn reject_selected_mutant(by: &str) -> Result<()> {
    match env::var("HIRACE").ok().as_deref().and_then(|mode| mode.strip_prefix("mutant=")) {
        Some(id) => Err(Box::new(selected_mutant_error(id, by))),
        None => Ok(()),
    }
}

/// Returns the error of a selected mutant that `by` cannot run.
pub fn selected_mutant_error(id: &str, by: &str) -> Diagnostic {
    let error = Diagnostic::new(format!("HIRACE=mutant={id} has no effect on {by}"));
    error.help(format!(
        "unset HIRACE, and judge the mutant by tests: hirace mutate --id {id} -- cargo test"
    ))
}

impl ProcessMutation {
    /// Returns the changes for this process, if a command asks for any.
    ///
    /// # Errors
    /// The request to this process is refused, or the mutant cannot be read.
    pub fn of_process() -> Result<Option<&'static Self>> {
        static MUTATED: OnceLock<Result<Option<ProcessMutation>>> = OnceLock::new();
        let mutated = MUTATED.get_or_init(|| {
            let Some(Role::Mutated(request)) = &ProcessRequest::of_process()?.role else {
                return Ok(None);
            };
            Self::new(request).map(Some)
        });
        mutated.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn new(request: &'static MutationRequest) -> Result<Self> {
        let Some(mutant) = &request.mutant else { return Ok(Self { request, change: None }) };
        let text = fs::read_to_string(&mutant.text).map_err(|error| {
            let path = mutant.text.display();
            let error = Diagnostic::new(format!("cannot read the mutant in {path}: {error}"));
            Box::new(error.of_device())
        })?;
        Ok(Self { request, change: Some((mutant.original.clone(), text)) })
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
        launch.give(self.request.schedule, self.request.steps);
    }

    /// Returns whether races need not be explained.
    pub fn is_unexplained(&self) -> bool {
        self.request.unexplained
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

    /// Records that a check was refused for its input, so that nothing ran. Failures of the device are not recorded.
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
        !self.request.lenient
    }

    /// Records that the mutant could not be made, so that the test's outcome says nothing about it.
    pub fn record_not_made(&self, error: &Diagnostic) {
        // If the record is not writable, the check that follows reports it.
        let _ = self.note(&RecordLine::NotMade { why: error.message.clone() });
    }

    fn note(&self, line: &RecordLine) -> io::Result<()> {
        let text = serde_json::to_string(line).map_err(io::Error::other)?;
        let mut file =
            fs::OpenOptions::new().create(true).append(true).open(&self.request.record)?;
        // A single write, so that lines of several threads do not mix.
        file.write_all(format!("{text}\n").as_bytes())
    }
}

/// Reads the lines of a record, without truncated ones.
pub fn read(record: &Path) -> Vec<RecordLine> {
    let text = fs::read_to_string(record).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
