//! Running tests: the same shaders on a device that wgpu drives and on a simulated one.

#[cfg(feature = "gpu")]
mod device;
mod iteration;
pub mod job;
mod one;
mod setup;

#[cfg(feature = "gpu")]
pub use device::Device;
pub use iteration::Iteration;
pub use one::{Plan, Ran, run};
pub use setup::{Bindings, Setup, Words};

use crate::environment::Unsuitable;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// What a test is in an environment, as shaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaders {
    /// WGSL of the dispatch that tests and stresses; its entry point is `main`.
    pub test: String,
    /// WGSL of the dispatch that counts outcomes, an invocation an instance; its entry point is `main`.
    pub count: String,
}

/// Whoever runs tests.
pub trait Target {
    /// A test in an environment, made ready.
    type Ready;

    /// What it is called, and how much it takes.
    fn about(&self) -> About;

    /// Compiles, and has memory.
    fn ready(&mut self, setup: &Setup<'_>) -> Result<Self::Ready, Failure>;

    /// Runs one dispatch on memory that is zero, and adds to each outcome's counter how often it was there.
    fn iterate(
        &mut self,
        ready: &mut Self::Ready,
        iteration: &Iteration,
        counts: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Failure>;

    /// Runs several, one after the other: a target that has to be waited for may take them at once.
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

/// A target of any kind, for whoever runs whole tests.
pub trait Runner {
    /// What it is.
    fn described(&self) -> About;

    /// [`run`].
    fn run_test(
        &mut self,
        setup: &Setup<'_>,
        plan: &Plan,
        stop: &AtomicBool,
        seen: &mut dyn FnMut(&Ran),
    ) -> Ran;
}

impl<T: Target> Runner for T {
    fn described(&self) -> About {
        self.about()
    }

    fn run_test(
        &mut self,
        setup: &Setup<'_>,
        plan: &Plan,
        stop: &AtomicBool,
        seen: &mut dyn FnMut(&Ran),
    ) -> Ran {
        run(self, setup, plan, stop, seen)
    }
}

/// What a target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Who makes it.
    pub vendor: String,
    /// What drives it.
    pub driver: String,
    /// The most workgroups of a dispatch.
    pub max_workgroups: u32,
    /// The most invocations of a workgroup.
    pub max_workgroup_size: u32,
    /// The most words of a buffer.
    pub max_words: u64,
}

/// Why a test did not run, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The environment cannot be, or not for the test.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// It asks for more than there is.
    #[error("{what}: {asked} are asked for, and there are {most}")]
    TooLarge {
        /// What of it.
        what: String,
        /// How much it asks for.
        asked: u64,
        /// How much there is.
        most: u64,
    },
    /// The shader was not taken.
    #[error("the shader was not taken: {0}")]
    Refused(String),
    /// The device is gone. It may be there for the next test.
    #[error("the device was lost: {0}")]
    Lost(String),
    /// A dispatch did not end in its time.
    #[error("a dispatch did not end in {0} s")]
    Hangs(u64),
    /// The outcomes are not as many as the instances.
    #[error("{counted} outcomes were counted of {run} instances")]
    Checksum {
        /// How many outcomes.
        counted: u64,
        /// How many instances.
        run: u64,
    },
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}
