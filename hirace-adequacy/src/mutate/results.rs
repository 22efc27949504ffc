//! What came of mutants: the facts that reports show. As JSON they are `hirace.mutate/1`.

use crate::schema;
use serde::{Deserialize, Serialize};

/// What the JSON calls itself.
pub const SCHEMA: &str = "hirace.mutate/1";

/// All mutants of a run, and what became of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.mutate/1`.
    pub schema: String,
    /// How often a test was run against a mutant, where its outcome may differ from run to run.
    pub repeats: u32,
    /// Whether the run was stopped before all mutants were judged: those that were not have no status.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// Whether a diff was given that changes no line that a mutant is on: then there is nothing to judge.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unchanged: bool,
    /// What mutants were made of.
    #[serde(default)]
    pub files: Vec<File>,
    /// The tests of the suite, by name.
    pub tests: Vec<Test>,
    /// By file and place.
    pub mutants: Vec<Mutant>,
    /// Over all mutants but those of kernels whose tests expect races.
    pub summary: Summary,
    /// Over the mutants of kernels whose tests expect races: what a race says there is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expecting_races: Option<Summary>,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// The file, as mutants of it name it.
    pub file: String,
    /// The hash of its text.
    pub text: String,
}

/// A test of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test {
    /// What its suite calls it.
    pub name: String,
    /// How long it took without a mutant.
    pub seconds: f64,
    /// Whether no schedule can change what it does: then one run says what all do.
    pub steady: bool,
}

/// One change of a source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mutant {
    /// The same in every run, as long as the text of the file is the same.
    pub id: String,
    /// Which kind of operator: a class of the table of operators.
    pub class: Class,
    /// Which operator of the class: `less-to-less-equal`.
    pub operator: String,
    /// The file, as the run was given it.
    pub file: String,
    /// Where what is replaced begins, from 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// Where it ends: the line of the first character behind it.
    pub end_line: u32,
    /// The column of that.
    pub end_column: u32,
    /// What stands there.
    pub original: String,
    /// What the mutant has instead; empty, if that is deleted.
    pub replacement: String,
    /// The function that it is in; nothing, outside of functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// What became of it; nothing, if it was not judged (yet).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// What killed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<KilledBy>,
    /// Whether an assertion on outputs alone kills it: a second run, in which findings fail no test. Nothing, where that
    /// is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_outputs: Option<bool>,
    /// Whether tests of what it is in expect races.
    #[serde(default, skip_serializing_if = "is_false")]
    pub expects_races: bool,
    /// The tests that reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached_by: Vec<String>,
    /// In how many runs of how many the test failed that differed, of one that is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_runs: Option<FailedRuns>,
    /// What a directive in the source says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<Directive>,
    /// How long it took to judge.
    #[serde(default)]
    pub seconds: f64,
}

/// A class of operators, as the table of operators has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// `+ - * / %`, a minus sign, `+= 1`
    Arithmetic,
    /// `< > <= >= == !=`
    Relational,
    /// `&& || !`
    Logical,
    /// `& | ^ ~ << >>`
    Bitwise,
    /// `+= -= …`
    Assignment,
    /// Barriers
    Barrier,
    /// Coordinates of texels
    ImageAccess,
    /// How often a loop runs
    LoopBoundary,
    /// Atomics, built-in ids, workgroup memory, workgroup sizes
    Gpu,
}

