//! Locks on devices driven by wgpu.

use super::{Load, Lock, LockCounters, LockRun};
use crate::run::{Device, Failure, repeat_dispatch};
use std::sync::atomic::AtomicBool;

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
        let dispatch = || self.dispatched(&text, load, stop);
        repeat_dispatch(iterations, stop, dispatch, |result| {
            match result {
                Ok((left, seconds)) => run.add(left, seconds),
                Err(failure) => run.failure = Some(failure),
            }
            seen(&run);
        });
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
