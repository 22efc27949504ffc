//! Tests of the bounds of data races on devices driven by wgpu.

use super::{Memory, RaceBoundsCounts, RaceBoundsRun, RaceBoundsSize, RaceBoundsTest};
use crate::run::{Device, Failure, repeat_dispatch};
use std::sync::atomic::AtomicBool;

impl Device {
    /// Runs a test in a number of dispatches. `seen` is called with the results so far.
    pub fn race_bounds(
        &self,
        test: RaceBoundsTest,
        size: &RaceBoundsSize,
        iterations: u32,
        stop: &AtomicBool,
        mut seen: impl FnMut(&RaceBoundsRun),
    ) -> RaceBoundsRun {
        let mut run = RaceBoundsRun::none(test);
        let text = test.wgsl(size);
        let dispatch = || self.race_once(test, &text, size, stop);
        repeat_dispatch(iterations, stop, dispatch, |result| {
            match result {
                Ok((counts, seconds)) => run.add(size.elements(), counts, seconds),
                Err(failure) => run.failure = Some(failure),
            }
            seen(&run);
        });
        run
    }

    fn race_once(
        &self,
        test: RaceBoundsTest,
        text: &str,
        size: &RaceBoundsSize,
        stop: &AtomicBool,
    ) -> Result<RaceBoundsCounts, Failure> {
        let racing = (test.memory == Memory::Storage).then_some(("racing", size.elements()));
        let buffers: Vec<(&str, u64)> =
            [("results", 2 * size.elements())].into_iter().chain(racing).collect();
        let words = self.run_on_zeros(text, &buffers, size.workgroups, stop)?;
        Ok(test.count(&words[0]))
    }
}
