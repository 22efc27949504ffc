//! A device that needs no driver: compute runs on hirace's embedded executor, and is checked as it runs.
//!
//! All else is wgpu's own back end that does nothing but keep buffers, mapped and copied as everywhere; so limits,
//! features and errors are those that wgpu itself finds. What is recorded is parted at each dispatch
//! ([`Dispatch::part`]): what a dispatch has bound is copied, the rest waits for the executor, and what that leaves in
//! buffers is written back.
//!
//! There are no textures: to make one is a validation error. So samplers have nothing to sample, and nothing is rendered.

use super::bindings::is_written;
use super::budget::Budget;
use super::capture::Capture;
use super::checker::{Checker, Launched};
use super::kernel::Kernel;
use super::ledger::Ledger;
use super::mutant;
use super::not_watched::NotWatched;
use super::settings::{Mode, Settings};
use crate::hooks::{Dispatch, Hooks, MadePipeline, PipelineRequest, Record, Step, Watcher};
use hirace_core::facts::HostDispatch;
use hirace_core::vm::memory::Resource;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use wgpu::{BufferUsages, Features, Limits, TextureUsages};

/// Lanes of a subgroup.
const SUBGROUP: u32 = 32;

/// The most bytes of a buffer.
const MOST_BYTES: u64 = 1 << 28;

/// The instance's hooks.
#[derive(Debug)]
pub(crate) struct Embedded {
    ledger: Arc<Ledger>,
}

/// The inner instance.
pub(crate) fn inner(mut descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    descriptor.backends = wgpu::Backends::NOOP;
    descriptor.backend_options.noop = wgpu::NoopBackendOptions {
        enable: true,
        features: Some(features()),
        limits: Some(limits()),
        device_type: Some(wgpu::DeviceType::Cpu),
        subgroup_min_size: Some(SUBGROUP),
        subgroup_max_size: Some(SUBGROUP),
    };
    wgpu::Instance::new(descriptor)
}

/// What kernels may use.
fn features() -> Features {
    Features::IMMEDIATES
        | Features::SUBGROUP
        | Features::SUBGROUP_BARRIER
        | Features::SHADER_F16
        | Features::SHADER_INT64
        | Features::SHADER_INT64_ATOMIC_MIN_MAX
        | Features::SHADER_INT64_ATOMIC_ALL_OPS
}

fn limits() -> Limits {
    Limits {
        max_buffer_size: MOST_BYTES,
        max_storage_buffer_binding_size: MOST_BYTES,
        max_storage_buffers_per_shader_stage: 64,
        max_dynamic_storage_buffers_per_pipeline_layout: 16,
        max_dynamic_uniform_buffers_per_pipeline_layout: 16,
        max_bind_groups: 8,
        max_compute_workgroup_storage_size: 1 << 16,
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        max_compute_workgroup_size_y: 1024,
        max_compute_workgroup_size_z: 1024,
        max_immediate_size: 256,
        ..Limits::default()
    }
}

impl Embedded {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { ledger: Ledger::new(settings) }
    }
}

impl Hooks for Embedded {
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        called(info)
    }

    fn device(
        &self,
        _device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        let ledger = Arc::clone(&self.ledger);
        let watches = ledger.settings.mode != Mode::Off;
        Some(Arc::new(EmbeddedDevice {
            checker: Checker::embedded(&ledger, SUBGROUP, watches),
            budget: Budget::new(ledger.settings.budget),
            dispatches: AtomicU64::new(0),
            ledger,
        }))
    }
}

fn called(info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
    let (name, driver) = ("hirace embedded".to_owned(), "hirace".to_owned());
    let driver_info = env!("CARGO_PKG_VERSION").to_owned();
    wgpu::AdapterInfo { name, driver, driver_info, ..info }
}

/// What runs its dispatches.
struct EmbeddedDevice {
    ledger: Arc<Ledger>,
    checker: Checker,
    budget: Arc<Budget>,
    /// Dispatches that were recorded.
    dispatches: AtomicU64,
}

impl fmt::Debug for EmbeddedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedDevice").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

/// A dispatch to be run, or why it cannot be.
type ToRun = Result<Capture, (String, NotWatched)>;

