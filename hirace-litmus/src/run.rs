//! Running of tests, with the same shaders on devices driven by wgpu and on simulated ones.

mod counts;
#[cfg(feature = "gpu")]
mod device;
mod execution;
mod iteration;
mod setup;

pub use crate::shader::Shaders;
pub use counts::Counts;
#[cfg(feature = "gpu")]
pub use device::Device;
#[cfg(feature = "gpu")]
pub(crate) use device::repeat_dispatch;
pub use execution::{Plan, RunResult, run};
pub use iteration::Iteration;
pub use setup::{Bindings, Setup, Words};

use crate::environment::EnvironmentError;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// A device that runs tests.
pub trait Target {
    /// A test in an environment, prepared for the device.
    type Ready;

    /// Returns the name and the limits of the device.
    fn about(&self) -> TargetInfo;

    /// Compiles the shaders and allocates the memory.
    fn ready(&mut self, setup: &Setup<'_>) -> Result<Self::Ready, Failure>;

    /// Runs one dispatch on zeroed memory and adds the number of instances with each outcome to its counter.
    fn iterate(
        &mut self,
        ready: &mut Self::Ready,
        iteration: &Iteration,
        counts: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Failure>;

    /// Runs several dispatches one after the other. A target with a high latency can submit them at once.
    fn iterate_all(
        &mut self,
        ready: &mut Self::Ready,
        iterations: &[Iteration],
        counts: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        iterations.iter().try_for_each(|iteration| self.iterate(ready, iteration, counts, stop))
    }
}

/// A target of any type, as a trait object.
pub trait Runner {
    /// Returns the name and the limits of the device.
    fn described(&self) -> TargetInfo;

    /// Runs a test with [`run`].
    fn run_test(
        &mut self,
        setup: &Setup<'_>,
        plan: &Plan,
        stop: &AtomicBool,
        seen: &mut dyn FnMut(&RunResult),
    ) -> RunResult;
}

impl<T: Target> Runner for T {
    fn described(&self) -> TargetInfo {
        self.about()
    }

    fn run_test(
        &mut self,
        setup: &Setup<'_>,
        plan: &Plan,
        stop: &AtomicBool,
        seen: &mut dyn FnMut(&RunResult),
    ) -> RunResult {
        run(self, setup, plan, stop, seen)
    }
}

/// The description of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetInfo {
    /// The name.
    pub name: String,
    /// The vendor.
    pub vendor: String,
    /// The driver.
    pub driver: String,
    /// The maximum number of workgroups of a dispatch.
    pub max_workgroups: u32,
    /// The maximum number of invocations of a workgroup.
    pub max_workgroup_size: u32,
    /// The maximum number of words of a buffer.
    pub max_words: u64,
}

/// The reason why a test did not run, or not completely.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The environment is invalid, or does not suit the test.
    #[error(transparent)]
    Unsuitable(#[from] EnvironmentError),
    /// The test needs more memory than the device has.
    #[error("{what}: {asked} are needed, but the limit is {most}")]
    TooLarge {
        /// The kind of memory.
        what: String,
        /// The amount that is needed.
        asked: u64,
        /// The limit of the device.
        most: u64,
    },
    /// The device rejected the shader.
    #[error("the device rejected the shader: {0}")]
    Rejected(String),
    /// The device was lost. It may be available again for the next test.
    #[error("the device was lost: {0}")]
    Lost(String),
    /// A dispatch exceeded its time limit, in seconds.
    #[error("a dispatch did not terminate within {0} s")]
    Hangs(u64),
    /// The number of outcomes differs from the number of instances.
    #[error("{counted} outcomes were counted for {run} instances")]
    Checksum {
        /// The number of outcomes.
        counted: u64,
        /// The number of instances.
        run: u64,
    },
    /// The run was stopped.
    #[error("stopped")]
    Stopped,
}
