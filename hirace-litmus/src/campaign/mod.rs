//! Campaigns: tests in environments on one target, one after the other.
//!
//! What a test draws in an environment hangs on the seed, the environment and the test, and on nothing that ran before: parts
//! of a campaign give together what the whole does, as far as the target does.

mod announced;
mod conform;

pub use announced::{Announced, Environments, NotAnnounced, Proposed};
pub use conform::{Choice, NotTuned, choices};

use crate::environment::Permutation;
use crate::results::{Counts, Document, Environment, Run, SCHEMA, Settings, Summary, Tested, Verb};
use crate::run::{Failure, Plan, Ran, Runner, Setup};
use crate::test::{Class, Specification, Test};
use hirace_core::cover::hash;
use hirace_core::diagnostic::Result;
use hirace_core::folder;
use hirace_core::shard::Shard;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A test in an environment, that is to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The index of the environment.
    pub environment: usize,
    /// The index of the test.
    pub test: usize,
}

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// What it is called in results.
    pub verb: Verb,
    /// The tests.
    pub tests: Vec<Test>,
    /// The environments.
    pub environments: Vec<Environment>,
    /// What is run of these, in order.
    pub pieces: Vec<Piece>,
    /// How much of each, and what is drawn by.
    pub settings: Settings,
    /// Who judges.
    pub specification: Specification,
    /// The part of it that is run; otherwise all.
    pub shard: Option<Shard>,
    /// How long the campaign may take: no piece begins later.
    pub budget: Option<Duration>,
}

/// Whoever follows a campaign.
pub trait Watcher {
    /// A piece begins, of a test whose outcomes have these classes, by their counters.
    fn begins(&mut self, environment: &Environment, test: &Test, classes: &[Class]);

    /// What came of it so far.
    fn counted(&mut self, test: &Test, ran: &Ran);

    /// It has ended.
    ///
    /// # Errors
    /// It cannot be kept: the campaign ends.
    fn ended(&mut self, run: &Run) -> Result<()>;
}

/// Why a campaign ended before all of it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// Somebody stopped it.
    Stopped,
    /// Its time was over.
    Budget,
    /// The device was lost so often, one piece after the other.
    Lost(u32),
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

/// What the dispatches of a test in an environment are drawn by.
pub fn piece_seed(seed: &str, environment: usize, test: &str) -> u64 {
    u64::from_str_radix(&piece_name(seed, environment, test), 16).unwrap_or_default()
}

impl Campaign {
    /// So often in a row a device may be lost, or hang, before it is given up.
    pub const LOST_IN_A_ROW: u32 = 3;

    /// All tests in all environments.
    pub fn product(tests: usize, environments: usize) -> Vec<Piece> {
        let of = |environment| (0..tests).map(move |test| Piece { environment, test });
        (0..environments).flat_map(of).collect()
    }

    /// Everything that results hang on, as a text.
    pub fn key(&self) -> String {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            self.verb,
            self.tests,
            self.environments,
            self.pieces,
            self.settings,
            self.specification
        )
    }

    /// What is to be run here.
    pub fn own(&self) -> impl Iterator<Item = Piece> + '_ {
        let is_own = |piece: &Piece| self.shard.is_none_or(|shard| shard.has(&self.name(*piece)));
        self.pieces.iter().copied().filter(is_own)
    }

    /// A number of a piece, in hexadecimal digits.
    fn name(&self, Piece { environment, test }: Piece) -> String {
        piece_name(&self.settings.seed, environment, &self.tests[test].name)
    }

    fn plan(&self, piece: Piece) -> Plan {
        Plan {
            iterations: self.settings.iterations,
            // What is beyond all times is no bound.
            time: self.settings.seconds.and_then(|time| Duration::try_from_secs_f64(time).ok()),
            seed: piece_seed(&self.settings.seed, piece.environment, &self.tests[piece.test].name),
        }
    }

    /// Runs what is not `known`, and gives what is and what came of the rest.
    ///
    /// # Errors
    /// What ran cannot be kept.
    pub fn run(
        &self,
        target: &mut dyn Runner,
        known: &dyn Fn(&Piece) -> Option<Run>,
        watcher: &mut dyn Watcher,
        stop: &AtomicBool,
    ) -> Result<(Vec<Run>, Option<Early>)> {
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
                return Ok((runs, Some(Early::Stopped)));
            }
            if self.budget.is_some_and(|budget| started.elapsed() >= budget) {
                return Ok((runs, Some(Early::Budget)));
            }
            let of_test = &classes[piece.test];
            let Some(run) = self.piece(target, piece, of_test, watcher, stop)? else {
                return Ok((runs, Some(Early::Stopped)));
            };
            lost = if run.lost_device() { lost + 1 } else { 0 };
            runs.push(run);
            if lost == Self::LOST_IN_A_ROW {
                return Ok((runs, Some(Early::Lost(lost))));
            }
        }
        Ok((runs, None))
    }

    /// What each outcome of each test is, by its counter.
    pub fn classes(&self) -> Vec<Vec<Class>> {
        self.tests.iter().map(|test| self.specification.classify(test)).collect()
    }

    /// Runs a piece, of which the outcomes have these classes; nothing if it was stopped.
    ///
    /// # Errors
    /// What ran cannot be kept.
    pub fn piece(
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
        seen: &mut dyn FnMut(&Ran),
    ) -> Ran {
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
                Ran { counts: Counts::none(test), iterations: 0, failure: Some(failure) }
            }
        }
    }

    /// What came of it.
    pub fn document(
        &self,
        target: crate::results::Target,
        mut runs: Vec<Run>,
        stopped: bool,
    ) -> Document {
        // Whoever works with others runs pieces in another order.
        let order: HashMap<&str, usize> =
            self.tests.iter().enumerate().map(|(at, test)| (&test.name[..], at)).collect();
        runs.sort_by_key(|run| (run.environment, order.get(&run.test[..]).copied()));
        let mut environments = self.environments.clone();
        if self.verb == Verb::Explore {
            // There are as many as there could have been time for.
            let last = runs.iter().map(|run| run.environment).max();
            environments.truncate(last.map_or(0, |last| last + 1));
        }
        let tests: Vec<Tested> =
            self.tests.iter().map(|test| Tested::new(test, self.specification)).collect();
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
        }
    }
}

impl Settings {
    /// So many dispatches, or for so long.
    pub fn new(seed: &str, iterations: u32, seconds: Option<f64>) -> Self {
        let permutation = Permutation::DEFAULT;
        Self { seed: seed.to_owned(), iterations, seconds, permutation }
    }
}

#[cfg(test)]
mod tests;
