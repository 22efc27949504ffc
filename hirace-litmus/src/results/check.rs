//! Consistency checks of documents. The counts must add up, outcomes must have the classes of the specification, and
//! the summary must follow from the runs. A service that accepts results then has to trust only the counts, the times
//! and the name of the device.

use super::{Document, Run, SCHEMA, Settings, Software, Summary, Target, TestInfo, Timing};
use crate::environment::Environment;
use crate::test::{self, Class, Outcome, Space, Specification, Test};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use thiserror::Error;

/// The maximum length of a name, in bytes.
const MAX_NAME_LENGTH: usize = 200;

/// The maximum length of the description of a failure, in bytes.
const MAX_REASON_LENGTH: usize = 10_000;

/// An inconsistency of a document.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{at}: {why}")]
pub struct Inconsistency {
    /// The field, for example `runs[3].classes`.
    pub at: String,
    /// The description of the error.
    pub why: String,
}

fn wrong<T>(at: impl Into<String>, why: impl Into<String>) -> Result<T, Inconsistency> {
    Err(Inconsistency { at: at.into(), why: why.into() })
}

/// A checker of documents, for the tests that it knows.
#[derive(Debug)]
pub struct Checker {
    known: Vec<KnownTest>,
}

#[derive(Debug)]
struct KnownTest {
    test: Test,
    space: Space,
    /// The classification by each version of the specification. It enumerates all executions, so it is computed once.
    judged: [OnceLock<Classification>; Specification::NAMED.len()],
}

/// The classification of a test by a version of the specification.
#[derive(Debug)]
struct Classification {
    tested: TestInfo,
    /// The class of each outcome, by counter.
    classes: Vec<Class>,
}

impl KnownTest {
    fn judged(&self, specification: Specification) -> &Classification {
        let at = Specification::NAMED.iter().position(|(_, version)| *version == specification);
        self.judged[at.unwrap_or_default()].get_or_init(|| Classification {
            tested: TestInfo::new(&self.test, specification),
            classes: specification.classify(&self.test),
        })
    }
}

impl Default for Checker {
    fn default() -> Self {
        Self::of(test::all())
    }
}

impl Checker {
    /// Creates a checker that knows these tests.
    pub fn of(tests: Vec<Test>) -> Self {
        let known = tests.into_iter().map(|test| KnownTest {
            space: Space::of(&test),
            test,
            judged: Default::default(),
        });
        Self { known: known.collect() }
    }

