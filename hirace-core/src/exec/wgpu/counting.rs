//! Runs a dispatch that counts executions.

use super::dispatch::DeviceDispatch;
use super::failure::{READ_BACK, could_not_run, failed_to};
use super::memory::UploadedResources;
use super::needs::Needs;
use super::prepared::USAGE;
use crate::diagnostic::Result;
use crate::pass::cover::{CoverageProgram, Options, cover};
use crate::points::{Counts, Points};
use hirace_gpu::wgpu::{Buffer, ComputePipeline, Features};
use naga::GlobalVariable;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A counting dispatch that is ready to run.
struct CountingDispatch {
    covered: CoverageProgram,
    pipeline: ComputePipeline,
    counters: Buffer,
}

impl DeviceDispatch<'_> {
    /// Runs the dispatch on `memory` and counts at `points`. Returns `None` if `stop` was set before it was done.
    pub fn count(
        &self,
        memory: &UploadedResources,
        points: &Points,
        hits: bool,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<Counts>> {
        let ready = self.counting(points, hits)?;
        if !self.submit_counting(&ready, memory, stop)? {
            return Ok(None);
        }
        let words = ready.counters.size() / 4;
        let read = self.device.read_words(&ready.counters, 0..words);
        Ok(Some(ready.covered.layout.read(&read.map_err(failed_to(READ_BACK))?)))
    }

    /// Returns the duration of the dispatch on `memory` while it counts, without the creation of buffers and pipelines.
    pub fn time_counting(&self, memory: &UploadedResources, points: &Points) -> Result<Duration> {
        let ready = self.counting(points, false)?;
        // Drivers compile a shader when it first runs.
        self.submit_counting(&ready, memory, None)?;
        let started = Instant::now();
        self.submit_counting(&ready, memory, None)?;
        Ok(started.elapsed())
    }

    fn submit_counting(
        &self,
        ready: &CountingDispatch,
        memory: &UploadedResources,
        stop: Option<&AtomicBool>,
    ) -> Result<bool> {
        let CountingDispatch { covered, pipeline, counters } = ready;
        let own = |variable: &GlobalVariable| {
            (variable.binding == Some(covered.binding)).then_some(counters)
        };
        self.submit_with(pipeline, &covered.derived, &own, memory, stop)
    }

    /// Compiles the counting module, and creates its counters.
    fn counting(&self, points: &Points, hits: bool) -> Result<CountingDispatch> {
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        if self.free_bindings() == 0 {
            let error = could_not_run(format!(
                "`{}` uses all storage buffers of the device, and the counters need one",
                self.name()
            ));
            return Err(Box::new(error.help("count without --device")));
        }
        let subgroups = !hits && self.device.features().contains(Features::SUBGROUP);
        let options = Options { hits, subgroups };
        let covered = cover(self.program, points, &[self.dispatch.entry], options)?;
        let pipeline = self.compile(&covered.derived, &[])?;
        let workgroups = self.dispatch.workgroups.iter().map(|&n| u64::from(n)).product();
        let words = covered.layout.words(workgroups);
        let limits = self.device.limits();
        if words * 4 > limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) {
            let error = could_not_run(format!(
                "the barriers of `{}` need more counters than a buffer holds, because there are too many workgroups",
                self.name()
            ));
            return Err(Box::new(error.help("count without --device, or use a smaller grid")));
        }
        let made = self.device.zeros("counters", words * 4, USAGE);
        let counters = made.map_err(failed_to("make counters"))?;
        Ok(CountingDispatch { covered, pipeline, counters })
    }
}
