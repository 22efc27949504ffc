//! Whether a document is true to itself. Its counts have to add up, its outcomes have to be what the specification says they
//! are, and what follows from its runs has to follow: whoever takes results from others need believe nothing but the counts,
//! the times, and what the device is called.

use super::{Document, Environment, Run, SCHEMA, Settings, Summary, Target, Tested};
use crate::test::{self, Class, Outcome, Space, Specification, Test};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use thiserror::Error;

/// The longest name.
const MOST_NAME: usize = 200;

/// The longest reason of a failure.
const MOST_REASON: usize = 10_000;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{at}: {why}")]
pub struct Wrong {
    /// Where, as `runs[3].classes`.
    pub at: String,
    /// What.
    pub why: String,
}

fn wrong<T>(at: impl Into<String>, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at: at.into(), why: why.into() })
}

/// Checks documents of tests that it knows.
#[derive(Debug)]
pub struct Checker {
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    test: Test,
    space: Space,
    /// By version of the specification. It takes enumerating all executions, so it is done once.
    judged: [OnceLock<Judged>; Specification::NAMED.len()],
}

/// What a version of the specification says of a test.
#[derive(Debug)]
struct Judged {
    tested: Tested,
    /// Of each outcome, by its counter.
    classes: Vec<Class>,
}

impl Known {
    fn judged(&self, specification: Specification) -> &Judged {
        let at = Specification::NAMED.iter().position(|(_, version)| *version == specification);
        self.judged[at.unwrap_or_default()].get_or_init(|| Judged {
            tested: Tested::new(&self.test, specification),
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
    /// Of these tests.
    pub fn of(tests: Vec<Test>) -> Self {
        let known = tests.into_iter().map(|test| Known {
            space: Space::of(&test),
            test,
            judged: Default::default(),
        });
        Self { known: known.collect() }
    }

    /// The test of this name.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.known(name).map(|known| &known.test)
    }

    /// What each outcome of a test is, by its counter.
    pub fn classes(&self, name: &str, specification: Specification) -> Option<&[Class]> {
        self.known(name).map(|known| &known.judged(specification).classes[..])
    }

    /// What a test is.
    pub fn tested(&self, name: &str, specification: Specification) -> Option<&Tested> {
        self.known(name).map(|known| &known.judged(specification).tested)
    }

    fn known(&self, name: &str) -> Option<&Known> {
        self.known.iter().find(|known| known.test.name == name)
    }

    /// Refuses a document that is not true to itself.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, document: &Document) -> Result<(), Wrong> {
        self.check_runs(document)?;
        match document.summary == Summary::of(&document.runs, &document.tests) {
            true => Ok(()),
            false => wrong("summary", "it does not follow from the runs"),
        }
    }

    /// The same of a document that may lack its summary, and has it then.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn complete(&self, document: Document) -> Result<Document, Wrong> {
        if document.summary != Summary::default() {
            return self.check(&document).map(|()| document);
        }
        self.check_runs(&document)?;
        Ok(document.with_summary())
    }

    fn check_runs(&self, document: &Document) -> Result<(), Wrong> {
        if document.schema != SCHEMA {
            return wrong("schema", format!("it is not `{SCHEMA}`"));
        }
        self.check_target(&document.target)?;
        check_name("settings.seed", &document.settings.seed)?;
        let Some(specification) = Specification::of_name(&document.specification) else {
            return wrong("specification", "there is no such version");
        };
        if document.settings.seconds.is_some_and(|seconds| !is_time(seconds)) {
            return wrong("settings.seconds", "it is no time");
        }
        for (at, shard) in document.shards.iter().enumerate() {
            if shard.parse::<hirace_core::shard::Shard>().is_err() {
                return wrong(format!("shards[{at}]"), "it is no part, as 2/3 is");
            }
        }
        self.check_tests(&document.tests, specification)?;
        let given = Given {
            settings: &document.settings,
            environments: &document.environments,
            specification,
        };
        let mut seen = BTreeSet::new();
        for (at, run) in document.runs.iter().enumerate() {
            let at = format!("runs[{at}]");
            if !seen.insert((run.environment, &run.test)) {
                return wrong(at, "the test is in this environment twice");
            }
            if !document.tests.iter().any(|tested| tested.name == run.test) {
                return wrong(format!("{at}.test"), "it is none of `tests`");
            }
            self.check_run(&at, given, run)?;
        }
        Ok(())
    }

    fn check_tests(&self, tests: &[Tested], specification: Specification) -> Result<(), Wrong> {
        let mut names = BTreeSet::new();
        for (at, tested) in tests.iter().enumerate() {
            let at = format!("tests[{at}]");
            let Some(known) = self.tested(&tested.name, specification) else {
                return wrong(format!("{at}.name"), "no test of this name is known here");
            };
            if tested != known {
                return wrong(at, "the test is of another kind");
            }
            if !names.insert(&tested.name) {
                return wrong(at, "the test is there twice");
            }
        }
        Ok(())
    }

    /// Refuses names of a device that are too long or have control characters.
    ///
    /// # Errors
    /// The first of them.
    pub fn check_target(&self, target: &Target) -> Result<(), Wrong> {
        check_name("target.name", &target.name)?;
        check_name("target.vendor", &target.vendor)?;
        check_name("target.driver", &target.driver)
    }

