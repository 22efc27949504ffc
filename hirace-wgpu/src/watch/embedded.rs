//! A device that needs no driver: compute runs on hirace's embedded executor, and is checked as it runs.
//!
//! All else is wgpu's own back end that does nothing but keep buffers, mapped and copied as everywhere; so limits,
//! features and errors are those that wgpu itself finds. What is recorded is parted at each dispatch
//! ([`Dispatch::part`]): what a dispatch has bound is copied, the rest waits for the executor, and what that leaves in
//! buffers is written back.
//!
//! There are no textures: to make one is a validation error. So samplers have nothing to sample, and nothing is rendered.

use super::bindings::{is_written, Piece};
use super::capture::Planned;
use super::checker::{Asked, Checker, Done, Launched};
use super::kernel::Kernel;
use super::ledger::Ledger;
use super::mutant;
use super::not_watched::NotWatched;
use super::settings::Mode;
use crate::hooks::{Dispatch, Hooks, MadePipeline, PipelineRequest, Record, Step, Watcher};
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
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self { ledger }
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
        Some(Arc::new(EmbeddedDevice {
            checker: Checker::embedded(&ledger, SUBGROUP),
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
    /// Dispatches that were recorded.
    dispatches: AtomicU64,
}

impl fmt::Debug for EmbeddedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedDevice").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

/// A dispatch to be run, and whether it is to be said what is found; or why it cannot be.
type ToRun = Result<(Planned, bool), (String, NotWatched)>;

impl EmbeddedDevice {
    fn planned(&self, dispatch: &Dispatch<'_>, kernel: &Arc<Kernel>) -> ToRun {
        let number = self.dispatches.fetch_add(1, Ordering::Relaxed) + 1;
        let settings = &self.ledger.settings;
        let says = kernel.is_wanted(settings) && settings.mode != Mode::Off;
        let planned = Planned::of(dispatch, kernel, &self.ledger.shaders, number);
        planned.map(|planned| (planned, says)).map_err(|why| (kernel.name(), why))
    }

    /// Runs it, and writes back what it leaves.
    fn run(
        &self,
        planned: Planned,
        says: bool,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
    ) -> Result<(), NotWatched> {
        let capture = planned.now(device, queue)?;
        let copied = capture.copied()?;
        let workgroups = copied.workgroups;
        if workgroups.contains(&0) {
            self.ledger.count(|counts| counts.empty += 1);
            return Ok(());
        }
        let memory = copied.memory()?;
        drop(copied);
        let planned = &capture.planned;
        let launch = Launched { read: &planned.read, host: &planned.host, workgroups, memory };
        let Done { launches, ended, memory } =
            self.checker.check(launch, Asked { keeps: true, says })?;
        let module = &planned.read.program.module;
        for (handle, Piece { of, offset, .. }) in planned.buffers().filter(|_| ended) {
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
        // Last, since it may end the program.
        launches.into_iter().for_each(|launch| self.ledger.checked(launch));
        match ended {
            true => Ok(()),
            false => Err(NotWatched::NotEnded),
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
        Err("hirace's embedded device has no textures".to_owned())
    }

    fn wgsl(&self, text: &str) -> Option<String> {
        mutant::instead_of(text, &self.ledger)
    }

    fn compute_pipeline(&self, request: &PipelineRequest<'_>) -> Option<MadePipeline> {
        Some(Kernel::pipeline(request))
    }

    fn dispatch(&self, dispatch: &mut Dispatch<'_>, _records: &mut Vec<Record>) {
        self.ledger.count(|counts| counts.dispatches += 1);
        let pipeline = Arc::clone(dispatch.pipeline());
        let kernel = pipeline.state::<Arc<Kernel>>().expect("each pipeline was given one");
        let to_run = self.planned(dispatch, kernel);
        // It does nothing, and has wgpu look at what is bound; the pass may be another than the one it was bound in.
        dispatch.put_back();
        dispatch.record();
        if let Err(why) = dispatch.part(Box::new(to_run)) {
            // Nothing here has queries, for which passes have to stay whole.
            self.ledger.not_watched(kernel.name(), &NotWatched::Pass(why));
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
