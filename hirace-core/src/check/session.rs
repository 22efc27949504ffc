//! Who runs a check, who listens to it, and who may stop it.

use crate::config::TestSpec;
use crate::diagnostic::Result;
use crate::event::{Event, Listener};
use crate::exec::Executor;
use crate::facts::LaunchFacts;
use crate::finding::baseline::Baseline;
use crate::launch::Launch;
use crate::patience::Patience;
use crate::program::Program;
use crate::shard::Shard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is launched together: a test, or the launches of a file.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it is to leave, if it is a test.
    pub test: Option<&'a TestSpec>,
}

/// Follows the launches of a session, before each is judged.
pub trait Follower: Send {
    /// This is to be launched. Whether it is wanted.
    ///
    /// # Errors
    /// What was to be done with those before it cannot be done.
    fn begins(&mut self, _unit: Unit<'_>) -> Result<bool> {
        Ok(true)
    }

    /// Whether this launch of what begins is wanted, from 1. A test has one.
    fn wants(&mut self, _unit: Unit<'_>, _launch: usize) -> bool {
        true
    }

    /// This launch of `program` is about to run, perhaps not for the last time.
    fn arrange(&mut self, _program: &Program, _launch: &mut Launch) {}

    /// This launch of `program` ran on `executor`, as often as it had to.
    ///
    /// # Errors
    /// What is to be done with it cannot be done: the check of the source ends with that.
    fn ran(&mut self, program: &Program, launch: &Launch, executor: &dyn Executor) -> Result<()>;
}

/// Who runs a check, who listens to it, and who may stop it.
pub struct Session<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) stop: Option<&'a AtomicBool>,
    listener: Option<&'a mut dyn Listener>,
    known: Option<&'a mut Baseline>,
    follower: Option<&'a mut dyn Follower>,
    pub(super) keeps_memory: bool,
    pub(super) shard: Option<Shard>,
    /// How many launches were tried.
    launches: usize,
    pub(super) explains: bool,
    searches: bool,
}

impl<'a> Session<'a> {
    /// A session whose launches run on `executor`. Nobody listens, and nobody stops it.
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
        }
    }

    /// `listener` hears what happens.
    #[must_use]
    pub fn with_listener(self, listener: &'a mut dyn Listener) -> Self {
        Self { listener: Some(listener), ..self }
    }

    /// Guesses what a host is most likely to launch, and does not search for launches that come further: for those who hold
    /// one program's launch against another's.
    #[must_use]
    pub fn without_search(self) -> Self {
        Self { searches: false, ..self }
    }

    /// Somebody else sets `stop` to end the check early, with what it has.
    #[must_use]
    pub fn with_stop(self, stop: Option<&'a AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Findings that `known` has are allowed.
    #[must_use]
    pub fn with_baseline(self, known: Option<&'a mut Baseline>) -> Self {
        Self { known, ..self }
    }

    /// `follower` is told of the launches that ran.
    #[must_use]
    pub fn with_follower(self, follower: Option<&'a mut dyn Follower>) -> Self {
        Self { follower, ..self }
    }

    /// Nobody asks for memory after the launches, so that it is not kept.
    #[must_use]
    pub fn without_memory(self) -> Self {
        Self { keeps_memory: false, ..self }
    }

    /// Only this part of the schedules is run, and only what they show is reported.
    #[must_use]
    pub fn with_shard(self, shard: Option<Shard>) -> Self {
        Self { shard, ..self }
    }

    /// The number of the launch that is tried next, from 0: the same in all shards.
    pub(super) fn next_launch(&mut self) -> usize {
        self.launches += 1;
        self.launches - 1
    }

    /// Nobody asks who raced with whom, so that no launch runs a second time to show that.
    #[must_use]
    pub fn without_explanation(self) -> Self {
        Self { explains: false, ..self }
    }

    /// How long to wait for work that may take so much time: no longer than until the session is stopped.
    pub fn patience(&self, timeout: Option<Duration>) -> Patience<'a> {
        Patience::new(self.stop, timeout)
    }

    /// Whether somebody wants it to end.
    pub fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    pub(super) fn emit(&mut self, event: &Event<'_>) {
        if let Some(listener) = &mut self.listener {
            listener.event(event);
        }
    }

    /// Whether whoever follows wants this to be launched.
    ///
    /// # Errors
    /// What was to be done with those before it cannot be done.
    pub fn begins(&mut self, unit: Unit<'_>) -> Result<bool> {
        self.follower.as_mut().map_or(Ok(true), |follower| follower.begins(unit))
    }

    /// Which of so many launches whoever follows wants, from 1, of what begins.
    pub fn wanted(&mut self, unit: Unit<'_>, launches: usize) -> Vec<usize> {
        let Some(follower) = &mut self.follower else { return (1..=launches).collect() };
        (1..=launches).filter(|&launch| follower.wants(unit, launch)).collect()
    }

    /// This launch is about to run.
    pub(super) fn arrange(&mut self, program: &Program, launch: &mut Launch) {
        if let Some(follower) = &mut self.follower {
            follower.arrange(program, launch);
        }
    }

    /// This launch has run.
    pub(super) fn ran(&mut self, program: &Program, launch: &Launch) -> Result<()> {
        let stopped = self.stopped();
        match &mut self.follower {
            Some(follower) if !stopped => follower.ran(program, launch, self.executor),
            _ => Ok(()),
        }
    }

    /// Does `work` while nobody follows.
    pub fn unfollowed<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let follower = self.follower.take();
        let done = work(self);
        self.follower = follower;
        done
    }

    /// Whether launches that come further are searched for. Who follows launches would follow all that are tried.
    pub(super) fn searches(&self) -> bool {
        self.searches && self.follower.is_none()
    }

    /// Moves what was known before out of the findings of `launch`.
    pub(super) fn allow_known(&mut self, launch: &mut LaunchFacts) {
        if let Some(known) = &mut self.known {
            known.apply(launch);
        }
    }
}