    /// Returns the test of this name.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.known(name).map(|known| &known.test)
    }

    /// Returns the class of each outcome of a test, by counter.
    pub fn classes(&self, name: &str, specification: Specification) -> Option<&[Class]> {
        self.known(name).map(|known| &known.judged(specification).classes[..])
    }

    /// Returns the description of a test under a version of the specification.
    pub fn test_info(&self, name: &str, specification: Specification) -> Option<&TestInfo> {
        self.known(name).map(|known| &known.judged(specification).tested)
    }

    fn known(&self, name: &str) -> Option<&KnownTest> {
        self.known.iter().find(|known| known.test.name == name)
    }

    /// Checks a document.
    ///
    /// # Errors
    /// The first inconsistency.
    pub fn check(&self, document: &Document) -> Result<(), Inconsistency> {
        self.check_runs(document)?;
        if document.summary != Summary::of(&document.runs, &document.tests) {
            return wrong("summary", "the summary does not follow from the runs");
        }
        let follows = |timing: &Timing| {
            *timing == Timing::of(&document.runs, timing.runs.clone(), &document.tests)
        };
        match document.timing.as_ref().is_none_or(follows) {
            true => Ok(()),
            false => wrong("timing", "the rates do not follow from the runs"),
        }
    }

    /// Checks a document that may lack its summary, and adds it if so.
    ///
    /// # Errors
    /// The first inconsistency.
    pub fn complete(&self, document: Document) -> Result<Document, Inconsistency> {
        if document.summary != Summary::default() {
            return self.check(&document).map(|()| document);
        }
        self.check_runs(&document)?;
        Ok(document.with_summary())
    }

    fn check_runs(&self, document: &Document) -> Result<(), Inconsistency> {
        if document.schema != SCHEMA {
            return wrong("schema", format!("must be `{SCHEMA}`"));
        }
        self.check_target(&document.target)?;
        check_name("settings.seed", &document.settings.seed)?;
        let Some(specification) = Specification::of_name(&document.specification) else {
            return wrong("specification", "unknown version of the specification");
        };
        if document.settings.seconds.is_some_and(|seconds| !is_time(seconds)) {
            return wrong("settings.seconds", "must be 0 or from 1e-9 to 1e9");
        }
        for (at, shard) in document.shards.iter().enumerate() {
            if shard.parse::<hirace_core::shard::Shard>().is_err() {
                return wrong(format!("shards[{at}]"), "must be a shard such as 2/3");
            }
        }
        self.check_tests(&document.tests, specification)?;
        let given = RunContext {
            settings: &document.settings,
            environments: &document.environments,
            specification,
        };
        check_times(document)?;
        let mut seen = BTreeSet::new();
        for (at, run) in document.runs.iter().enumerate() {
            let at = format!("runs[{at}]");
            if !seen.insert((run.environment, &run.test)) {
                return wrong(at, "duplicate run of the test in this environment");
            }
            if !document.tests.iter().any(|tested| tested.name == run.test) {
                return wrong(format!("{at}.test"), "the test is not in `tests`");
            }
            self.check_run(&at, given, run)?;
        }
        Ok(())
    }

    fn check_tests(
        &self,
        tests: &[TestInfo],
        specification: Specification,
    ) -> Result<(), Inconsistency> {
        let mut names = BTreeSet::new();
        for (at, tested) in tests.iter().enumerate() {
            let at = format!("tests[{at}]");
            let Some(known) = self.test_info(&tested.name, specification) else {
                return wrong(format!("{at}.name"), "unknown test");
            };
            if tested != known {
                return wrong(at, "the kind of the test is wrong");
            }
            if !names.insert(&tested.name) {
                return wrong(at, "duplicate test");
            }
        }
        Ok(())
    }

    /// Checks that the names of a device are not too long and have no control characters.
    ///
    /// # Errors
    /// The first invalid name.
    pub fn check_target(&self, target: &Target) -> Result<(), Inconsistency> {
        check_name("target.name", &target.name)?;
        check_name("target.vendor", &target.vendor)?;
        check_name("target.driver", &target.driver)?;
        check_software("target.operating_system", target.operating_system.as_ref())?;
        check_software("target.browser", target.browser.as_ref())
    }

    /// Checks that a run is consistent, and consistent with its campaign; `at` is the path of the run in errors.
    ///
    /// # Errors
    /// The first inconsistency.
    pub fn check_run(
        &self,
        at: &str,
        given: RunContext<'_>,
        run: &Run,
    ) -> Result<(), Inconsistency> {
        let RunContext { settings, environments, specification } = given;
        let Some(environment) = environments.get(run.environment) else {
            return wrong(format!("{at}.environment"), "unknown environment");
        };
        let Some(known) = self.known(&run.test) else {
            return wrong(format!("{at}.test"), "unknown test");
        };
        if run.seconds.is_some_and(|seconds| !is_time(seconds)) {
            return wrong(format!("{at}.seconds"), "must be 0 or from 1e-9 to 1e9");
        }
        if run.iterations > settings.iterations {
            return wrong(format!("{at}.iterations"), "more than `settings.iterations`");
        }
        let parameters = &environment.parameters;
        let suits = parameters
            .check(u32::MAX, u32::MAX)
            .and_then(|()| parameters.suit(&known.test))
            .and_then(|()| settings.permutation.check(parameters));
        // A campaign may contain randomly generated environments that do not suit the test.
        if let (Err(unsuitable), true) = (suits, run.instances > 0) {
            return wrong(format!("{at}.environment"), unsuitable.to_string());
        }
        let each = environment.layout.instances(parameters);
        let ran = u128::from(each) * u128::from(run.iterations);
        if u128::from(run.instances) != ran {
            let why = format!("{} dispatches must have {ran} instances", run.iterations);
            return wrong(format!("{at}.instances"), why);
        }
        let counts = outcomes(at, known, specification, run)?;
        if counts.instances != u128::from(run.instances) {
            let why =
                format!("the outcomes count {} of {} instances", counts.instances, run.instances);
            return wrong(format!("{at}.outcomes"), why);
        }
        if counts.found != u128::from(run.found) {
            return wrong(
                format!("{at}.found"),
                format!("the outcomes add up to {}", counts.found),
            );
        }
        if counts.classes != run.classes {
            return wrong(format!("{at}.classes"), "the classes do not match the outcomes");
        }
        match &run.failure {
            Some(failed) if failed.reason.len() > MAX_REASON_LENGTH => {
                wrong(format!("{at}.failure.why"), format!("longer than {MAX_REASON_LENGTH} bytes"))
            }
            _ => Ok(()),
        }
    }
}

