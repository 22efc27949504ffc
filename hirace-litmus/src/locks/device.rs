//! Locks on devices driven by wgpu.

use super::{Load, Lock, LockCounters, LockRun};
use crate::run::{Device, Failure};
use hirace_gpu::wgpu::BufferUsages;
use hirace_gpu::{Binding, Error, Job, Shader, Source, WaitLimit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

impl Device {
    /// Runs `load` on a lock in a number of dispatches. `seen` is called with the results so far.
    pub fn contend(
        &self,
        lock: Lock,
        load: &Load,
        iterations: u32,
        stop: &AtomicBool,
        mut seen: impl FnMut(&LockRun),
    ) -> LockRun {
        let mut run = LockRun::none(lock);
        let text = lock.wgsl(load);
        while run.iterations < iterations && run.failure.is_none() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let began = Instant::now();
            match self.dispatched(&text, load, stop) {
                Ok(left) => run.add(left, began.elapsed().as_secs_f64()),
                Err(Failure::Stopped) => break,
                Err(failure) => run.failure = Some(failure.to_string()),
            }
            seen(&run);
        }
        run
    }

    /// Runs one dispatch on zeroed memory. The service caches the compiled shader.
    fn dispatched(
        &self,
        text: &str,
        load: &Load,
        stop: &AtomicBool,
    ) -> Result<LockCounters, Failure> {
        self.service().hold(|opened| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
            let labels = ["lock", "count", "held", "given up"].into_iter();
            let buffers = labels
                .map(|label| opened.zeros(label, 4, usage))
                .collect::<Result<Vec<_>, Error>>()?;
            let shader =
                Shader { source: Source::Wgsl(text), entry: "main", constants: &[], layout: None };
            let pipeline = opened.compile(&shader)?;
            let bound = (0..).zip(&buffers).map(|(binding, buffer)| Binding {
                group: 0,
                binding,
                resource: buffer.as_entire_binding(),
            });
            let bindings = opened.bind(&pipeline, bound)?;
            let job = Job::new().dispatch(&pipeline, &bindings, [load.workgroups, 1, 1]);
            opened.run(&job, WaitLimit { limit: self.limit(), stop: Some(stop) })?;
            let word = |at: usize| -> Result<u64, Error> {
                Ok(opened.read_words(&buffers[at], 0..1)?.into_iter().map(u64::from).sum())
            };
            Ok(LockCounters { counted: word(1)?, held: word(2)?, given_up: word(3)? })
        })
    }
}
