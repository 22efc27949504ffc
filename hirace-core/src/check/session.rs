//! The session of a check: its executor, its listener, its follower and its stop flag.

use crate::config::TestSpec;
use crate::deadline::Deadline;
use crate::diagnostic::Result;
use crate::event::{Event, Listener};
use crate::exec::Executor;
use crate::facts::LaunchFacts;
use crate::finding::baseline::Baseline;
use crate::launch::Launch;
use crate::program::Program;
use crate::shard::Shard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Launches that belong together: a test, or the launches of a file.
#[derive(Clone, Copy, Debug)]
pub struct LaunchGroup<'a> {
    /// The name of the test or file.
    pub name: &'a str,
    /// The test's specification, with its expected outputs, if it is a test.
    pub test: Option<&'a TestSpec>,
}

/// Selects and changes the launches of a session before they run, and receives each launch after it ran and before it is judged.
pub trait Follower: Send {
    /// Called before the launches of `unit`. Returns whether they are to run.
    ///
    /// # Errors
    /// The follower could not process the units before this one.
    fn begins(&mut self, _unit: LaunchGroup<'_>) -> Result<bool> {
        Ok(true)
    }

    /// Returns whether the launch with this number (from 1) of `unit` is to run. A test has one launch.
    fn wants(&mut self, _unit: LaunchGroup<'_>, _launch: usize) -> bool {
        true
    }

    /// Called before `launch` runs, possibly more than once; may change it.
    fn arrange(&mut self, _program: &Program, _launch: &mut Launch) {}

    /// Called after `launch` of `program` ran on `executor`, once, with the final version of the launch.
    ///
    /// # Errors
    /// The follower could not process the launch. The check of the source ends with this error.
    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()>;
}

/// The session of a check: its executor, its listener, its follower and its stop flag.
pub struct Session<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) stop: Option<&'a AtomicBool>,
    listener: Option<&'a mut dyn Listener>,
    known: Option<&'a mut Baseline>,
    follower: Option<&'a mut dyn Follower>,
    pub(super) keeps_memory: bool,
    pub(super) shard: Option<Shard>,
    /// The number of launches so far.
    launches: usize,
    pub(super) explains: bool,
    searches: bool,
    infers_contracts: bool,
}

impl<'a> Session<'a> {
    /// Creates a session whose launches run on `executor`, without a listener or stop flag.
    pub fn new(executor: &'a dyn Executor) -> Self {
        Self {
            executor,
            stop: None,
            listener: None,
            known: None,
            follower: None,
            keeps_memory: true,
            shard: None,
            launches: 0,
            explains: true,
            searches: true,
            infers_contracts: false,
        }
    }

    /// Sets the listener that receives the session's events.
    #[must_use]
    pub fn with_listener(self, listener: &'a mut dyn Listener) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// Tries only the launches that a host is most likely to make, without a search for launches that reach more. This
    /// is for comparing a launch of one program with that of another.
    #[must_use]
    pub fn without_search(self) -> Self {
        Self { searches: false, ..self }
    }

    /// Infers the contract of each entry point for which no part of a launch is given, and takes the verdict from the contract.
    #[must_use]
    pub fn with_contracts(self) -> Self {
        Self { infers_contracts: true, ..self }
    }

    /// Sets the flag that ends the check early; what was found until then is kept.
    #[must_use]
    pub fn with_stop(self, stop: Option<&'a AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Suppresses findings that are in the baseline `known`.
    #[must_use]
    pub fn with_baseline(self, known: Option<&'a mut Baseline>) -> Self {
        Self { known, ..self }
    }

    /// Sets the follower that is called for the launches that run.
    #[must_use]
    pub fn with_follower(self, follower: Option<&'a mut dyn Follower>) -> Self {
        Self { follower, ..self }
    }

    /// Does not keep memory after the launches.
    #[must_use]
    pub fn without_memory(self) -> Self {
        Self { keeps_memory: false, ..self }
    }

    /// Runs only the launches and schedules of this shard, and reports only their findings.
    #[must_use]
    pub fn with_shard(self, shard: Option<Shard>) -> Self {
        Self { shard, ..self }
    }

    /// Returns the number of the next launch, from 0. It is the same in all shards.
    pub(super) fn next_launch(&mut self) -> usize {
        self.launches += 1;
        self.launches - 1
    }

    /// Does not run launches again to identify the accesses that race.
    #[must_use]
    pub fn without_explanation(self) -> Self {
        Self { explains: false, ..self }
    }

    /// Returns how long to wait for work with this timeout; the wait also ends when the session is stopped.
    pub fn deadline(&self, timeout: Option<Duration>) -> Deadline<'a> {
        Deadline::new(self.stop, timeout)
    }

    /// Returns whether the session was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(super) fn emit(&mut self, event: &Event<'_>) {
        if let Some(listener) = &mut self.listener {
            listener.event(event);
        }
    }

    /// Returns whether the follower wants `unit` to be launched.
    ///
    /// # Errors
    /// The follower could not process the units before this one.
    pub fn begins(&mut self, unit: LaunchGroup<'_>) -> Result<bool> {
        self.follower.as_mut().map_or(Ok(true), |follower| follower.begins(unit))
    }

    /// Returns the numbers, from 1, of the launches of `unit` that the follower wants.
    pub fn wanted_launches(&mut self, unit: LaunchGroup<'_>, launches: usize) -> Vec<usize> {
        let Some(follower) = &mut self.follower else { return (1..=launches).collect() };
        (1..=launches).filter(|&launch| follower.wants(unit, launch)).collect()
    }

    /// Lets the follower change a launch that is about to run.
    pub(super) fn arrange(&mut self, program: &Program, launch: &mut Launch) {
        if let Some(follower) = &mut self.follower {
            follower.arrange(program, launch);
        }
    }

    /// Tells the follower that a launch has run.
    pub(super) fn ran(&mut self, program: &Program, launch: &Launch) -> Result<()> {
        let stopped = self.is_stopped();
        match &mut self.follower {
            Some(follower) if !stopped => follower.ran(program, launch, self.executor),
            _ => Ok(()),
        }
    }

    /// Runs `work` without calling the follower.
    pub fn without_follower<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let follower = self.follower.take();
        let done = work(self);
        self.follower = follower;
        done
    }

    /// Returns whether to search for launches that reach more. A follower would follow every launch of the search, so
    /// there is no search with one.
    pub(super) fn searches(&self) -> bool {
        self.searches && self.follower.is_none()
    }

    /// Returns whether to infer the contract of an entry point of whose launch nothing is given.
    pub(super) fn infers_contracts(&self) -> bool {
        self.infers_contracts && !self.is_stopped()
    }

    /// Moves findings that are in the baseline out of the findings of `launch`.
    pub(super) fn allow_known(&mut self, launch: &mut LaunchFacts) {
        if let Some(known) = &mut self.known {
            known.apply(launch);
        }
    }
}