impl EmbeddedDevice {
    fn capture(&self, dispatch: &mut Dispatch<'_>, kernel: &Arc<Kernel>) -> ToRun {
        let number = self.dispatches.fetch_add(1, Ordering::Relaxed) + 1;
        let host = HostDispatch {
            pipeline: kernel.label.clone(),
            pass: dispatch.pass_label().filter(|label| !label.is_empty()).map(str::to_owned),
            number,
        };
        kernel
            .read(&self.ledger.shaders)
            .and_then(|read| Capture::record(dispatch, kernel, read, host, &self.budget))
            .map_err(|why| (kernel.name(), why))
    }

    /// Runs what was captured, and writes back what it leaves.
    fn run(&self, capture: &Capture, queue: &wgpu::Queue) -> Result<(), NotWatched> {
        let copied = capture.copied()?;
        if copied.workgroups.contains(&0) {
            self.ledger.count(|counts| counts.empty += 1);
            return Ok(());
        }
        let launch = Launched {
            read: &capture.read,
            host: &capture.host,
            workgroups: copied.workgroups,
            memory: copied.memory()?,
        };
        let Some(memory) = self.checker.check(launch, true)? else { return Ok(()) };
        let module = &capture.read.program.module;
        for (handle, buffer, offset) in capture.buffers() {
            let left = memory.resources.by_global.get(handle.index()).and_then(Option::as_ref);
            if let (true, Some(Resource::Buffer(left))) = (is_written(module, handle), left) {
                queue.write_buffer(buffer, offset, &left.bytes());
            }
        }
        Ok(())
    }
}

impl Watcher for EmbeddedDevice {
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        called(info)
    }

    fn buffer_usage(&self, usage: BufferUsages) -> BufferUsages {
        let bound = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::INDIRECT;
        match usage.intersects(bound) {
            true => usage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            false => usage,
        }
    }

    fn texture_usage(&self, _: &wgpu::TextureDescriptor<'_>) -> Result<TextureUsages, String> {
        Err("hirace's embedded device has no textures".to_owned())
    }

    fn wgsl(&self, text: &str) -> Option<String> {
        mutant::instead_of(text, &self.ledger)
    }

    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<MadePipeline> {
        let kernel = Arc::new(Kernel::new(request));
        let pipeline = request.make();
        Some(MadePipeline { pipeline, layouts_of: None, state: Some(Arc::new(kernel)) })
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, _records: &mut Vec<Record>) {
        self.ledger.count(|counts| counts.dispatches += 1);
        let pipeline = Arc::clone(dispatch.pipeline());
        let kernel = pipeline.state::<Arc<Kernel>>().expect("each pipeline was given one");
        let to_run = self.capture(dispatch, kernel);
        // It does nothing, and has wgpu look at what is bound.
        dispatch.record();
        if let Err(why) = dispatch.part(Box::new(to_run)) {
            // Nothing here has queries, for which passes have to stay whole.
            self.ledger.not_watched(kernel.name(), &NotWatched::Pass(why));
        }
    }

    fn between(&self, step: Step<'_>) -> Result<(), String> {
        self.ledger.copies_took(self.budget.peak());
        let Ok(to_run) = step.record.downcast::<ToRun>() else { return Ok(()) };
        let ran = to_run.and_then(|capture| {
            let told = capture.map();
            let index = Some(step.index.clone());
            let wait = wgpu::PollType::Wait { submission_index: index, timeout: None };
            let unread = |why: String| (capture.kernel.name(), NotWatched::NotRead(why));
            step.device.poll(wait).map_err(|error| unread(error.to_string()))?;
            told.try_recv()
                .map_err(|error| unread(error.to_string()))?
                .map_err(|error| unread(error.to_string()))?;
            self.run(&capture, step.queue).map_err(|why| (capture.kernel.name(), why))
        });
        ran.map_err(|(kernel, why)| {
            self.ledger.not_watched(kernel.clone(), &why);
            format!("the embedded device cannot run {kernel}: {why}")
        })
    }

    fn closing(&self) {
        self.ledger.sum_up();
    }
}
