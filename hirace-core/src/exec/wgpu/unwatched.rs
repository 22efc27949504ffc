//! Runs an unmonitored launch, unmodified or with one workgroup of a dispatch first.

use super::dispatch::DeviceDispatch;
use super::failure::{READ_BACK, could_not_run, failed_to};
use super::memory::UploadedResources;
use super::needs::Needs;
use super::prepared::USAGE;
use super::{Device, upload};
use crate::diagnostic::Result;
use crate::exec::Watch;
use crate::exec::unwatched::{FirstWorkgroup, UnwatchedOutcome};
use crate::launch::Launch;
use crate::pass::rewrite;
use crate::pass::target_first::{POLLS_PER_ITERATION, WaitCounts, read, target_first, words};
use crate::program::{DerivedModule, Program};
use hirace_gpu::OpenDevice;
use hirace_gpu::wgpu::{Buffer, ComputePipeline};
use naga::{GlobalVariable, ResourceBinding};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// The polls may use one of this many parts of the loop iterations that the device allows.
const POLL_DIVISOR: u32 = 4;

/// A compiled entry point, and the binding that a pass added.
pub(super) struct CompiledDispatch {
    pub derived: DerivedModule,
    pub pipeline: ComputePipeline,
    /// The buffer that names the workgroup that runs first, and its binding.
    order: Option<(Buffer, ResourceBinding)>,
}

impl Device {
    /// Runs `launch` unmodified except for `first`. Returns `None` if `stop` was set before it was done.
    pub(super) fn run_bare(
        &self,
        device: &OpenDevice,
        program: &Program,
        launch: &Launch,
        first: Option<FirstWorkgroup>,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<UnwatchedOutcome>> {
        let watch = Watch::default();
        let on_device = |dispatch| self.on(device, program, launch, dispatch, &watch);
        let memory = upload(device, program, launch)?;
        // Everything is compiled before anything runs, so that a refused dispatch is not reported as a failure of the launch.
        let mut plain = BTreeMap::new();
        let mut ordered = None;
        for (index, dispatch) in launch.dispatches.iter().enumerate() {
            let run = on_device(dispatch);
            Needs { device, program }.check_dispatch(dispatch)?;
            match first.filter(|first| first.dispatch == index && run.has_workgroup(first.target)) {
                Some(first) => ordered = Some((index, run.ordered(first)?)),
                None if plain.contains_key(&dispatch.entry) => {}
                None => {
                    plain.insert(dispatch.entry, run.compile_plain()?);
                }
            }
        }
        let mut bare = UnwatchedOutcome::default();
        for (index, dispatch) in launch.dispatches.iter().enumerate() {
            let ready = match &ordered {
                Some((of, ready)) if *of == index => Some(ready),
                _ => plain.get(&dispatch.entry),
            };
            let Some(ready) = ready else { continue };
            memory.write_before(device, launch, index)?;
            match on_device(dispatch).run_ready(ready, &memory, stop) {
                Ok(Some(waits)) if ready.order.is_some() => bare.waits = waits,
                Ok(Some(_)) => {}
                Ok(None) => return Ok(None),
                Err(error) => return Ok(Some(UnwatchedOutcome { failure: Some(error), ..bare })),
            }
        }
        match memory.download(device, program, launch) {
            Ok(resources) => bare.resources = resources,
            Err(error) => bare.failure = Some(error),
        }
        Ok(Some(bare))
    }
}

impl DeviceDispatch<'_> {
    fn has_workgroup(&self, id: u32) -> bool {
        u64::from(id) < self.workgroups()
    }

    /// Compiles the unmodified entry point.
    pub(super) fn compile_plain(&self) -> Result<CompiledDispatch> {
        self.compile_derived(self.only_entry()?)
    }

    /// Returns the unmodified entry point as a module of its own.
    pub(super) fn only_entry(&self) -> Result<DerivedModule> {
        let entries = [self.dispatch.entry];
        self.program.derive(|original| Ok(rewrite::with_entries_only(original, &entries)))
    }

    /// Compiles the output of a pass that has no bindings of its own.
    pub(super) fn compile_derived(&self, derived: DerivedModule) -> Result<CompiledDispatch> {
        Ok(CompiledDispatch { pipeline: self.compile(&derived, &[])?, derived, order: None })
    }

    fn ordered(&self, first: FirstWorkgroup) -> Result<CompiledDispatch> {
        self.check_room(first)?;
        let FirstWorkgroup { target, means, polls, .. } = first;
        let made = target_first(self.program, &[self.dispatch.entry], means)?;
        let pipeline = self.compile(&made.derived, &[])?;
        let words = words(target, polls.min(self.polls()));
        let buffer = self.device.buffer("target workgroup", bytemuck::cast_slice(&words), USAGE);
        let buffer = buffer.map_err(failed_to("create the buffer of the target workgroup"))?;
        Ok(CompiledDispatch {
            derived: made.derived,
            pipeline,
            order: Some((buffer, made.binding)),
        })
    }

    /// Returns how often a workgroup may poll before its own loops run. If loop iterations are limited, most are left to the
    /// kernel.
    fn polls(&self) -> u32 {
        let iterations = self.device.about().max_loop_iterations();
        iterations.map_or(u32::MAX, |iterations| iterations / POLL_DIVISOR * POLLS_PER_ITERATION)
    }

    /// Returns an error if the entry point already uses all resources that the pass needs.
    fn check_room(&self, first: FirstWorkgroup) -> Result<()> {
        let needs = Needs { device: self.device, program: self.program };
        let what = if self.free_bindings() == 0 {
            "storage buffers"
        } else if first.means.remaps() && !needs.has_room_for_a_word(self.dispatch) {
            "workgroup memory"
        } else {
            return Ok(());
        };
        let error = could_not_run(format!(
            "`{}` uses all {what} of the device, and running one workgroup first needs some",
            self.name()
        ));
        Err(Box::new(error.help("try orders of workgroups without --device")))
    }

    /// Runs a compiled dispatch on `memory` once. Returns `None` if `stop` was set before it was done.
    fn run_ready(
        &self,
        ready: &CompiledDispatch,
        memory: &UploadedResources,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<WaitCounts>> {
        let _span = self.span().entered();
        let CompiledDispatch { derived, pipeline, order } = ready;
        let own = |variable: &GlobalVariable| {
            let (buffer, binding) = order.as_ref()?;
            (variable.binding == Some(*binding)).then_some(buffer)
        };
        if !self.submit_with(pipeline, derived, &own, memory, stop)? {
            return Ok(None);
        }
        let Some((buffer, _)) = order else { return Ok(Some(WaitCounts::default())) };
        let left = self.device.read_words(buffer, 0..buffer.size() / 4);
        let left = left.map_err(failed_to(READ_BACK))?;
        Ok(Some(read(&left)))
    }
}
