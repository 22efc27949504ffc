//! Locks on devices driven by wgpu.

use super::{Load, Lock, LockCounters, LockRun};
use crate::run::{Device, Failure};
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

    fn dispatched(
        &self,
        text: &str,
        load: &Load,
        stop: &AtomicBool,
    ) -> Result<LockCounters, Failure> {
        let buffers = ["lock", "count", "held", "given up"].map(|label| (label, 1));
        let words = self.run_on_zeros(text, &buffers, load.workgroups, stop)?;
        let word = |at: usize| words[at].iter().copied().map(u64::from).sum();
        Ok(LockCounters { counted: word(1), held: word(2), given_up: word(3) })
    }
}
