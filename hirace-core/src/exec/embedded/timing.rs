//! A launch on the embedded executor that is ready to be timed.

use super::{Replay, monitor, not_ended, run_fitted, shape};
use crate::deadline::Deadline;
use crate::diagnostic::Result;
use crate::exec::timing::{RunDuration, Stopwatch, WatchSize};
use crate::exec::{DispatchContext, Watch};
use crate::launch::{Dispatch, Launch};
use crate::observe::{FittedLayout, Layout, Shape};
use crate::program::Program;
use crate::vm::observer::{MemoryId, NoObserver};
use crate::vm::run::Run;
use crate::watch::Scope;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A launch whose kernels are compiled and whose watched parts are determined.
pub struct EmbeddedStopwatch<'a> {
    launch: &'a Launch,
    replay: Replay<'a>,
    /// What the monitor of each dispatch watches. `None` if the launch is not watched.
    watches: Option<Vec<(FittedLayout, Shape)>>,
    watched: WatchSize,
    stop: Option<&'a AtomicBool>,
}

impl<'a> EmbeddedStopwatch<'a> {
    /// Prepares the launch. Returns `None` if `stop` was set before it was ready.
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
                let known = DispatchContext { program, dispatch, resources, launch };
                let shape = shape(program, dispatch, launch.subgroup_size);
                (run_fitted(&known, shape, watch, Scope::Writable).0, shape)
            });
            watches.collect::<Vec<_>>()
        });
        let mut watched = WatchSize::default();
        for (fitted, shape) in watches.iter().flatten() {
            watched.add(watched_by(program, &fitted.layout, *shape));
        }
        let mut ready = Self { launch, replay, watches, watched, stop };
        // The first run maps the memory.
        Ok(ready.time()?.map(|_| ready))
    }

    fn dispatch(
        &mut self,
        (number, dispatch): (usize, &Dispatch),
        deadline: Deadline<'_>,
    ) -> Result<(Run, RunDuration)> {
        let started = Instant::now();
        let Some((FittedLayout { layout, unwatched }, shape)) =
            self.watches.as_ref().and_then(|watches| watches.get(number))
        else {
            let run = self.replay.run((number, dispatch), true, &NoObserver, deadline)?;
            return Ok((run, RunDuration { kernel: started.elapsed(), ..RunDuration::default() }));
        };
        let fsm = monitor(self.launch, number, layout.clone(), *shape);
        let clearing = started.elapsed();
        let started = Instant::now();
        let is_repeatable = unwatched.is_empty();
        let run = self.replay.run((number, dispatch), is_repeatable, &fsm, deadline)?;
        Ok((run, RunDuration { kernel: started.elapsed(), clearing }))
    }
}

impl Stopwatch for EmbeddedStopwatch<'_> {
    fn watched(&self) -> &WatchSize {
        &self.watched
    }

    fn time(&mut self) -> Result<Option<RunDuration>> {
        let launch = self.launch;
        self.replay.resources = launch.resources.clone();
        let mut all = RunDuration::default();
        for numbered in launch.dispatches.iter().enumerate() {
            let deadline = Deadline::new(self.stop, launch.limits.timeout);
            let (run, took) = self.dispatch(numbered, deadline)?;
            all.add(took);
            if !run.is_complete() {
                return match deadline.is_stopped() {
                    true => Ok(None),
                    false => Err(not_ended()),
                };
            }
        }
        Ok(Some(all))
    }
}

/// Returns what the monitor of a dispatch watches.
fn watched_by(program: &Program, layout: &Layout, shape: Shape) -> WatchSize {
    let looked_at = program
        .sites
        .accesses()
        .filter(|(site, _, access)| layout.looks_at(*site, MemoryId(access.global.index() as u32)));
    WatchSize {
        sites: looked_at.map(|(site, _, _)| site).collect(),
        words: layout.granules(shape.workgroups.into()),
        shadow_bytes: layout.shadow_bytes(shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::embedded::Embedded;
    use crate::exec::{Executor, Shortcuts};
    use crate::front::wgsl;
    use crate::launch::build::{self, Grown};
    use crate::launch::candidates::candidates;
    use crate::launch::spec::{Binding, LaunchSpec};
    use std::collections::BTreeMap;

    /// A kernel that does not terminate if it runs on its own output.
    const ONCE: &str = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> tile: array<u32, 4>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u,
                                            @builtin(local_invocation_index) lane: u32) {
            while out[id.x] != 0u {}
            tile[lane] = id.x;
            out[id.x] = tile[lane] + 1u;
        }";

    fn launched(text: &str) -> (Program, Launch) {
        let parsed = wgsl::parse("kernel.wgsl", text).unwrap();
        let program = Program::new(&parsed, &BTreeMap::new()).unwrap();
        let spec = LaunchSpec {
            workgroups: Some([3, 1, 1]),
            bindings: vec![Binding::parse("out=zeros:12").unwrap()],
            step_limit: Some(10_000),
            ..LaunchSpec::default()
        };
        let all = candidates(&program, &spec, 0).unwrap();
        let launch = build::launch(&program, &spec, &all[0], &Grown::new()).unwrap();
        (program, launch)
    }

    #[test]
    fn each_run_starts_from_the_launch_s_own_contents() {
        let (program, launch) = launched(ONCE);
        let watch = Watch::default();
        for watch in [None, Some(&watch)] {
            let ready = Embedded.stopwatch(&program, &launch, watch, None).unwrap();
            let mut ready = ready.unwrap();
            for _ in 0..3 {
                assert!(ready.time().unwrap().is_some());
            }
        }
        let untouched =
            launch.resources.by_global.iter().flatten().all(|resource| match resource {
                crate::vm::memory::Resource::Buffer(buffer) => {
                    buffer.snapshot().iter().all(|&w| w == 0)
                }
                _ => true,
            });
        assert!(untouched);
    }

    #[test]
    fn what_is_watched_is_counted_by_its_words() {
        let (program, launch) = launched(ONCE);
        let (only, shortcuts) = (vec!["tile".to_owned()], Shortcuts::NONE);
        let watch = Watch { only, shortcuts, ..Watch::default() };
        let watched = |watch| {
            let ready = Embedded.stopwatch(&program, &launch, watch, None).unwrap();
            ready.unwrap().watched().clone()
        };
        let WatchSize { sites, words, shadow_bytes } = watched(Some(&watch));
        assert_eq!((sites.len(), words), (2, 3 * 4));
        assert!(shadow_bytes > 0);
        // Each invocation has its own word in `tile`.
        let watch = Watch { shortcuts: Shortcuts::ALL, ..watch.clone() };
        assert_eq!(watched(Some(&watch)), WatchSize::default());
        assert_eq!(watched(None), WatchSize::default());
    }

    #[test]
    fn nonterminating_launch_is_not_timed() {
        let (program, launch) = launched(&ONCE.replace("!= 0u", "== 0u"));
        let timed = |stop| Embedded.stopwatch(&program, &launch, None, stop).map(|_| ());
        assert_eq!(timed(None).unwrap_err().message, not_ended().message);
        let stop = AtomicBool::new(true);
        let stopped = Embedded.stopwatch(&program, &launch, None, Some(&stop)).unwrap();
        assert!(stopped.is_none());
    }
}
