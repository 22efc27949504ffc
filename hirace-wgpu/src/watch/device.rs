//! The watcher of one device: captures dispatches as they are recorded, and checks them after they are submitted.

use super::budget::Budget;
use super::capture::{Capture, PlannedCapture};
use super::checker::{CapturedLaunch, Checker, RequestedResults};
use super::kernel::Kernel;
use super::ledger::Ledger;
use super::mutant::{self, DeviceSupport};
use super::not_watched::NotWatchedReason;
use crate::hooks::{
    CreatedPipeline, Dispatch, PipelineRequest, Record, Submission, UnwatchedPipeline, Watcher,
    Workgroups,
};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use wgpu::{BufferUsages, TextureUsages};

/// The watcher of one device. See the [module](self).
pub(crate) struct DeviceWatcher {
    ledger: Arc<Ledger>,
    budget: Arc<Budget>,
    info: wgpu::AdapterInfo,
    support: DeviceSupport,
    checker: OnceLock<Checker>,
    /// The number of recorded dispatches.
    dispatches: AtomicU64,
}

impl fmt::Debug for DeviceWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceWatcher").field("device", &self.info.name).finish_non_exhaustive()
    }
}

impl DeviceWatcher {
    pub(crate) fn new(ledger: Arc<Ledger>, device: &wgpu::Device) -> Self {
        let (info, support) = (device.adapter_info(), DeviceSupport::of(device));
        let budget = Budget::new(ledger.settings.budget);
        let dispatches = AtomicU64::new(0);
        ledger.note_device(None);
        Self { ledger, budget, info, support, checker: OnceLock::new(), dispatches }
    }

    /// Checks a captured dispatch, whose copies must be mapped.
    fn check(&self, capture: Capture) -> Result<(), NotWatchedReason> {
        let copied = capture.copied()?;
        let workgroups = copied.workgroups;
        if workgroups.contains(&0) {
            self.ledger.count(|counts| counts.empty += 1);
            return Ok(());
        }
        let PlannedCapture { kernel, read, host, .. } = &capture.plan;
        let digest = copied.digest();
        if kernel.is_known(digest) {
            self.ledger.count(|counts| counts.repeated += 1);
            return Ok(());
        }
        let memory = copied.memory()?;
        drop(copied);
        let launch = CapturedLaunch { read, host, workgroups, memory };
        // The final memory decides whether the launch is deterministic.
        let keeps = self.ledger.mutation.is_some();
        let checker = self.checker.get_or_init(|| Checker::on_device(&self.ledger, &self.info));
        let checked = checker.check(launch, RequestedResults { keeps, says: true })?;
        kernel.record_checked(digest);
        // Last, because it may panic.
        checked.launches.into_iter().for_each(|launch| self.ledger.checked(launch));
        Ok(())
    }

    /// Captures a dispatch. Returns `None` if it is excluded or cannot be captured.
    fn capture(&self, dispatch: &mut Dispatch<'_>) -> Option<Capture> {
        let number = self.dispatches.fetch_add(1, Ordering::Relaxed) + 1;
        self.ledger.count(|counts| counts.dispatches += 1);
        let pipeline = Arc::clone(dispatch.pipeline());
        let kernel = pipeline.state::<Arc<Kernel>>()?;
        if matches!(dispatch.workgroups(), Workgroups::Direct(count) if count.contains(&0)) {
            self.ledger.count(|counts| counts.empty += 1);
            return None;
        }
        if !kernel.is_wanted(&self.ledger.settings) {
            self.ledger.count(|counts| counts.passed_over += 1);
            return None;
        }
        let captured = PlannedCapture::of(dispatch, kernel, &self.ledger.shaders, number);
        let captured = captured.and_then(|planned| planned.record_copies(dispatch, &self.budget));
        captured.map_err(|why| self.ledger.not_watched(kernel.name(), &why)).ok()
    }
}

impl Watcher for DeviceWatcher {
    fn buffer_usage(&self, usage: BufferUsages) -> BufferUsages {
        let bound = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::INDIRECT;
        match usage.intersects(bound) {
            true => usage | BufferUsages::COPY_SRC,
            false => usage,
        }
    }

    fn texture_usage(
        &self,
        texture: &wgpu::TextureDescriptor<'_>,
    ) -> Result<TextureUsages, String> {
        let usage = texture.usage;
        let bound = TextureUsages::TEXTURE_BINDING | TextureUsages::STORAGE_BINDING;
        let has_planes = texture.format.is_multi_planar_format();
        self.ledger.note_device(Some("textures"));
        Ok(match usage.intersects(bound) && !has_planes {
            true => usage | TextureUsages::COPY_SRC,
            false => usage,
        })
    }

    fn wgsl(&self, text: &str) -> Option<String> {
        mutant::replacement_for(text, &self.ledger, &self.support)
    }

    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        Some(Kernel::pipeline(request))
    }

    fn unwatched(&self, what: UnwatchedPipeline<'_>) {
        let what = match what {
            UnwatchedPipeline::RenderPipeline { .. } => "render pipeline",
            UnwatchedPipeline::MeshPipeline { .. } => "mesh pipeline",
        };
        self.ledger.note_device(Some(what));
        self.ledger.count_unwatched_object(what);
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, records: &mut Vec<Record>) {
        if let Some(capture) = self.capture(dispatch) {
            records.push(Box::new(capture));
        }
        dispatch.record();
    }

    fn submitted(&self, submission: Submission<'_>) {
        let captures = submission.records.into_iter();
        let captures: Vec<Capture> =
            captures.filter_map(|record| record.downcast().ok()).map(|boxed| *boxed).collect();
        if captures.is_empty() {
            return;
        }
        self.ledger.note_copy_bytes(self.budget.peak());
        let mapped: Vec<_> = captures.iter().map(Capture::map).collect();
        for (capture, mapped) in captures.into_iter().zip(mapped) {
            let kernel = capture.plan.kernel.name();
            let there = capture.wait(submission.device, submission.index.clone(), &mapped);
            if let Err(why) = there.and_then(|()| self.check(capture)) {
                self.ledger.not_watched(kernel, &why);
            }
        }
    }
}