impl Class {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Arithmetic,
        Self::Relational,
        Self::Logical,
        Self::Bitwise,
        Self::Assignment,
        Self::Barrier,
        Self::ImageAccess,
        Self::LoopBoundary,
        Self::Gpu,
    ];

    /// Its name, as the table has it, in kebab-case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Relational => "relational",
            Self::Logical => "logical",
            Self::Bitwise => "bitwise",
            Self::Assignment => "assignment",
            Self::Barrier => "barrier",
            Self::ImageAccess => "image-access",
            Self::LoopBoundary => "loop-boundary",
            Self::Gpu => "gpu",
        }
    }

    /// The class of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A test failed in all of its runs.
    Killed,
    /// No test failed.
    Survived,
    /// A test failed in some of its runs.
    Undecided,
    /// The compiled code is the same as without it.
    Equivalent,
    /// A test did not end in its time.
    Timeout,
    /// A test had no memory left.
    OutOfMemory,
    /// No test runs what it changes.
    NoCoverage,
    /// A directive in the source says that it is not to be run.
    Skipped,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Killed,
        Self::Survived,
        Self::Undecided,
        Self::Equivalent,
        Self::Timeout,
        Self::OutOfMemory,
        Self::NoCoverage,
        Self::Skipped,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Survived => "survived",
            Self::Undecided => "undecided",
            Self::Equivalent => "equivalent",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out-of-memory",
            Self::NoCoverage => "no-coverage",
            Self::Skipped => "skipped",
        }
    }
}

/// What killed a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KilledBy {
    /// The test that failed.
    pub test: String,
    /// By what.
    pub how: How,
    /// The findings that it failed by: `HR001`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// How a test failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// What it asserts of outputs.
    Assertion,
    /// A finding that there is none of without the mutant: a race, an access out of bounds, a barrier not all reach.
    Finding,
    /// A launch that comes to no end.
    Hang,
    /// It ended otherwise than tests do.
    Crash,
}

impl How {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Assertion, Self::Finding, Self::Hang, Self::Crash];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Finding => "finding",
            Self::Hang => "hang",
            Self::Crash => "crash",
        }
    }
}

/// Runs of a test that sometimes fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailedRuns {
    /// In how many it failed.
    pub failed: u32,
    /// Of how many.
    pub runs: u32,
}

/// What a comment in the source says of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Directive {
    /// What it says.
    pub says: Says,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it is as it says.
    pub holds: bool,
}

/// What a directive says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Says {
    /// `skip mutants`
    Skip,
    /// `expect survived`
    ExpectSurvived,
    /// `expect killed`
    ExpectKilled,
}

/// How many mutants became what, and the scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// All mutants.
    pub total: u64,
    /// By what became of them.
    pub by_status: Vec<(Status, u64)>,
    /// The killed ones, by what killed them.
    pub by_how: Vec<(How, u64)>,
    /// By class.
    pub classes: Vec<ClassSummary>,
    /// How many of a hundred are found: killed, timed out and out of memory, of all but equivalent and skipped ones.
    /// Undecided ones are not killed. Nothing, if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The same, of those alone that an assertion on outputs kills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict_score: Option<f64>,
}

/// The mutants of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClassSummary {
    /// Which.
    pub class: Class,
    /// By what became of them.
    pub by_status: Vec<(Status, u64)>,
    /// As [`Summary::score`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl Status {
    /// Whether it counts in scores.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Equivalent | Self::Skipped)
    }

    /// Whether a test noticed the mutant.
    pub fn is_found(self) -> bool {
        matches!(self, Self::Killed | Self::Timeout | Self::OutOfMemory)
    }
}

impl Summary {
    /// Of these mutants.
    pub fn of<'m>(mutants: impl Iterator<Item = &'m Mutant> + Clone) -> Self {
        let counted = |mutant: &&Mutant| mutant.status.is_some_and(Status::counts);
        let of_class = |class| {
            let own = mutants.clone().filter(move |mutant| mutant.class == class);
            ClassSummary {
                class,
                by_status: by_status(own.clone()),
                score: percent(
                    own.clone().filter(counted).filter(|m| m.status.is_some_and(Status::is_found)),
                    own.filter(counted),
                ),
            }
        };
        let all = mutants.clone().filter(counted);
        let how = |how| {
            let killed = mutants.clone().filter_map(|mutant| mutant.killed_by.as_ref());
            (how, killed.filter(|by| by.how == how).count() as u64)
        };
        Self {
            total: mutants.clone().count() as u64,
            by_status: by_status(mutants.clone()),
            by_how: How::ALL.into_iter().map(how).filter(|(_, count)| *count > 0).collect(),
            classes: Class::ALL
                .into_iter()
                .map(of_class)
                .filter(|class| mutants.clone().any(|mutant| mutant.class == class.class))
                .collect(),
            score: percent(
                all.clone().filter(|m| m.status.is_some_and(Status::is_found)),
                all.clone(),
            ),
            strict_score: percent(all.clone().filter(|m| m.by_outputs == Some(true)), all),
        }
    }

    /// How many became that.
    pub fn count(&self, status: Status) -> u64 {
        let found = self.by_status.iter().find(|(known, _)| *known == status);
        found.map_or(0, |(_, count)| *count)
    }
}

