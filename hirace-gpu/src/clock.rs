//! Measures how long jobs take on the device.
//!
//! If the device supports timestamp queries between commands, these are used. Otherwise each job is submitted on its
//! own and waited for, and the duration of an empty submission is subtracted.

use crate::error::Result;
use crate::job::Job;
use crate::opened::OpenDevice;
use crate::scope::scoped;
use crate::wait::WaitLimit;
use std::time::{Duration, Instant};
use wgpu::{BufferUsages, Features, QuerySetDescriptor, QueryType};

/// Returns the features that timestamp queries need.
pub fn clock_features() -> Features {
    Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
}

/// The size of a timestamp in bytes.
const STAMP: u64 = 8;

/// The number of empty submissions; the shortest duration is the overhead of submitting.
const EMPTY: usize = 3;

impl OpenDevice {
    /// Returns whether it was opened with timestamp queries.
    pub fn has_clock(&self) -> bool {
        self.features().contains(clock_features())
    }

    /// Returns how long each of these jobs takes. They run one after the other, after the transfer of all data written
    /// before.
    pub fn time<const N: usize>(
        &self,
        jobs: &[Job<'_>; N],
        until: WaitLimit<'_>,
    ) -> Result<[Duration; N]> {
        let times = match self.has_clock() {
            true => self.time_by_device(jobs, until)?,
            false => self.time_by_host(jobs, until)?,
        };
        Ok(std::array::from_fn(|job| times.get(job).copied().unwrap_or_default()))
    }

    fn time_by_device(&self, jobs: &[Job<'_>], until: WaitLimit<'_>) -> Result<Vec<Duration>> {
        let stamps = jobs.len() as u32 + 1;
        let queries = scoped(self.device(), || {
            self.device().create_query_set(&QuerySetDescriptor {
                label: Some("hirace clock"),
                ty: QueryType::Timestamp,
                count: stamps,
            })
        })?;
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = self.zeros("hirace clock", u64::from(stamps) * STAMP, usage)?;
        let written: Vec<_> = jobs.iter().map(|job| self.written_of(job)).collect::<Result<_>>()?;
        // Data written to buffers is part of the next submission.
        self.run(&Job::new(), until)?;
        let submission = scoped(self.device(), || {
            let mut encoder = self.device().create_command_encoder(&Default::default());
            encoder.write_timestamp(&queries, 0);
            for ((job, written), stamp) in jobs.iter().zip(&written).zip(1..) {
                job.encode(&mut encoder, written.as_ref());
                encoder.write_timestamp(&queries, stamp);
            }
            encoder.resolve_query_set(&queries, 0..stamps, &resolved, 0);
            self.queue().submit([encoder.finish()])
        })?;
        self.wait(&submission, until)?;
        let words = self.read_words(&resolved, 0..u64::from(stamps) * STAMP / 4)?;
        let nanoseconds = f64::from(self.queue().get_timestamp_period());
        Ok(between(&words, nanoseconds))
    }

    fn time_by_host(&self, jobs: &[Job<'_>], until: WaitLimit<'_>) -> Result<Vec<Duration>> {
        let timed = |job: &Job<'_>| -> Result<Duration> {
            let started = Instant::now();
            self.run(job, until)?;
            Ok(started.elapsed())
        };
        let nothing = Job::new();
        let mut empty = timed(&nothing)?;
        for _ in 1..EMPTY {
            empty = empty.min(timed(&nothing)?);
        }
        jobs.iter().map(|job| Ok(timed(job)?.saturating_sub(empty))).collect()
    }
}

/// Returns the durations between timestamps of two words each; `nanoseconds` is the length of a tick.
fn between(words: &[u32], nanoseconds: f64) -> Vec<Duration> {
    let stamps = words.chunks_exact(2);
    let stamps: Vec<u64> =
        stamps.map(|stamp| u64::from(stamp[0]) | u64::from(stamp[1]) << 32).collect();
    let ticks = stamps.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    ticks.map(|ticks| Duration::from_nanos((ticks as f64 * nanoseconds) as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_between_stamps_are_times() {
        let stamps = [u32::MAX, 0, 1, 1, 5, 1];
        let ns = Duration::from_nanos;
        assert_eq!(between(&stamps, 1.0), [ns(2), ns(4)]);
        assert_eq!(between(&stamps, 2.5), [ns(5), ns(10)]);
    }

    #[test]
    fn a_clock_that_goes_back_shows_nothing() {
        assert_eq!(between(&[9, 0, 3, 0], 1.0), [Duration::ZERO]);
        assert_eq!(between(&[], 1.0), []);
    }
}
