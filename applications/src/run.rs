//! What a program gives back: its outputs, and how long they took.

use std::time::{Duration, Instant};

/// Who makes the instance; all else of a program is the same under both.
pub type Make<'a> = &'a dyn Fn(wgpu::InstanceDescriptor) -> wgpu::Instance;

pub struct Outcome {
    pub adapter: String,
    /// From before the instance was made until the outputs of the first run were read.
    pub first: Duration,
    pub warm: Vec<Duration>,
    /// Of the first run.
    pub outputs: Vec<u8>,
    /// Whether each warm run gave the same outputs as the first.
    pub repeats: bool,
}

pub const WARM_RUNS: usize = 5;

/// Starts a program and runs it. What `start` returns does one run, and begins each from the same state.
pub fn timed<R: FnMut() -> Vec<u8>>(start: impl FnOnce() -> (String, R)) -> Outcome {
    let begun = Instant::now();
    let (adapter, mut run) = start();
    let outputs = run();
    let first = begun.elapsed();
    let mut repeats = true;
    let warm = (0..WARM_RUNS).map(|_| {
        let begun = Instant::now();
        let again = run();
        let took = begun.elapsed();
        repeats &= again == outputs;
        took
    });
    let warm = warm.collect();
    Outcome { adapter, first, warm, outputs, repeats }
}

impl Outcome {
    pub fn median(&self) -> Duration {
        let mut warm = self.warm.clone();
        warm.sort();
        warm[warm.len() / 2]
    }

    /// FNV-1a, of 64 bits.
    pub fn digest(&self) -> u64 {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.outputs.iter().fold(0xcbf2_9ce4_8422_2325, step)
    }
}