/// The campaign that a run belongs to.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// The environments.
    pub environments: &'a [Environment],
    /// The version of the specification that classifies outcomes.
    pub specification: Specification,
}

/// The sums over the outcomes of a run.
struct OutcomeSums {
    instances: u128,
    found: u128,
    classes: super::Classes,
}

fn outcomes(
    at: &str,
    known: &KnownTest,
    specification: Specification,
    run: &Run,
) -> Result<OutcomeSums, Inconsistency> {
    let KnownTest { test, space, .. } = known;
    let classes = &known.judged(specification).classes;
    let mut counts = vec![0; space.counters()];
    let (mut instances, mut found) = (u128::from(run.other), 0);
    for (nth, observed) in run.outcomes.iter().enumerate() {
        let at = format!("{at}.outcomes[{nth}]");
        let held = &observed.held;
        let (registers, memory) = (held.registers.len(), held.memory.len());
        if (registers, memory) != (space.registers.len(), space.memory.len()) {
            return wrong(
                at,
                "the numbers of registers and locations differ from those of the test",
            );
        }
        let outcome = Outcome { registers: held.registers.clone(), memory: held.memory.clone() };
        let counter = space.counter(&outcome);
        if counter + 1 == space.counters() {
            return wrong(at, "a value is never written: such outcomes are counted in `other`");
        }
        if counts[counter] > 0 || observed.count == 0 {
            return wrong(at, "an outcome must be listed only once, and with a count above 0");
        }
        if observed.class != classes[counter] {
            return wrong(
                format!("{at}.class"),
                "the class differs from that of the specification",
            );
        }
        if observed.found != test.condition.holds(&outcome) {
            return wrong(format!("{at}.found"), "does not match the condition of the test");
        }
        counts[counter] = observed.count;
        instances += u128::from(observed.count);
        found += if observed.found { u128::from(observed.count) } else { 0 };
    }
    if let Some(other) = counts.last_mut() {
        *other = run.other;
    }
    // The total fits in 64 bits, so each part does.
    if instances > u128::from(u64::MAX) {
        return wrong(format!("{at}.outcomes"), "the number of outcomes overflows");
    }
    Ok(OutcomeSums { instances, found, classes: super::Classes::of(&counts, classes) })
}

/// Checks that a name is not too long and has no control characters.
///
/// # Errors
/// The name is invalid.
pub fn check_name(at: &str, text: &str) -> Result<(), Inconsistency> {
    match text.len() {
        0..=MAX_NAME_LENGTH if text.chars().any(char::is_control) => {
            wrong(at, "contains control characters")
        }
        0..=MAX_NAME_LENGTH => Ok(()),
        _ => wrong(at, format!("longer than {MAX_NAME_LENGTH} bytes")),
    }
}

/// Checks that the names in a description of software are not too long and have no control characters.
///
/// # Errors
/// The first invalid name.
pub fn check_software(at: &str, software: Option<&Software>) -> Result<(), Inconsistency> {
    let Some(Software { name, version }) = software else { return Ok(()) };
    check_name(&format!("{at}.name"), name)?;
    check_name(&format!("{at}.version"), version.as_deref().unwrap_or_default())
}

/// Checks that a document has a plausible time for each run, or no times.
fn check_times(document: &Document) -> Result<(), Inconsistency> {
    if let Some(at) = document.runs.iter().position(|run| run.seconds.is_some()) {
        return wrong(
            format!("runs[{at}].seconds"),
            "the times of a document are in `timing.runs`",
        );
    }
    let Some(timing) = &document.timing else { return Ok(()) };
    if timing.runs.len() != document.runs.len() {
        return wrong(
            "timing.runs",
            format!("must have the times of {} runs", document.runs.len()),
        );
    }
    match timing.runs.iter().position(|seconds| !is_time(*seconds)) {
        Some(at) => wrong(format!("timing.runs[{at}]"), "must be 0 or from 1e-9 to 1e9"),
        None => Ok(()),
    }
}

/// Returns whether a duration in seconds is plausible: clocks do not resolve less than a nanosecond, and rates must stay
/// finite.
fn is_time(seconds: f64) -> bool {
    seconds == 0.0 || (1e-9..=1e9).contains(&seconds)
}

#[cfg(test)]
mod tests;
