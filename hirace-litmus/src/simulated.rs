//! Simulated devices: the embedded executor with a memory that is weak at configurable rates, and that can have a
//! fault. They make it possible to test all of litmus testing where the hardware is too strong to show weak behavior.
//!
//! They run the same shaders and bind the same buffers as any device. Only the memory and the scheduling (compute
//! units) differ.

mod compiled;
mod memory;
mod model;
#[cfg(test)]
mod tests;
mod traffic;
mod units;

pub use model::{Fault, Model, ModelError, NAMED, PREFIX};

use crate::run::{Failure, Iteration, Setup, Target, TargetInfo, Words};
use compiled::{CompiledShader, refused};
use hirace_engine::random::Random;
use hirace_engine::vm::deferred::{Dispatch, Outline};
use hirace_engine::vm::driver::run;
use hirace_engine::vm::observer::NoObserver;
use hirace_engine::vm::run::Options;
use hirace_engine::vm::schedule::{Limits, Schedule};
use memory::DelayedMemory;
use std::sync::atomic::AtomicBool;
use units::Units;

const LOCATIONS: u32 = 0;
const RESULTS: u32 = 1;
const SHUFFLED: u32 = 2;
const ARRIVED: u32 = 3;
const SCRATCHPAD: u32 = 4;
const TARGETS: u32 = 5;
const UNIFORM: u32 = 6;
const COUNTERS: u32 = 7;

/// A simulated device.
#[derive(Clone, Debug)]
pub struct SimulatedDevice {
    model: Model,
}

/// A test in an environment, compiled and bound.
#[derive(Debug)]
pub struct Ready {
    test: CompiledShader,
    outline: Outline,
    count: CompiledShader,
    counting_workgroups: u32,
    /// The number of dispatches so far.
    dispatches: u64,
}

impl SimulatedDevice {
    /// Creates a device of this model.
    pub fn new(model: Model) -> Self {
        Self { model }
    }

    /// Runs the testing shader. Returns its memory at the end.
    fn test(
        &self,
        ready: &Ready,
        iteration: &Iteration,
        stop: &AtomicBool,
    ) -> Result<[Vec<u32>; 2], Failure> {
        let Ready { test, outline, .. } = ready;
        let mut dispatch =
            Dispatch::new(&test.code, outline, &test.resources, iteration.workgroups)
                .map_err(refused)?;
        let stream = |of| Random::stream(self.model.seed, 2 * ready.dispatches + of);
        let mut memory = DelayedMemory::new(&self.model, stream(0), dispatch.words());
        Units::new(&mut dispatch, stream(1)).run(&mut memory, stop)?;
        Ok([LOCATIONS, RESULTS].map(|binding| {
            let range = test.memory(binding).and_then(|memory| outline.of(&test.code, memory));
            range.map(|range| memory.words()[range].to_vec()).unwrap_or_default()
        }))
    }
}

impl Target for SimulatedDevice {
    type Ready = Ready;

    fn about(&self) -> TargetInfo {
        TargetInfo {
            name: format!("{PREFIX}{}", self.model.name),
            vendor: "simulated".to_owned(),
            driver: self.model.to_string(),
            max_workgroups: 1024,
            max_workgroup_size: 256,
            max_words: 1 << 26,
        }
    }

    fn ready(&mut self, setup: &Setup<'_>) -> Result<Ready, Failure> {
        let Words { locations, results, workgroups, scratchpad, counters } = setup.words();
        let words = |binding| match binding {
            LOCATIONS => locations,
            RESULTS => results,
            SHUFFLED | TARGETS => workgroups,
            ARRIVED => 1,
            SCRATCHPAD => scratchpad,
            UNIFORM => 12,
            COUNTERS => counters,
            _ => 0,
        };
        let test = CompiledShader::new(&setup.shaders.test, words)?;
        let count = CompiledShader::new(&setup.shaders.count, words)?;
        let observed: Vec<_> =
            [LOCATIONS, RESULTS].into_iter().filter_map(|at| test.memory(at)).collect();
        let outline =
            Outline::new(&test.code, &test.resources, &observed, traffic::LINE).map_err(refused)?;
        let counting_workgroups = setup.counting_workgroups();
        Ok(Ready { test, outline, count, counting_workgroups, dispatches: 0 })
    }

    fn iterate(
        &mut self,
        ready: &mut Ready,
        iteration: &Iteration,
        counts: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        for (binding, words) in [
            (UNIFORM, &iteration.uniform[..]),
            (SHUFFLED, &iteration.shuffled_ids),
            (TARGETS, &iteration.targets),
        ] {
            ready.test.write(binding, words);
            ready.count.write(binding, words);
        }
        let [locations, results] = self.test(ready, iteration, stop)?;
        ready.dispatches += 1;
        let count = &ready.count;
        count.write(LOCATIONS, &locations);
        count.write(RESULTS, &results);
        count.write(COUNTERS, &vec![0; counts.len()]);
        let options = Options {
            workgroups: [ready.counting_workgroups, 1, 1],
            subgroup_size: 32,
            schedule: Schedule::default(),
            limits: Limits::default(),
            parallel: false,
            stop: Some(stop),
        };
        run(&count.code, &count.resources, &options, &NoObserver).map_err(refused)?;
        for (all, new) in counts.iter_mut().zip(count.read(COUNTERS)) {
            *all += u64::from(new);
        }
        Ok(())
    }
}
