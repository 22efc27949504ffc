//! One dispatch on a device.

use super::decision_cache::DecisionCache;
use super::dispatch_cache::DispatchCache;
use crate::exec::Watch;
use crate::launch::{Dispatch, Launch, grid};
use crate::program::Program;
use crate::shadow::fields::Width;
use crate::shadow::layout::Limits;
use hirace_gpu::OpenDevice;

/// A dispatch and the device on which it runs.
#[derive(Clone, Copy)]
pub struct DeviceDispatch<'a> {
    pub device: &'a OpenDevice,
    pub program: &'a Program,
    pub launch: &'a Launch,
    pub dispatch: &'a Dispatch,
    pub watch: &'a Watch,
    /// The minimum width of the shadow words of storage memory and textures.
    pub width: Width,
    /// Whether it is enough to detect that something goes wrong, without details.
    pub detects_only: bool,
    /// The limits of the shadow memory, independent of the device.
    pub shadow: Limits,
    /// The instrumented dispatches that were compiled before.
    pub kept: &'a DispatchCache,
    /// The decisions that were made before.
    pub decision_cache: &'a DecisionCache,
}

/// The result of running a dispatch.
#[derive(Debug)]
pub enum RunStatus<T> {
    /// It terminated, or was stopped from outside.
    Completed(T),
    /// Its loops were terminated by the monitor, although they might have terminated later.
    LoopsTerminated,
    /// The clock of narrow shadow words overflowed, and wide ones would suffice.
    ClockOverflow,
    /// Something went wrong, and no details are known.
    UnrecordedError,
    /// Not all invocations of a workgroup reached the same barriers, so that the recorded accesses have no order.
    Diverged,
}

impl DeviceDispatch<'_> {
    pub fn workgroups(&self) -> u64 {
        self.dispatch.workgroups.iter().map(|&count| u64::from(count)).product()
    }

    pub fn span(&self) -> tracing::Span {
        tracing::debug_span!(
            "dispatch",
            executor = "wgpu",
            grid = grid::show(self.dispatch.workgroups)
        )
    }

    /// Returns the entry point of the dispatch.
    pub fn entry(&self) -> Option<&naga::EntryPoint> {
        self.program.module.entry_points.get(self.dispatch.entry)
    }
}
