//! Prefix sums on devices driven by wgpu.

use super::{PrefixSumCounts, PrefixSumRun, PrefixSumSize, Protocol};
use crate::run::{Device, Failure, repeat_dispatch};
use std::sync::atomic::AtomicBool;

impl Device {
    /// Computes a prefix sum in a number of dispatches. `seen` is called with the results so far.
    pub fn prefix_sum(
        &self,
        protocol: Protocol,
        size: &PrefixSumSize,
        iterations: u32,
        stop: &AtomicBool,
        mut seen: impl FnMut(&PrefixSumRun),
    ) -> PrefixSumRun {
        let mut run = PrefixSumRun::none(protocol);
        let text = protocol.wgsl(size);
        let dispatch = || self.sum_once(protocol, &text, size, stop);
        repeat_dispatch(iterations, stop, dispatch, |result| {
            match result {
                Ok((counts, seconds)) => run.add(size.elements(), counts, seconds),
                Err(failure) => run.failure = Some(failure),
            }
            seen(&run);
        });
        run
    }

    fn sum_once(
        &self,
        protocol: Protocol,
        text: &str,
        size: &PrefixSumSize,
        stop: &AtomicBool,
    ) -> Result<PrefixSumCounts, Failure> {
        let parts = u64::from(size.workgroups);
        let published = (protocol != Protocol::Packed).then_some(("published", 2 * parts));
        let buffers = [("next", 1), ("flags", parts), ("sums", size.elements())];
        let buffers: Vec<(&str, u64)> = buffers.into_iter().chain(published).collect();
        let words = self.run_on_zeros(text, &buffers, size.workgroups, stop)?;
        Ok(size.count(&words[1], &words[2]))
    }
}