    /// Refuses a run that is not true to itself, or to what was to be run; `at` is where it stands.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_run(&self, at: &str, given: Given<'_>, run: &Run) -> Result<(), Wrong> {
        let Given { settings, environments, specification } = given;
        let Some(environment) = environments.get(run.environment) else {
            return wrong(format!("{at}.environment"), "there is no such environment");
        };
        let Some(known) = self.known(&run.test) else {
            return wrong(format!("{at}.test"), "no test of this name is known here");
        };
        if !is_time(run.seconds) {
            return wrong(format!("{at}.seconds"), "it is no time");
        }
        if run.iterations > settings.iterations {
            return wrong(format!("{at}.iterations"), "there are more than `settings.iterations`");
        }
        let parameters = &environment.parameters;
        let suits = parameters
            .check(u32::MAX, u32::MAX)
            .and_then(|()| parameters.suit(&known.test))
            .and_then(|()| settings.permutation.check(parameters));
        // A campaign may draw environments that nothing can be in.
        if let (Err(unsuitable), true) = (suits, run.instances > 0) {
            return wrong(format!("{at}.environment"), unsuitable.to_string());
        }
        let each = environment.layout.instances(parameters);
        let ran = u128::from(each) * u128::from(run.iterations);
        if u128::from(run.instances) != ran {
            let why = format!("{} dispatches have {ran} instances", run.iterations);
            return wrong(format!("{at}.instances"), why);
        }
        let counts = outcomes(at, known, specification, run)?;
        if counts.instances != u128::from(run.instances) {
            let why = format!("they are {} of {} instances", counts.instances, run.instances);
            return wrong(format!("{at}.outcomes"), why);
        }
        if counts.found != u128::from(run.found) {
            return wrong(format!("{at}.found"), format!("the outcomes make it {}", counts.found));
        }
        if counts.classes != run.classes {
            return wrong(format!("{at}.classes"), "the outcomes make it otherwise");
        }
        match &run.failure {
            Some(failed) if failed.why.len() > MOST_REASON => {
                wrong(format!("{at}.failure.why"), format!("it is over {MOST_REASON} bytes long"))
            }
            _ => Ok(()),
        }
    }
}

/// What was to be run.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// How much of it.
    pub settings: &'a Settings,
    /// In which environments.
    pub environments: &'a [Environment],
    /// Who judges.
    pub specification: Specification,
}

/// What outcomes add up to.
struct Counted {
    instances: u128,
    found: u128,
    classes: super::Classes,
}

fn outcomes(
    at: &str,
    known: &Known,
    specification: Specification,
    run: &Run,
) -> Result<Counted, Wrong> {
    let Known { test, space, .. } = known;
    let classes = &known.judged(specification).classes;
    let mut counts = vec![0; space.counters()];
    let (mut instances, mut found) = (u128::from(run.other), 0);
    for (nth, observed) in run.outcomes.iter().enumerate() {
        let at = format!("{at}.outcomes[{nth}]");
        let held = &observed.held;
        let (registers, memory) = (held.registers.len(), held.memory.len());
        if (registers, memory) != (space.registers.len(), space.memory.len()) {
            return wrong(at, "it has not as many registers and locations as the test");
        }
        let outcome = Outcome { registers: held.registers.clone(), memory: held.memory.clone() };
        let counter = space.counter(&outcome);
        if counter + 1 == space.counters() {
            return wrong(at, "it holds what nobody writes: such are counted by `other`");
        }
        if counts[counter] > 0 || observed.count == 0 {
            return wrong(at, "an outcome stands there once, and only if it was there");
        }
        if observed.class != classes[counter] {
            return wrong(format!("{at}.class"), "the specification says otherwise");
        }
        if observed.found != test.condition.holds(&outcome) {
            return wrong(format!("{at}.found"), "the test says otherwise");
        }
        counts[counter] = observed.count;
        instances += u128::from(observed.count);
        found += if observed.found { u128::from(observed.count) } else { 0 };
    }
    if let Some(other) = counts.last_mut() {
        *other = run.other;
    }
    // The sum of all fits, so each part of it does.
    if instances > u128::from(u64::MAX) {
        return wrong(format!("{at}.outcomes"), "they are more than can be counted");
    }
    Ok(Counted { instances, found, classes: super::Classes::of(&counts, classes) })
}

/// Refuses a name that is too long or has control characters.
///
/// # Errors
/// It is such a one.
pub fn check_name(at: &str, text: &str) -> Result<(), Wrong> {
    match text.len() {
        0..=MOST_NAME if text.chars().any(char::is_control) => {
            wrong(at, "it has control characters")
        }
        0..=MOST_NAME => Ok(()),
        _ => wrong(at, format!("it is over {MOST_NAME} bytes long")),
    }
}

/// Whether something may take so long. Clocks do not tell less apart, and rates stay numbers.
fn is_time(seconds: f64) -> bool {
    seconds == 0.0 || (1e-9..=1e9).contains(&seconds)
}

#[cfg(test)]
mod tests;
