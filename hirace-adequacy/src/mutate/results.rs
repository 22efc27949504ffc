//! The results of a mutation run, which all its reports show. Serialized as `hirace.mutate/1`.

use crate::schema;
use hirace_core::finding::identity::FindingIdentity;
use serde::{Deserialize, Serialize};

/// The value of `schema` in the JSON.
pub const SCHEMA: &str = "hirace.mutate/1";

/// All mutants of a run with their outcomes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Results {
    /// `hirace.mutate/1`.
    pub schema: String,
    /// The number of runs of a test per mutant, if its outcome may differ between runs.
    pub repeats: u32,
    /// Whether the run was stopped early. Mutants that were not judged have no status.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// Whether a diff was given that changes no line with a mutant, so that there is nothing to judge.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unchanged: bool,
    /// The mutated files.
    #[serde(default)]
    pub files: Vec<File>,
    /// The tests of the suite, by name.
    pub tests: Vec<Test>,
    /// The mutants, by file and location.
    pub mutants: Vec<Mutant>,
    /// The summary of all mutants.
    pub summary: Summary,
    /// Whether equivalent mutants count as not detected.
    #[serde(default, skip_serializing_if = "is_false")]
    pub counts_equivalent: bool,
    /// The findings of the tests without a mutant. They kill no mutant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_findings: Vec<KnownFinding>,
    /// What differs between runs of the same command. Absent with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// The time that a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timing {
    /// The duration of each test without a mutant in seconds, in the order of the tests.
    pub tests: Vec<Option<f64>>,
    /// The time taken to judge each mutant in seconds, in the order of the mutants. Null for a mutant that was not judged in this run.
    pub mutants: Vec<Option<f64>>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// The file name, as in the mutants.
    pub file: String,
    /// The hash of the text.
    pub text: String,
}

/// A test of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Test {
    /// The name in its suite.
    pub name: String,
    /// The duration without a mutant, in seconds, if it is known.
    #[serde(skip)]
    pub seconds: Option<f64>,
    /// Whether one run per mutant is enough: no schedule can change the result, or runs without a mutant had the same
    /// result and the number of runs was not given.
    pub steady: bool,
}

/// A finding of tests without a mutant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KnownFinding {
    /// The file.
    pub file: String,
    /// The first of its lines, from 1.
    pub line: u32,
    /// The rule code: `HR001`.
    pub rule: String,
    /// The kernel, or the kernels of its launch.
    pub kernel: String,
    /// The variable, if it is about memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Whether it is a race that only an index out of bounds explains, because the index is clamped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub only_by_clamping: bool,
    /// The tests that have it.
    pub tests: Vec<String>,
}

impl KnownFinding {
    /// Returns a finding of a test.
    pub fn of(finding: &FindingIdentity, test: &str) -> Self {
        Self {
            file: finding.file.clone(),
            line: finding.places.first().map_or(0, |&(line, _)| line),
            rule: finding.rule.clone(),
            kernel: finding.kernel.clone(),
            variable: finding.variable.clone(),
            only_by_clamping: finding.only_by_clamping,
            tests: vec![test.to_owned()],
        }
    }

    /// Sorts findings and joins those that differ only in their tests.
    pub fn join(findings: &mut Vec<Self>) {
        findings.sort();
        findings.dedup_by(|other, kept| {
            let is_same = Self { tests: Vec::new(), ..other.clone() }
                == Self { tests: Vec::new(), ..kept.clone() };
            if is_same {
                kept.tests.append(&mut other.tests);
                kept.tests.sort();
                kept.tests.dedup();
            }
            is_same
        });
    }
}

