//! Prefix sums on devices driven by wgpu.

use super::{PrefixSumCounts, PrefixSumRun, PrefixSumSize, Protocol};
use crate::run::{Device, Failure};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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
        while run.iterations < iterations && run.failure.is_none() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let began = Instant::now();
            match self.sum_once(protocol, &text, size, stop) {
                Ok(counts) => run.add(size.elements(), counts, began.elapsed().as_secs_f64()),
                Err(Failure::Stopped) => break,
                Err(failure) => run.failure = Some(failure.to_string()),
            }
            seen(&run);
        }
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
