//! A device without a driver: compute runs on hirace's embedded executor and is checked at the same time.
//!
//! Everything else is handled by wgpu's no-op back end, which maps and copies buffers normally. Limits, features and
//! errors are therefore those that wgpu itself reports. The recorded commands are split at each dispatch
//! ([`Dispatch::part`]): the bindings of the dispatch are copied, the rest waits for the executor, and the final
//! contents of buffers are written back.
//!
//! Textures are not supported: creating one is a validation error. Sampling and rendering are therefore not possible.

use super::bindings::{is_written, BufferCopy};
use super::capture::PlannedCapture;
use super::checker::{CapturedLaunch, CheckResult, Checker, RequestedResults};
use super::kernel::Kernel;
use super::ledger::Ledger;
use super::mutant::{self, DeviceSupport};
use super::not_watched::NotWatchedReason;
use super::settings::Mode;
use crate::hooks::{CreatedPipeline, Dispatch, Hooks, PipelineRequest, Record, Step, Watcher};
use hirace_core::vm::memory::Resource;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use wgpu::{BufferUsages, Features, Limits, TextureUsages};

/// The subgroup size.
const SUBGROUP: u32 = 32;

/// The maximum size of a buffer in bytes.
const MAX_BUFFER_BYTES: u64 = 1 << 28;

/// The hooks of an instance with the embedded device.
#[derive(Debug)]
pub(crate) struct EmbeddedHooks {
    ledger: Arc<Ledger>,
}

/// Creates the inner instance.
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

/// Returns the features that kernels may use.
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
        max_buffer_size: MAX_BUFFER_BYTES,
        max_storage_buffer_binding_size: MAX_BUFFER_BYTES,
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

impl EmbeddedHooks {
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self { ledger }
    }
}

impl Hooks for EmbeddedHooks {
    fn info(&self, info: wgpu::AdapterInfo) -> wgpu::AdapterInfo {
        called(info)
    }

    fn device(
        &self,
        device: &wgpu::Device,
        _queue: &wgpu::Queue,
        _asked: &wgpu::DeviceDescriptor<'_>,
    ) -> Option<Arc<dyn Watcher>> {
        let ledger = Arc::clone(&self.ledger);
        Some(Arc::new(EmbeddedDevice {
            checker: Checker::embedded(&ledger, SUBGROUP),
            support: DeviceSupport::of(device),
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

/// The watcher that runs the dispatches of an embedded device.
struct EmbeddedDevice {
    ledger: Arc<Ledger>,
    checker: Checker,
    support: DeviceSupport,
    /// The number of recorded dispatches.
    dispatches: AtomicU64,
}

impl fmt::Debug for EmbeddedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedDevice").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

/// A dispatch to run, and whether to report its findings; or the kernel and the reason why it cannot run.
type ToRun = Result<(PlannedCapture, bool), (String, NotWatchedReason)>;

impl EmbeddedDevice {
    fn planned(&self, dispatch: &Dispatch<'_>, kernel: &Arc<Kernel>) -> ToRun {
        let number = self.dispatches.fetch_add(1, Ordering::Relaxed) + 1;
        let settings = &self.ledger.settings;
        let says = kernel.is_wanted(settings) && settings.mode != Mode::Off;
        let planned = PlannedCapture::of(dispatch, kernel, &self.ledger.shaders, number);
        planned.map(|planned| (planned, says)).map_err(|why| (kernel.name(), why))
    }

    /// Runs a dispatch and writes its results back.
    fn run(
        &self,
        planned: PlannedCapture,
        says: bool,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
    ) -> Result<(), NotWatchedReason> {
        let capture = planned.now(device, queue)?;
        let copied = capture.copied()?;
        let workgroups = copied.workgroups;
        if workgroups.contains(&0) {
            self.ledger.count(|counts| counts.empty += 1);
            return Ok(());
        }
        let memory = copied.memory()?;
        drop(copied);
        let planned = &capture.plan;
        let launch =
            CapturedLaunch { read: &planned.read, host: &planned.host, workgroups, memory };
        let CheckResult { launches, ended, memory } =
            self.checker.check(launch, RequestedResults { keeps: true, says })?;
        let module = &planned.read.program.module;
        for (handle, BufferCopy { of, offset, .. }) in planned.buffers().filter(|_| ended) {
            let left = memory
                .as_ref()
                .and_then(|memory| memory.resources.by_global.get(handle.index())?.as_ref());
            if let (true, Some(Resource::Buffer(left))) = (is_written(module, handle), left) {
                queue.write_buffer(of, *offset, &left.bytes());
            }
        }
        if !says {
            self.ledger.count(|counts| counts.passed_over += 1);
        }
        // Last, because it may panic.
        launches.into_iter().for_each(|launch| self.ledger.checked(launch));
        match ended {
            true => Ok(()),
            false => Err(NotWatchedReason::NotEnded),
        }
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
        Err("hirace's embedded device does not support textures".to_owned())
    }

    fn wgsl(&self, text: &str) -> Option<String> {
        mutant::replacement_for(text, &self.ledger, &self.support)
    }

    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<CreatedPipeline> {
        Some(Kernel::pipeline(request))
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, _records: &mut Vec<Record>) {
        self.ledger.count(|counts| counts.dispatches += 1);
        let pipeline = Arc::clone(dispatch.pipeline());
        let kernel = pipeline.state::<Arc<Kernel>>().expect("each pipeline was given one");
        let to_run = self.planned(dispatch, kernel);
        // The inner dispatch does nothing, but lets wgpu validate the bindings. The pass may be a new one, so its state
        // is set again.
        dispatch.put_back();
        dispatch.record();
        if let Err(why) = dispatch.split(Box::new(to_run)) {
            // The embedded device has no queries, which are the reason why a pass cannot be split.
            self.ledger.not_watched(kernel.name(), &NotWatchedReason::Pass(why));
        }
    }

    fn between(&self, step: Step<'_>) -> Result<(), String> {
        let Ok(to_run) = step.record.downcast::<ToRun>() else { return Ok(()) };
        let ran = to_run.and_then(|(planned, says)| {
            let kernel = planned.kernel.name();
            self.run(planned, says, step.device, step.queue).map_err(|why| (kernel, why))
        });
        ran.map_err(|(kernel, why)| {
            self.ledger.not_watched(kernel.clone(), &why);
            format!("the embedded device cannot run {kernel}: {why}")
        })
    }
}
