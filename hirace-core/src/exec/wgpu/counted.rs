//! A dispatch of which is counted what runs.

use super::dispatch::OnDevice;
use super::failure::{could_not_run, failed_to};
use super::memory::{READ_BACK, Uploaded};
use super::needs::Needs;
use super::prepared::USAGE;
use crate::diagnostic::Result;
use crate::pass::cover::{Options, cover};
use crate::points::{Counts, Points};
use hirace_gpu::wgpu::Features;
use naga::GlobalVariable;
use std::sync::atomic::AtomicBool;

impl OnDevice<'_> {
    /// Runs it on `memory` and counts at `points`. Nothing, if `stop` was set before it was done.
    pub fn count(
        &self,
        memory: &Uploaded,
        points: &Points,
        hits: bool,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<Counts>> {
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        if self.free_bindings() == 0 {
            let error = could_not_run(format!(
                "`{}` uses all storage buffers that the device has, and counters need one",
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
                "the barriers of so many workgroups of `{}` need more counters than a buffer holds",
                self.name()
            ));
            return Err(Box::new(error.help("count without --device, or a smaller grid")));
        }
        let made = self.device.zeros("counters", words * 4, USAGE);
        let counters = made.map_err(failed_to("make counters"))?;
        let own = |variable: &GlobalVariable| {
            (variable.binding == Some(covered.binding)).then_some(&counters)
        };
        if !self.submit_with(&pipeline, &covered.derived, &own, memory, stop)? {
            return Ok(None);
        }
        let read = self.device.read_words(&counters, 0..words).map_err(failed_to(READ_BACK))?;
        Ok(Some(covered.layout.read(&read)))
    }
}
