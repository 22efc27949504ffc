//! Who watches one device: has dispatches captured as they are recorded, and checked once they are submitted.

use super::budget::Budget;
use super::capture::Capture;
use super::checker::{Checker, Launched};
use super::kernel::Kernel;
use super::ledger::Ledger;
use super::mutant;
use super::not_watched::NotWatched;
use crate::hooks::{
    Dispatch, MadePipeline, PipelineRequest, Record, Submission, Unwatched, Watcher, Workgroups,
};
use hirace_core::facts::HostDispatch;
use hirace_core::mutated::Mutated;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use wgpu::{BufferUsages, TextureUsages};

/// See the [module](self).
pub(crate) struct DeviceWatcher {
    ledger: Arc<Ledger>,
    budget: Arc<Budget>,
    info: wgpu::AdapterInfo,
    checker: OnceLock<Checker>,
    /// Dispatches that were recorded.
    dispatches: AtomicU64,
}

impl fmt::Debug for DeviceWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceWatcher").field("device", &self.info.name).finish_non_exhaustive()
    }
}

impl DeviceWatcher {
    pub(crate) fn new(ledger: Arc<Ledger>, info: wgpu::AdapterInfo) -> Self {
        let budget = Budget::new(ledger.settings.budget);
        let dispatches = AtomicU64::new(0);
        Self { ledger, budget, info, checker: OnceLock::new(), dispatches }
    }

    /// Checks what was captured, once the copies are mapped.
    fn check(&self, capture: Capture) -> Result<(), NotWatched> {
        let copied = capture.copied()?;
        let workgroups = copied.workgroups;
        if workgroups.contains(&0) {
            self.ledger.count(|counts| counts.empty += 1);
            return Ok(());
        }
        if !capture.kernel.is_new(copied.digest()) {
            self.ledger.count(|counts| counts.alike += 1);
            return Ok(());
        }
        let memory = copied.memory()?;
        drop(copied);
        let launch = Launched { read: &capture.read, host: &capture.host, workgroups, memory };
        // Whether it is steady, which mutants are asked for, is told by memory.
        let keeps = Mutated::of_process().is_some();
        let checker = self.checker.get_or_init(|| Checker::on_device(&self.ledger, &self.info));
        checker.check(launch, keeps).map(drop)
    }

    fn is_wanted(&self, kernel: &Kernel) -> bool {
        let settings = &self.ledger.settings;
        let before = kernel.count();
        let meant = (settings.only.is_empty() || kernel.is_among(&settings.only))
            && !kernel.is_among(&settings.ignore);
        meant && before.is_multiple_of(settings.every)
    }

    /// Captures a dispatch. `None`, if it is not wanted or cannot be.
    fn capture(&self, dispatch: &mut Dispatch<'_>) -> Option<Capture> {
        let number = self.dispatches.fetch_add(1, Ordering::Relaxed) + 1;
        self.ledger.count(|counts| counts.dispatches += 1);
        let pipeline = Arc::clone(dispatch.pipeline());
        let kernel = Arc::clone(pipeline.state::<Arc<Kernel>>()?);
        if matches!(dispatch.workgroups(), Workgroups::Direct(count) if count.contains(&0)) {
            self.ledger.count(|counts| counts.empty += 1);
            return None;
        }
        if !self.is_wanted(&kernel) {
            self.ledger.count(|counts| counts.passed_over += 1);
            return None;
        }
        let host = HostDispatch {
            pipeline: kernel.label.clone(),
            pass: dispatch.pass_label().filter(|label| !label.is_empty()).map(str::to_owned),
            number,
        };
        let captured = kernel
            .read(&self.ledger.shaders)
            .and_then(|read| Capture::record(dispatch, &kernel, read, host, &self.budget));
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
        Ok(match usage.intersects(bound) {
            true => usage | TextureUsages::COPY_SRC,
            false => usage,
        })
    }

    fn wgsl(&self, text: &str) -> Option<String> {
        mutant::instead_of(text, &self.ledger)
    }

    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<MadePipeline> {
        let kernel = Arc::new(Kernel::new(request));
        let pipeline = request.make();
        Some(MadePipeline { pipeline, layouts_of: None, state: Some(Arc::new(kernel)) })
    }

    fn unwatched(&self, what: Unwatched<'_>) {
        self.ledger.passed(match what {
            Unwatched::RenderPipeline { .. } => "render pipeline",
            Unwatched::MeshPipeline { .. } => "mesh pipeline",
        });
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
        self.ledger.copies_took(self.budget.peak());
        let told: Vec<_> = captures.iter().map(Capture::map).collect();
        let index = Some(submission.index.clone());
        let wait = wgpu::PollType::Wait { submission_index: index, timeout: None };
        let waited = submission.device.poll(wait);
        for (capture, told) in captures.into_iter().zip(told) {
            let kernel = capture.kernel.name();
            let checked = match (&waited, told.try_recv()) {
                (Ok(_), Ok(Ok(()))) => self.check(capture),
                (Err(error), _) => Err(NotWatched::NotRead(error.to_string())),
                (_, Ok(Err(error))) => Err(NotWatched::NotRead(error.to_string())),
                (_, Err(error)) => Err(NotWatched::NotRead(error.to_string())),
            };
            if let Err(why) = checked {
                self.ledger.not_watched(kernel, &why);
            }
        }
    }

    fn closing(&self) {
        self.ledger.sum_up();
    }
}