fn by_status<'m>(mutants: impl Iterator<Item = &'m Mutant> + Clone) -> Vec<(Status, u64)> {
    let of = |status| {
        let own = mutants.clone().filter(|mutant| mutant.status == Some(status));
        (status, own.count() as u64)
    };
    Status::ALL.into_iter().map(of).filter(|(_, count)| *count > 0).collect()
}

fn percent<'m>(
    some: impl Iterator<Item = &'m Mutant>,
    all: impl Iterator<Item = &'m Mutant>,
) -> Option<f64> {
    let all = all.count();
    (all > 0).then(|| 100.0 * some.count() as f64 / all as f64)
}

impl Default for Results {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            repeats: 0,
            stopped: false,
            unchanged: false,
            files: Vec::new(),
            tests: Vec::new(),
            mutants: Vec::new(),
            summary: Summary::default(),
            expecting_races: None,
        }
    }
}

impl Results {
    /// Reads what [`report::json`](super::report::json) wrote. Of another version, only what it calls itself is read.
    ///
    /// # Errors
    /// It is something else.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        let read = serde_json::from_str(text);
        match schema::name(text).filter(|schema| schema != SCHEMA) {
            Some(schema) => Ok(Self { schema, ..Self::default() }),
            None => read,
        }
    }

    /// Puts all of it in order, and counts the mutants anew.
    pub fn summarise(&mut self) {
        self.files.sort();
        // Some may have one name: these stay as they are.
        self.tests.sort_by(|a, b| a.name.cmp(&b.name));
        self.mutants.sort_by(|a, b| a.place().cmp(&b.place()));
        let (racy, others): (Vec<&Mutant>, Vec<&Mutant>) =
            self.mutants.iter().partition(|mutant| mutant.expects_races);
        self.summary = Summary::of(others.iter().copied());
        self.expecting_races = (!racy.is_empty()).then(|| Summary::of(racy.iter().copied()));
    }
}

impl Mutant {
    /// Whether it is in the function of this name.
    pub fn is_in(&self, function: &str) -> bool {
        self.function.as_deref() == Some(function)
    }

    /// A mutant of this class of which nothing else is known, and that nobody has judged.
    pub(crate) fn unjudged(class: Class) -> Self {
        Self {
            id: String::new(),
            class,
            operator: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            end_line: 0,
            end_column: 0,
            original: String::new(),
            replacement: String::new(),
            function: None,
            status: None,
            killed_by: None,
            by_outputs: None,
            expects_races: false,
            reached_by: Vec::new(),
            failed_runs: None,
            directive: None,
            seconds: 0.0,
        }
    }

    fn place(&self) -> (&str, u32, u32, &str, &str, &str) {
        let Self { file, line, column, operator, replacement, id, .. } = self;
        (file, *line, *column, operator, replacement, id)
    }
}

fn is_false(is: &bool) -> bool {
    !is
}

/// A mutant for tests.
#[cfg(test)]
pub(super) fn sample() -> Mutant {
    Mutant {
        id: "0".to_owned(),
        operator: "less-to-less-equal".to_owned(),
        file: "k.wgsl".to_owned(),
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 2,
        original: "<".to_owned(),
        replacement: "<=".to_owned(),
        ..Mutant::unjudged(Class::Relational)
    }
}
