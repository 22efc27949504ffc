//! A source that this process is to run otherwise, for whoever runs it.
//!
//! `hirace mutate -- COMMAND` runs tests with [`MUTANT`] set to a file: wherever the process makes a kernel of the text
//! with the hash [`ORIGINAL`], it makes it of that file instead. [`RECORD`] is a file to which each check adds a line of
//! what came of it.

use crate::check::Checked;
use crate::cover::hash;
use crate::diagnostic::Diagnostic;
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

/// The environment variable with the hash of the text that it is of.
pub const ORIGINAL: &str = "HIRACE_MUTANT_OF";

/// The environment variable that names the file to add to.
pub const RECORD: &str = "HIRACE_MUTANT_RECORD";

/// The environment variable with the schedule of launches that name none.
pub const SCHEDULE: &str = "HIRACE_MUTANT_SCHEDULE";

/// The environment variable with the steps that a subgroup may take, of launches that name no such limit.
pub const STEPS: &str = "HIRACE_MUTANT_STEPS";

/// The environment variable that says, if it is `1`, that findings fail no test.
pub const LENIENT: &str = "HIRACE_MUTANT_LENIENT";

/// The environment variable that says, if it is `1`, that nobody asks who raced with whom.
pub const UNEXPLAINED: &str = "HIRACE_MUTANT_UNEXPLAINED";

/// What this process is to do otherwise.
#[derive(Debug)]
pub struct Mutated {
    /// The text to be replaced, by its hash, and what by.
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
pub enum Line {
    /// A check came to its end.
    Checked {
        /// The entry points that it launched.
        kernels: BTreeSet<String>,
        /// The rules of which there are findings.
        rules: BTreeSet<String>,
        /// Whether it does the same under every schedule.
        steady: bool,
        /// Whether all launches came to their ends.
        ended: bool,
        /// The most steps that a dispatch took.
        steps: u64,
    },
    /// A test asserted that a check is clean, and it is not.
    NotClean,
    /// The mutant could not be made, for want of memory or threads: it compiled before.
    NotMade {
        /// Why.
        why: String,
    },
}

impl Mutated {
    /// What this process is to do otherwise, if somebody asks for something.
    pub fn of_process() -> Option<&'static Self> {
        static MUTATED: OnceLock<Option<Mutated>> = OnceLock::new();
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

    /// What stands for this text.
    pub fn instead_of(&self, text: &str) -> Option<&str> {
        self.of_hash(&hash(text))
    }

    /// What stands for the text with this hash.
    pub fn of_hash(&self, hash: &str) -> Option<&str> {
        let (original, edited) = self.change.as_ref()?;
        (original == hash).then_some(edited.as_str())
    }

    /// Gives a launch what it does not name itself.
    pub fn give(&self, launch: &mut LaunchSpec) {
        launch.give(self.schedule, self.steps);
    }

    /// Whether nobody asks who raced with whom.
    pub fn is_unexplained(&self) -> bool {
        self.unexplained
    }

    /// Notes what came of a check.
    ///
    /// # Errors
    /// The record cannot be written to.
    pub fn checked(&self, checked: &Checked) -> io::Result<()> {
        let rules = checked.launches.iter().flat_map(|launch| &launch.findings);
        self.note(&Line::Checked {
            kernels: checked.launches.iter().flat_map(|launch| launch.entries.clone()).collect(),
            rules: rules.map(|finding| finding.kind().code().to_owned()).collect(),
            steady: checked.is_steady(),
            ended: checked.ended(),
            steps: checked.steps(),
        })
    }

    /// Notes that a test asserted a check to be clean that is not. Whether that is to fail the test.
    pub fn not_clean(&self) -> bool {
        // Where nothing can be written, the check before this has said so.
        let _ = self.note(&Line::NotClean);
        !self.lenient
    }

    /// Notes that the mutant could not be made here: what a test says then is said of nothing.
    pub fn not_made(&self, error: &Diagnostic) {
        // Where nothing can be written, the check that follows says so.
        let _ = self.note(&Line::NotMade { why: error.message.clone() });
    }

    fn note(&self, line: &Line) -> io::Result<()> {
        let text = serde_json::to_string(line).map_err(io::Error::other)?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.record)?;
        // One write, so that those of several threads stay whole.
        file.write_all(format!("{text}\n").as_bytes())
    }
}

/// The lines of a record; one that was cut off is left out.
pub fn read(record: &Path) -> Vec<Line> {
    let text = fs::read_to_string(record).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