/// A mutation of a source, with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mutant {
    /// The id. It is the same in every run, as long as the text of the file is the same.
    pub id: String,
    /// The class of the operator.
    pub class: Class,
    /// The operator in its class: `less-to-less-equal`.
    pub operator: String,
    /// The file, as given to the run.
    pub file: String,
    /// The line where the replaced text begins, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The line of the first character after the replaced text.
    pub end_line: u32,
    /// The column of that character.
    pub end_column: u32,
    /// The original text.
    pub original: String,
    /// The replacement; empty if the text is deleted.
    pub replacement: String,
    /// The enclosing function, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The outcome; absent if the mutant was not judged (yet).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The test that killed it, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<KilledBy>,
    /// Whether an assertion on outputs alone kills it, determined by a second run in which findings fail no test.
    /// Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_outputs: Option<bool>,
    /// Why it is equivalent or unviable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For a mutant that survives: findings without it that occur more often with it, so that they may hide what it causes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_by: Vec<KnownFinding>,
    /// The tests that reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached_by: Vec<String>,
    /// For an undecided mutant, the number of failed runs of the test that sometimes failed, and of all its runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_runs: Option<FailedRuns>,
    /// The directive in the source that applies to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<Directive>,
    /// The time taken to judge it, in seconds, if it was judged in this run.
    #[serde(skip)]
    pub seconds: Option<f64>,
}

/// A class of mutation operators.
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
    /// Texel coordinates
    ImageAccess,
    /// The number of iterations of a loop
    LoopBoundary,
    /// Atomics, built-in ids, workgroup memory, workgroup sizes
    Gpu,
}

impl Class {
    /// All classes, in the order of the table.
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

    /// Returns the name, in kebab-case.
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

    /// Returns the class with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// The outcome of a mutant.
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
    /// It provably behaves as the original does.
    Equivalent,
    /// The device or the application of every test refuses it, so it cannot run.
    Unviable,
    /// A test exceeded its time limit.
    Timeout,
    /// A test ran out of memory.
    OutOfMemory,
    /// No test runs the mutated code.
    NoCoverage,
    /// A directive in the source excludes it.
    Skipped,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 9] = [
        Self::Killed,
        Self::Survived,
        Self::Undecided,
        Self::Equivalent,
        Self::Unviable,
        Self::Timeout,
        Self::OutOfMemory,
        Self::NoCoverage,
        Self::Skipped,
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Survived => "survived",
            Self::Undecided => "undecided",
            Self::Equivalent => "equivalent",
            Self::Unviable => "unviable",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out-of-memory",
            Self::NoCoverage => "no-coverage",
            Self::Skipped => "skipped",
        }
    }
}

/// The test that killed a mutant, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KilledBy {
    /// The test that failed.
    pub test: String,
    /// How it failed.
    pub cause: KillCause,
    /// The rules of the findings that made it fail: `HR001`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// How a test failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KillCause {
    /// An assertion on outputs failed.
    Assertion,
    /// There was a finding that does not occur without the mutant: a race, an out-of-bounds access, a divergent
    /// barrier.
    Finding,
    /// A launch does not terminate.
    Hang,
    /// The process ended abnormally.
    Crash,
}

impl KillCause {
    /// All causes.
    pub const ALL: [Self; 4] = [Self::Assertion, Self::Finding, Self::Hang, Self::Crash];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Finding => "finding",
            Self::Hang => "hang",
            Self::Crash => "crash",
        }
    }
}

/// The runs of a test that sometimes fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailedRuns {
    /// The number of failed runs.
    pub failed: u32,
    /// The number of runs.
    pub runs: u32,
}

/// A directive in the source for a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Directive {
    /// The kind of directive.
    pub kind: DirectiveKind,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the outcome is as the directive says.
    pub holds: bool,
}

/// The kind of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DirectiveKind {
    /// `skip mutants`
    Skip,
    /// `expect survived`
    ExpectSurvived,
    /// `expect killed`
    ExpectKilled,
}

/// The number of mutants per outcome, and the scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The number of mutants.
    pub total: u64,
    /// The number of mutants per status.
    pub by_status: Vec<(Status, u64)>,
    /// The number of killed mutants per cause.
    pub by_cause: Vec<(KillCause, u64)>,
    /// The summaries of classes.
    pub classes: Vec<ClassSummary>,
    /// The percentage of detected mutants (killed, timed out or out of memory), of all except equivalent, unviable and
    /// skipped ones. Undecided mutants count as not detected. Absent if there are no mutants that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The percentage of mutants that an assertion on outputs kills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict_score: Option<f64>,
}

/// The mutants of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClassSummary {
    /// The class.
    pub class: Class,
    /// The number of mutants per status.
    pub by_status: Vec<(Status, u64)>,
    /// As [`Summary::score`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl Status {
    /// Returns whether the status counts in scores.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Equivalent | Self::Unviable | Self::Skipped)
    }

    /// Returns whether a test detected the mutant.
    pub fn is_found(self) -> bool {
        matches!(self, Self::Killed | Self::Timeout | Self::OutOfMemory)
    }
}

