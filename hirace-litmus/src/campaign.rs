//! Campaigns: tests that run one after the other in environments on one target.
//!
//! The random numbers of a test in an environment depend on the seed, the environment and the test, and on nothing that
//! ran before. The shards of a campaign together therefore give the results of the whole campaign, if the target is
//! deterministic.

mod conform;
mod proposal;

pub use conform::{Choice, TuningError, best_environments, choices};
pub use proposal::{CampaignProposal, Environments, ProposalError, SharedCampaign};

use crate::environment::{Environment, Permutation};
use crate::results::{Document, Run, SCHEMA, Settings, Summary, TestInfo, Timing, Verb};
use crate::run::{Counts, Failure, Plan, RunResult, Runner, Setup};
use crate::test::{Class, Specification, Test};
use hirace_core::cover::hash;
use hirace_core::diagnostic::Result;
use hirace_core::folder;
use hirace_core::shard::Shard;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// One unit of work of a campaign: a test in an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The index of the environment.
    pub environment: usize,
    /// The index of the test.
    pub test: usize,
}

/// The tests and environments to run, with their settings.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The verb that results name.
    pub verb: Verb,
    /// The tests.
    pub tests: Vec<Test>,
    /// The environments.
    pub environments: Vec<Environment>,
    /// The pieces to run, in order.
    pub pieces: Vec<Piece>,
    /// The number of iterations, the time limit and the seed.
    pub settings: Settings,
    /// The version of the specification that classifies outcomes.
    pub specification: Specification,
    /// The shard to run; all pieces if `None`.
    pub shard: Option<Shard>,
    /// The time limit of the campaign: no piece starts after it.
    pub budget: Option<Duration>,
}

/// An observer of the progress of a campaign.
pub trait Watcher {
    /// Called when a piece starts. `classes` has the class of each outcome of the test, by counter.
    fn begins(&mut self, environment: &Environment, test: &Test, classes: &[Class]);

    /// Called with the counts of the current piece so far.
    fn counted(&mut self, test: &Test, ran: &RunResult);

    /// Called when a piece has ended.
    ///
    /// # Errors
    /// The run cannot be stored. The campaign then ends.
    fn ended(&mut self, run: &Run) -> Result<()>;
}

/// The reason why a campaign ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// It was stopped by its caller.
    Stopped,
    /// Its time budget was used up.
    Budget,
    /// The device was lost in this number of consecutive pieces.
    DeviceLost(u32),
}

impl folder::Piece for Run {
    type Key = (usize, String);
    const LINES: &'static str = "runs.jsonl";
    const RESULTS: &'static str = "results.json";

    fn key(&self) -> Self::Key {
        (self.environment, self.test.clone())
    }
}

fn piece_name(seed: &str, environment: usize, test: &str) -> String {
    hash(&format!("{seed}/{environment}/{test}"))
}

/// Returns the seed for the dispatches of a test in an environment.
pub fn piece_seed(seed: &str, environment: usize, test: &str) -> u64 {
    u64::from_str_radix(&piece_name(seed, environment, test), 16).unwrap_or_default()
}

impl Campaign {
    /// The number of consecutive pieces that may lose or hang the device before the campaign gives up.
    pub const LOST_IN_A_ROW: u32 = 3;

    /// Returns the pieces of all tests in all environments.
    pub fn product(tests: usize, environments: usize) -> Vec<Piece> {
        let of = |environment| (0..tests).map(move |test| Piece { environment, test });
        (0..environments).flat_map(of).collect()
    }

