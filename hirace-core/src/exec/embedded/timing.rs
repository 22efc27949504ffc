//! A launch on the embedded executor, ready to be timed.

use super::{Replay, fitted, monitor, not_ended, shape, workgroups};
use crate::diagnostic::Result;
use crate::exec::timing::{Stopwatch, Took, Watched};
use crate::exec::{Known, Watch};
use crate::launch::{Dispatch, Launch};
use crate::observe::{Fitted, Layout, Shape};
use crate::patience::Patience;
use crate::program::Program;
use crate::vm::observer::{MemoryId, Unwatched};
use crate::vm::run::Run;
use crate::watch::Scope;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A launch whose kernels are code, and of which is known what is watched.
pub struct OnProcessor<'a> {
    launch: &'a Launch,
    replay: Replay<'a>,
    /// What the monitor of each dispatch looks at; nothing, if nobody watches.
    watches: Option<Vec<(Fitted, Shape)>>,
    watched: Watched,
    stop: Option<&'a AtomicBool>,
}

impl<'a> OnProcessor<'a> {
    /// Nothing, if `stop` was set before it was ready.
    pub fn new(
        program: &Program,
        launch: &'a Launch,
        watch: Option<&Watch>,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Option<Self>> {
        let replay = Replay::new(program, launch, stop)?;
        let watches = watch.map(|watch| {
            let watches = launch.dispatches.iter().map(|dispatch| {
                let resources = &replay.resources;
                let known = Known { program, dispatch, resources, writes: &launch.writes };
                let fitted = fitted(&known, watch, Scope::Writable);
                (fitted, shape(program, dispatch, launch.subgroup_size))
            });
            watches.collect::<Vec<_>>()
        });
        let mut watched = Watched::default();
        for (dispatch, (fitted, _)) in launch.dispatches.iter().zip(watches.iter().flatten()) {
            watched.add(watched_by(program, dispatch, &fitted.layout));
        }
        let mut ready = Self { launch, replay, watches, watched, stop };
        // Memory that is touched for the first time has to be mapped.
        Ok(ready.time()?.map(|_| ready))
    }

    fn dispatch(
        &mut self,
        (number, dispatch): (usize, &Dispatch),
        patience: Patience<'_>,
    ) -> Result<(Run, Took)> {
        let started = Instant::now();
        let Some((Fitted { layout, unwatched }, shape)) =
            self.watches.as_ref().and_then(|watches| watches.get(number))
        else {
            let run = self.replay.run((number, dispatch), true, &Unwatched, patience)?;
            return Ok((run, Took { kernel: started.elapsed(), ..Took::default() }));
        };
        let fsm = monitor(self.launch, number, layout.clone(), *shape);
        let clearing = started.elapsed();
        let started = Instant::now();
        let is_repeatable = unwatched.is_empty();
        let run = self.replay.run((number, dispatch), is_repeatable, &fsm, patience)?;
        Ok((run, Took { kernel: started.elapsed(), clearing }))
    }
}

impl Stopwatch for OnProcessor<'_> {
    fn watched(&self) -> &Watched {
        &self.watched
    }

    fn time(&mut self) -> Result<Option<Took>> {
        let launch = self.launch;
        self.replay.resources = launch.resources.clone();
        let mut all = Took::default();
        for numbered in launch.dispatches.iter().enumerate() {
            let patience = Patience::new(self.stop, launch.limits.timeout);
            let (run, took) = self.dispatch(numbered, patience)?;
            all.add(took);
            if !run.ended() {
                return match patience.is_stopped() {
                    true => Ok(None),
                    false => Err(not_ended()),
                };
            }
        }
        Ok(Some(all))
    }
}

/// What the monitor of a dispatch looks at.
fn watched_by(program: &Program, dispatch: &Dispatch, layout: &Layout) -> Watched {
    let looked_at = program
        .sites
        .accesses()
        .filter(|(site, _, access)| layout.looks_at(*site, MemoryId(access.global.index() as u32)));
    Watched {
        sites: looked_at.map(|(site, _, _)| site).collect(),
        words: layout.granules(workgroups(dispatch)),
        shadow_bytes: layout.shadow_bytes(workgroups(dispatch)),
    }
}