impl Summary {
    /// Returns the summary of these mutants.
    pub fn of<'m>(mutants: impl Iterator<Item = &'m Mutant> + Clone) -> Self {
        Self::counting(mutants, Status::counts)
    }

    /// Returns the summary of these mutants, with those in scores that have these statuses.
    fn counting<'m>(
        mutants: impl Iterator<Item = &'m Mutant> + Clone,
        counts: fn(Status) -> bool,
    ) -> Self {
        let counted = |mutant: &&Mutant| mutant.status.is_some_and(counts);
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
            (how, killed.filter(|by| by.cause == how).count() as u64)
        };
        Self {
            total: mutants.clone().count() as u64,
            by_status: by_status(mutants.clone()),
            by_cause: KillCause::ALL.into_iter().map(how).filter(|(_, count)| *count > 0).collect(),
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

    /// Returns the number of mutants with this status.
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
            counts_equivalent: false,
            known_findings: Vec::new(),
            timing: None,
        }
    }
}

impl Results {
    /// Parses the output of [`report::json`](super::report::json). For another schema version, only the `schema` field
    /// is read.
    ///
    /// # Errors
    /// The text is something else.
    pub fn read(text: &str) -> serde_json::Result<Self> {
        let read = serde_json::from_str(text);
        match schema::name(text).filter(|schema| schema != SCHEMA) {
            Some(schema) => Ok(Self { schema, ..Self::default() }),
            None => read.map(Self::with_seconds),
        }
    }

    /// Returns the results with the durations of `timing` in the tests and mutants.
    fn with_seconds(mut self) -> Self {
        let Timing { tests, mutants } = self.timing.clone().unwrap_or_default();
        self.tests.iter_mut().zip(tests).for_each(|(test, seconds)| test.seconds = seconds);
        self.mutants.iter_mut().zip(mutants).for_each(|(mutant, seconds)| mutant.seconds = seconds);
        self
    }

    /// Returns the results without what differs between runs of the same command.
    pub fn without_timing(&self) -> Self {
        let mut results = Self { timing: None, ..self.clone() };
        results.tests.iter_mut().for_each(|test| test.seconds = None);
        results.mutants.iter_mut().for_each(|mutant| mutant.seconds = None);
        results
    }

    /// Returns which statuses count in the scores of these results.
    pub fn counted(&self) -> fn(Status) -> bool {
        match self.counts_equivalent {
            true => |status| status.counts() || status == Status::Equivalent,
            false => Status::counts,
        }
    }

    /// Sorts everything and recomputes the summary.
    pub fn summarize(&mut self) {
        self.files.sort();
        // Tests may share a name; the stable sort keeps their order.
        self.tests.sort_by(|a, b| a.name.cmp(&b.name));
        self.mutants.sort_by(|a, b| a.place().cmp(&b.place()));
        KnownFinding::join(&mut self.known_findings);
        self.summary = Summary::counting(self.mutants.iter(), self.counted());
        // JSON has only finite numbers.
        let finite = |seconds: Option<f64>| seconds.filter(|seconds| seconds.is_finite());
        let tests: Vec<_> = self.tests.iter().map(|test| finite(test.seconds)).collect();
        let mutants: Vec<_> = self.mutants.iter().map(|mutant| finite(mutant.seconds)).collect();
        let is_known = tests.iter().chain(&mutants).any(Option::is_some);
        self.timing = is_known.then_some(Timing { tests, mutants });
    }
}

impl Mutant {
    /// Returns whether it is in the function with this name.
    pub fn is_in(&self, function: &str) -> bool {
        self.function.as_deref() == Some(function)
    }

    /// Creates an unjudged mutant of this class, with no other information.
    pub(crate) fn with_class(class: Class) -> Self {
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
            reason: None,
            hidden_by: Vec::new(),
            reached_by: Vec::new(),
            failed_runs: None,
            directive: None,
            seconds: None,
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

/// Returns a mutant for tests.
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
        ..Mutant::with_class(Class::Relational)
    }
}
