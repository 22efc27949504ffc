//! How long jobs take on the device itself.
//!
//! Where a device writes the time between commands, that is what counts. Elsewhere each job is submitted by itself and
//! waited for, and what an empty submission takes is taken off.

use crate::error::Result;
use crate::job::Job;
use crate::opened::Opened;
use crate::scope::scoped;
use crate::wait::Until;
use std::time::{Duration, Instant};
use wgpu::{BufferUsages, Features, QuerySetDescriptor, QueryType};

/// What a device needs for a clock of its own.
pub fn clock_features() -> Features {
    Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
}

/// Bytes of a time that a device has written.
const STAMP: u64 = 8;

/// How many empty submissions are tried: the quickest says what submitting takes.
const EMPTY: usize = 3;

impl Opened {
    /// Whether it was opened with a clock of its own.
    pub fn has_clock(&self) -> bool {
        self.features().contains(clock_features())
    }

    /// How long each of these jobs takes, which run one after the other. What was written before is in place by then.
    pub fn time<const N: usize>(
        &self,
        jobs: &[Job<'_>; N],
        until: Until<'_>,
    ) -> Result<[Duration; N]> {
        let times = match self.has_clock() {
            true => self.time_by_device(jobs, until)?,
            false => self.time_by_host(jobs, until)?,
        };
        Ok(std::array::from_fn(|job| times.get(job).copied().unwrap_or_default()))
    }

    fn time_by_device(&self, jobs: &[Job<'_>], until: Until<'_>) -> Result<Vec<Duration>> {
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
        // What is written to buffers is part of the next submission.
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

    fn time_by_host(&self, jobs: &[Job<'_>], until: Until<'_>) -> Result<Vec<Duration>> {
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

/// The times between stamps of two words each, in ticks that are so many nanoseconds.
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