    /// Returns everything that the results depend on except the device, as a value for each setting.
    pub fn identity(&self) -> BTreeMap<&'static str, String> {
        let Settings { seed, iterations, seconds, permutation } = &self.settings;
        let counted = |count: usize, what: &str, all: &dyn Debug| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {what}{plural} ({})", hash(&format!("{all:?}")))
        };
        let environments = (&self.environments, permutation);
        let mut identity = BTreeMap::from([
            ("verb", self.verb.name().to_owned()),
            ("tests", counted(self.tests.len(), "test", &self.tests)),
            ("environments", counted(self.environments.len(), "environment", &environments)),
            ("seed", format!("`{seed}`")),
            ("iterations", iterations.to_string()),
            ("timeout", seconds.map_or_else(|| "none".to_owned(), |time| format!("{time} s"))),
            ("specification", self.specification.name().to_owned()),
            ("shard", self.shard.map_or_else(|| "none".to_owned(), |shard| shard.to_string())),
        ]);
        if self.pieces != Self::product(self.tests.len(), self.environments.len()) {
            identity.insert("pieces", counted(self.pieces.len(), "piece", &self.pieces));
        }
        identity
    }

    /// Returns the pieces of this shard.
    pub fn own(&self) -> impl Iterator<Item = Piece> + '_ {
        let is_own = |piece: &Piece| self.shard.is_none_or(|shard| shard.has(&self.name(*piece)));
        self.pieces.iter().copied().filter(is_own)
    }

    /// Returns an identifier of a piece, in hexadecimal digits.
    fn name(&self, Piece { environment, test }: Piece) -> String {
        piece_name(&self.settings.seed, environment, &self.tests[test].name)
    }

    fn plan(&self, piece: Piece) -> Plan {
        Plan {
            iterations: self.settings.iterations,
            // A time that does not fit in a `Duration` does not limit the run.
            time: self.settings.seconds.and_then(|time| Duration::try_from_secs_f64(time).ok()),
            seed: piece_seed(&self.settings.seed, piece.environment, &self.tests[piece.test].name),
        }
    }

    /// Runs the pieces that are not `known`. Returns the known runs and the new ones, and why the campaign ended early
    /// if it did.
    ///
    /// # Errors
    /// The watcher cannot store a run.
    pub fn run(
        &self,
        target: &mut dyn Runner,
        known: &dyn Fn(&Piece) -> Option<Run>,
        watcher: &mut dyn Watcher,
        stop: &AtomicBool,
    ) -> Result<(Vec<Run>, Option<EarlyEnd>)> {
        let started = Instant::now();
        let classes = self.classes();
        let mut runs = Vec::new();
        let mut lost = 0;
        for piece in self.own() {
            if let Some(run) = known(&piece) {
                runs.push(run);
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                return Ok((runs, Some(EarlyEnd::Stopped)));
            }
            if self.budget.is_some_and(|budget| started.elapsed() >= budget) {
                return Ok((runs, Some(EarlyEnd::Budget)));
            }
            let of_test = &classes[piece.test];
            let Some(run) = self.run_piece(target, piece, of_test, watcher, stop)? else {
                return Ok((runs, Some(EarlyEnd::Stopped)));
            };
            lost = if run.lost_device() { lost + 1 } else { 0 };
            runs.push(run);
            if lost == Self::LOST_IN_A_ROW {
                return Ok((runs, Some(EarlyEnd::DeviceLost(lost))));
            }
        }
        Ok((runs, None))
    }

    /// Returns the classes of the outcomes of each test, by counter.
    pub fn classes(&self) -> Vec<Vec<Class>> {
        self.tests.iter().map(|test| self.specification.classify(test)).collect()
    }

    /// Runs one piece, whose outcomes have these classes. Returns `None` if it was stopped.
    ///
    /// # Errors
    /// The watcher cannot store the run.
    pub fn run_piece(
        &self,
        target: &mut dyn Runner,
        piece: Piece,
        classes: &[Class],
        watcher: &mut dyn Watcher,
        stop: &AtomicBool,
    ) -> Result<Option<Run>> {
        let (environment, test) = (&self.environments[piece.environment], &self.tests[piece.test]);
        watcher.begins(environment, test, classes);
        let ran = self.one(target, piece, stop, &mut |ran| watcher.counted(test, ran));
        if ran.failure == Some(Failure::Stopped) {
            return Ok(None);
        }
        let failure = ran.failure.as_ref();
        let run = Run::new(piece.environment, test, classes, ran.iterations, &ran.counts, failure);
        watcher.ended(&run)?;
        Ok(Some(run))
    }

    fn one(
        &self,
        target: &mut dyn Runner,
        piece: Piece,
        stop: &AtomicBool,
        seen: &mut dyn FnMut(&RunResult),
    ) -> RunResult {
        let (environment, test) = (&self.environments[piece.environment], &self.tests[piece.test]);
        let setup = Setup::new(
            test,
            environment.layout,
            &environment.parameters,
            self.settings.permutation,
            &target.described(),
        );
        match setup {
            Ok(setup) => target.run_test(&setup, &self.plan(piece), stop, seen),
            Err(failure) => {
                RunResult { counts: Counts::none(test), iterations: 0, failure: Some(failure) }
            }
        }
    }

    /// Returns the results document of these runs.
    pub fn document(
        &self,
        target: crate::results::Target,
        mut runs: Vec<Run>,
        stopped: bool,
    ) -> Document {
        // Workers that share a campaign run its pieces in another order.
        let order: HashMap<&str, usize> =
            self.tests.iter().enumerate().map(|(at, test)| (&test.name[..], at)).collect();
        runs.sort_by_key(|run| (run.environment, order.get(&run.test[..]).copied()));
        let mut environments = self.environments.clone();
        if self.verb == Verb::Explore {
            // The campaign lists as many environments as the time could suffice for.
            let last = runs.iter().map(|run| run.environment).max();
            environments.truncate(last.map_or(0, |last| last + 1));
        }
        let tests: Vec<TestInfo> =
            self.tests.iter().map(|test| TestInfo::new(test, self.specification)).collect();
        let timing = Timing::take(&mut runs, &tests);
        Document {
            schema: SCHEMA.to_owned(),
            verb: self.verb,
            target,
            specification: self.specification.name().to_owned(),
            settings: self.settings.clone(),
            shards: self.shard.iter().map(ToString::to_string).collect(),
            stopped,
            summary: Summary::of(&runs, &tests),
            environments,
            tests,
            runs,
            timing,
        }
    }
}

impl Settings {
    /// Returns settings with a number of iterations and a time limit per piece.
    pub fn new(seed: &str, iterations: u32, seconds: Option<f64>) -> Self {
        let permutation = Permutation::DEFAULT;
        Self { seed: seed.to_owned(), iterations, seconds, permutation }
    }
}

#[cfg(test)]
mod tests;
