//! Devices driven by wgpu.

use super::setup::binding;
use super::{Failure, Iteration, Setup, Target, TargetInfo, Words};
use hirace_gpu::wgpu::{Buffer, BufferUsages, ComputePipeline, Features};
use hirace_gpu::{
    Adapter, Binding, Bindings, Error, Job, OpenDevice, Shader, Source, TIME_LIMIT, WaitLimit,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The maximum number of bytes that one job writes. More dispatches are split into several jobs.
const MAX_WRITTEN: u64 = 16 << 20;

/// A device that tests run on. A lost device is reopened for the next test.
#[derive(Debug)]
pub struct Device {
    service: hirace_gpu::Device,
    limit: Duration,
}

/// Repeats a dispatch until it fails or is stopped, at most `count` times. Passes the result of each one to `each`, with the time
/// in seconds.
pub(crate) fn repeat_dispatch<T>(
    count: u32,
    stop: &AtomicBool,
    dispatch: impl Fn() -> Result<T, Failure>,
    mut each: impl FnMut(Result<(T, f64), String>),
) {
    for _ in 0..count {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let began = Instant::now();
        match dispatch() {
            Ok(result) => each(Ok((result, began.elapsed().as_secs_f64()))),
            Err(Failure::Stopped) => break,
            Err(failure) => {
                each(Err(failure.to_string()));
                break;
            }
        }
    }
}

/// A test in an environment, compiled and bound.
#[derive(Debug)]
pub struct Ready {
    test: Dispatch,
    count: Dispatch,
    buffers: Buffers,
    counting_workgroups: u32,
    instances: u64,
}

#[derive(Debug)]
struct Dispatch {
    pipeline: ComputePipeline,
    bindings: Bindings,
}

/// The buffers, by binding number.
#[derive(Debug)]
struct Buffers([Buffer; 8]);

impl Device {
    /// Opens the device that `choice` selects: its number, or a part of its name.
    ///
    /// # Errors
    /// There is no such device, or it cannot be used.
    pub fn open(choice: &str) -> hirace_gpu::Result<Self> {
        Self::of(&hirace_gpu::choose(choice)?)
    }

    /// Opens a device with the limits of the adapter.
    ///
    /// # Errors
    /// The device cannot be used.
    pub fn of(adapter: &Adapter) -> hirace_gpu::Result<Self> {
        let service = hirace_gpu::Device::open(adapter, Features::empty(), adapter.limits())?;
        Ok(Self { service, limit: TIME_LIMIT })
    }

    /// Returns the device service.
    pub fn service(&self) -> &hirace_gpu::Device {
        &self.service
    }

    /// Runs one dispatch of the entry point `main` on zeroed buffers, which have the bindings 0 to N of group 0. Each has a label
    /// and a number of words. Returns their words afterwards. The service caches the compiled shader.
    ///
    /// # Errors
    /// The shader is rejected, or the dispatch fails, does not terminate in time, or is stopped.
    pub(crate) fn run_on_zeros(
        &self,
        text: &str,
        buffers: &[(&str, u64)],
        workgroups: u32,
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<u32>>, Failure> {
        self.service.hold(|opened| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
            let buffers = buffers
                .iter()
                .map(|(label, words)| opened.zeros(label, words * 4, usage))
                .collect::<Result<Vec<_>, Error>>()?;
            let source = Source::Wgsl(text);
            let shader = Shader { source, entry: "main", constants: &[], layout: None };
            let pipeline = opened.compile(&shader)?;
            let bound = (0..).zip(&buffers).map(|(binding, buffer)| Binding {
                group: 0,
                binding,
                resource: buffer.as_entire_binding(),
            });
            let bindings = opened.bind(&pipeline, bound)?;
            let job = Job::new().dispatch(&pipeline, &bindings, [workgroups, 1, 1]);
            opened.run(&job, WaitLimit { limit: self.limit, stop: Some(stop) })?;
            let read = buffers.iter().map(|buffer| opened.read_words(buffer, 0..buffer.size() / 4));
            Ok(read.collect::<Result<_, Error>>()?)
        })
    }

    fn job(
        &self,
        ready: &Ready,
        iterations: &[Iteration],
        stop: &AtomicBool,
    ) -> Result<Vec<u32>, Error> {
        let of = |binding| ready.buffers.at(binding);
        let mut job = Job::new().clear(of(binding::COUNTERS));
        for iteration in iterations {
            job = job
                .write(of(binding::UNIFORM), 0, &bytes(&iteration.uniform))
                .write(of(binding::SHUFFLED), 0, &bytes(&iteration.shuffled_ids))
                .write(of(binding::TARGETS), 0, &bytes(&iteration.targets))
                .clear(of(binding::LOCATIONS))
                .clear(of(binding::RESULTS))
                .clear(of(binding::ARRIVED))
                .dispatch(&ready.test.pipeline, &ready.test.bindings, [iteration.workgroups, 1, 1])
                .dispatch(
                    &ready.count.pipeline,
                    &ready.count.bindings,
                    [ready.counting_workgroups, 1, 1],
                );
        }
        let counters = of(binding::COUNTERS);
        self.service.hold(|opened| {
            opened.run(&job, WaitLimit { limit: self.limit, stop: Some(stop) })?;
            opened.read_words(counters, 0..counters.size() / 4)
        })
    }
}

impl Target for Device {
    type Ready = Ready;

    fn about(&self) -> TargetInfo {
        let (about, limits) = (self.service.about(), self.service.limits());
        let words = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
        TargetInfo {
            name: about.name().to_owned(),
            vendor: about.vendor().to_owned(),
            driver: about.driver(),
            max_workgroups: limits.max_compute_workgroups_per_dimension,
            max_workgroup_size: limits
                .max_compute_invocations_per_workgroup
                .min(limits.max_compute_workgroup_size_x),
            max_words: words,
        }
    }

    fn ready(&mut self, setup: &Setup<'_>) -> Result<Ready, Failure> {
        self.service.hold(|opened| {
            let buffers = Buffers::new(opened, &setup.words())?;
            let bindings = setup.bindings();
            Ok(Ready {
                test: buffers.dispatch(opened, &setup.shaders.test, &bindings.test)?,
                count: buffers.dispatch(opened, &setup.shaders.count, &bindings.count)?,
                buffers,
                counting_workgroups: setup.counting_workgroups(),
                instances: setup.instances(),
            })
        })
    }

    fn iterate(
        &mut self,
        ready: &mut Ready,
        iteration: &Iteration,
        counts: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        self.iterate_all(ready, std::slice::from_ref(iteration), counts, stop)
    }

    fn iterate_all(
        &mut self,
        ready: &mut Ready,
        iterations: &[Iteration],
        counts: &mut [u64],
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let written = [binding::SHUFFLED, binding::TARGETS, binding::UNIFORM];
        let written = written.map(|at| ready.buffers.at(at).size()).iter().sum::<u64>();
        // A counter must not overflow a word.
        let most = (MAX_WRITTEN / written).min(u64::from(u32::MAX) / ready.instances).max(1);
        for some in iterations.chunks(most as usize) {
            let counted = self.job(ready, some, stop)?;
            for (all, new) in counts.iter_mut().zip(counted) {
                *all += u64::from(new);
            }
        }
        Ok(())
    }
}

impl Buffers {
    fn new(opened: &OpenDevice, words: &Words) -> Result<Self, Error> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let of = |label, words: u64| opened.zeros(label, words * 4, storage);
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        Ok(Self([
            of("locations", words.locations)?,
            of("results", words.results)?,
            of("shuffled", words.workgroups)?,
            of("arrived", 1)?,
            of("scratchpad", words.scratchpad)?,
            of("targets", words.workgroups)?,
            opened.zeros("uniform", 48, uniform)?,
            of("counters", words.counters)?,
        ]))
    }

    fn at(&self, binding: u32) -> &Buffer {
        &self.0[binding as usize]
    }

    fn dispatch(&self, opened: &OpenDevice, text: &str, used: &[u32]) -> Result<Dispatch, Error> {
        let source = Source::Wgsl(text);
        let shader = Shader { source, entry: "main", constants: &[], layout: None };
        let pipeline = opened.compile(&shader)?;
        let bound = used.iter().map(|&binding| Binding {
            group: 0,
            binding,
            resource: self.at(binding).as_entire_binding(),
        });
        let bindings = opened.bind(&pipeline, bound)?;
        Ok(Dispatch { pipeline, bindings })
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Converts errors of devices into the failures that campaigns distinguish.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Stopped => Self::Stopped,
            Error::TimedOut { limit } => Self::Hangs(limit.as_secs()),
            Error::Wgsl { .. }
            | Error::Invalid { .. }
            | Error::TooLarge(_)
            | Error::Panicked { .. } => Self::Rejected(error.to_string()),
            Error::Lost { reason } => Self::Lost(reason),
            error => Self::Lost(error.to_string()),
        }
    }
}
