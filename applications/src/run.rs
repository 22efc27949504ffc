//! The outcome of a program: its outputs and times.

use std::time::{Duration, Instant};

/// Creates the instance; everything else in a program is the same under both instances.
pub type Make<'a> = &'a dyn Fn(wgpu::InstanceDescriptor) -> wgpu::Instance;

pub struct Outcome {
    pub adapter: String,
    /// The time from before the creation of the instance to the end of reading the outputs of the first run.
    pub first: Duration,
    pub warm: Vec<Duration>,
    /// The outputs of the first run.
    pub outputs: Vec<u8>,
    /// Whether each warm run gave the same outputs as the first.
    pub repeats: bool,
}

pub const WARM_RUNS: usize = 5;

/// Starts a program and times its runs. The function that `start` returns does one run, always from the same state.
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

    /// Returns the 64-bit FNV-1a hash of the outputs.
    pub fn digest(&self) -> u64 {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.outputs.iter().fold(0xcbf2_9ce4_8422_2325, step)
    }
}
