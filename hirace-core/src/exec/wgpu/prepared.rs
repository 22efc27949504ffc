//! An instrumented dispatch that is ready to run: it is compiled and bound, and its shadow is read back.

use super::dispatch::DeviceDispatch;
use super::dispatch_cache::InstrumentedDispatch;
use super::failure::{READ_BACK, failed_to, lost_while_compiling};
use super::memory::{Bound, Uploaded};
use super::needs::Needs;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::sliced::SliceDecision;
use crate::pass::monitor::monitor;
use crate::program::Derived;
use crate::shadow::fit::fit;
use crate::shadow::layout::{Layout, Limits};
use crate::shadow::plan::{Options, Purpose, WatchedMemory};
use crate::shadow::{log, tally, trail};
use crate::vm::memory::{self, Resource};
use crate::vm::observer::MemoryId;
use crate::watch::WatchPlan;
use hirace_gpu::wgpu::{BindingResource, Buffer, BufferUsages, ComputePipeline};
use hirace_gpu::{Binding, Bindings, Content, Error, Job, Shader, Source, TIME_LIMIT, WaitLimit};
use naga::GlobalVariable;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The usage of the buffers of a pass.
pub const USAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// An instrumented dispatch that is ready to run.
pub struct PreparedDispatch {
    pub made: Arc<InstrumentedDispatch>,
    pub shadow: Vec<Buffer>,
    table: Option<Buffer>,
}

impl DeviceDispatch<'_> {
    /// Instruments the dispatch for `purpose`, except for what `sliced` decides, and creates its buffers. At most `slots`
    /// workgroups have shadow for their workgroup memory. `None`: as many as there is room for.
    pub fn ready(
        &self,
        purpose: Purpose,
        sliced: Option<&SliceDecision>,
        slots: Option<u32>,
    ) -> Result<PreparedDispatch> {
        let make = || {
            if purpose == Purpose::Detect {
                Needs { device: self.device, program: self.program }
                    .check_dispatch(self.dispatch)?;
            }
            let options = Options { purpose, ..self.options()? };
            let limits = self.limits();
            let limits = Limits { slots: slots.unwrap_or(limits.slots), ..limits };
            let watched = match purpose {
                Purpose::Record => self.watched_to_record(),
                Purpose::Detect => self.watched(sliced),
            };
            self.make(watched, &options, limits)
        };
        let shape = || self.known_by(&format!("{purpose:?} {slots:?}"));
        self.with_memory(self.kept.get_or_create(self.program, shape, make)?)
    }

    /// Returns the key of everything on which the instrumented dispatch depends, except the program.
    fn known_by(&self, purpose: &str) -> String {
        let Self { launch, dispatch, watch, width, late, .. } = self;
        let length = |resource: &Option<Resource>| match resource {
            Some(Resource::Buffer(buffer)) => format!("{}", buffer.len()),
            Some(Resource::Texture(texture)) => format!("{:?}", texture.size),
            Some(Resource::Sampler(_)) | None => String::new(),
        };
        let lengths: Vec<String> = launch.resources.by_global.iter().map(length).collect();
        let steps = launch.limits.steps;
        let lengths = lengths.join(",");
        // Proofs depend on what does not change during a launch.
        let known = self.known();
        let constants = known.constants().map(|global| {
            let buffer = launch.resources.buffer(MemoryId(global.index() as u32));
            buffer.map(memory::Buffer::snapshot)
        });
        let constants: Vec<_> = constants.collect();
        format!("{purpose} {dispatch:?} {watch:?} {width:?} {late} {steps} {lengths} {constants:?}")
    }

    /// Compiles the module that watches `watch` with these `options`, and creates its buffers.
    pub fn prepare(
        &self,
        watch: WatchPlan,
        options: &Options,
        limits: Limits,
    ) -> Result<PreparedDispatch> {
        self.with_memory(Arc::new(self.make(watch, options, limits)?))
    }

    fn make(
        &self,
        watched: WatchPlan,
        options: &Options,
        limits: Limits,
    ) -> Result<InstrumentedDispatch> {
        let shape = self.shape();
        let bytes = |watched: &WatchedMemory| self.bytes(watched);
        let options = fit(options.clone(), self.program, &watched, shape, bytes, limits);
        let monitored = monitor(self.program, &watched, &options)?;
        let plan = &monitored.plan;
        let layout = Layout::new(plan, shape, bytes, limits);
        let constants: Vec<(&str, f64)> = layout
            .overrides
            .iter()
            .map(|(name, value)| (name.as_ref(), f64::from(*value)))
            .collect();
        let pipeline = self.compile(&monitored.derived, &constants)?;
        Ok(InstrumentedDispatch { watched, monitored, layout, pipeline })
    }

    fn with_memory(&self, made: Arc<InstrumentedDispatch>) -> Result<PreparedDispatch> {
        let shadow = self.shadow(&made.layout)?;
        let table = match made.monitored.plan.table_binding {
            Some(_) => Some(self.table()?),
            None => None,
        };
        Ok(PreparedDispatch { made, shadow, table })
    }

    /// Creates the shadow buffers.
    pub fn shadow(&self, layout: &Layout) -> Result<Vec<Buffer>> {
        let label = "the monitor's shadow memory";
        let zeros = |words: &u32| self.device.zeros(label, u64::from(*words) * 4, USAGE);
        let made: hirace_gpu::Result<_> = layout.buffers.iter().map(zeros).collect();
        made.map_err(failed_to(format_args!("create {label}")))
    }

    /// Creates the automaton's transition table.
    fn table(&self) -> Result<Buffer> {
        let label = "the monitor's table";
        let made = self.device.buffer(label, bytemuck::cast_slice(&fsm_spec::packed()), USAGE);
        made.map_err(failed_to(format_args!("create {label}")))
    }

    /// Sets a word of the shadow before the dispatch.
    pub fn write(&self, shadow: &Buffer, word: u32, value: u32) -> Result<()> {
        let written = self.device.write(shadow, u64::from(word) * 4, &value.to_le_bytes());
        written.map_err(failed_to("mark the words to record"))
    }

    /// Reads the words of the first shadow buffer up to the end of the trails, or all buffers if there are more races than the
    /// log has room for. Entries of the log have `entry` words each.
    pub fn read(&self, ready: &PreparedDispatch, entry: u32) -> Result<Vec<Vec<u32>>> {
        let PreparedDispatch { shadow, made, .. } = ready;
        let InstrumentedDispatch { layout, monitored, .. } = &**made;
        let words = |buffer: &Buffer, first: u32, count: u32| {
            let words = u64::from(first)..u64::from(first) + u64::from(count);
            self.device.read_words(buffer, words).map_err(failed_to(READ_BACK))
        };
        let Some(first) = shadow.first() else { return Ok(vec![Vec::new()]) };
        let header = words(first, 0, log::HEADER)?;
        let found = header.get(log::REPORTS as usize).copied().unwrap_or(0);
        let unlogged = header.get(log::UNLOGGED as usize).copied().unwrap_or(0);
        if found > layout.log_entries || unlogged > 0 {
            let all = shadow.iter().zip(&layout.buffers);
            return all.map(|(buffer, count)| words(buffer, 0, *count)).collect();
        }
        let mut read = words(first, 0, log::HEADER + found * entry)?;
        let sites = monitored.plan.tally.unwrap_or(0);
        if sites > 0 {
            read.resize(layout.tally as usize, 0);
            read.extend(words(first, layout.tally, tally::length(sites))?);
        }
        if let Some(trails) = layout.trails {
            read.resize(trails as usize, 0);
            read.extend(words(first, trails, self.shape().workgroups * trail::WORDS)?);
        }
        Ok(vec![read])
    }

    /// Returns the entry point's name.
    pub fn name(&self) -> &str {
        self.entry().map_or("", |entry| entry.name.as_str())
    }

    /// Compiles the output of a pass.
    pub fn compile(&self, derived: &Derived, constants: &[(&str, f64)]) -> Result<ComputePipeline> {
        let shader = self.shader(derived, constants);
        self.compile_as(Content::of(&shader), &shader)
    }

    /// Returns the shader of the entry point in the output of a pass.
    pub fn shader<'s>(
        &'s self,
        derived: &'s Derived,
        constants: &'s [(&'s str, f64)],
    ) -> Shader<'s> {
        let source = Source::Naga(&derived.module);
        Shader { source, entry: self.name(), constants, layout: None }
    }

    /// Compiles a shader of the program whose content is known.
    pub fn compile_as(&self, content: Content, shader: &Shader<'_>) -> Result<ComputePipeline> {
        let _span = tracing::debug_span!("compile", entry = self.name()).entered();
        self.device.compile_as(content, shader).map_err(|error| {
            let error = match error {
                Error::Lost { reason } => lost_while_compiling(self.name(), &reason),
                error => failed_to(format_args!("compile `{}`", self.name()))(error),
            };
            self.at_entry(*error)
        })
    }

    /// Adds the location of the entry point's name to `error`.
    fn at_entry(&self, mut error: Diagnostic) -> Box<Diagnostic> {
        if error.source_map.is_none()
            && let Some(at) = self.entry().and_then(|entry| self.program.function_name(&entry.name))
        {
            error.source_map = Some(self.program.source.clone());
            error.labels.push((at, String::new()));
        }
        Box::new(error)
    }

    /// Runs a prepared dispatch. Returns `false` if `stop` was set before it was done.
    pub fn submit(
        &self,
        ready: &PreparedDispatch,
        memory: &Uploaded,
        stop: Option<&AtomicBool>,
    ) -> Result<bool> {
        let own = |variable: &GlobalVariable| ready.of_monitor(variable);
        let InstrumentedDispatch { pipeline, monitored, .. } = &*ready.made;
        self.submit_with(pipeline, &monitored.derived, &own, memory, stop)
    }

    /// Runs the output of a pass on `memory` and the pass's `own` buffers. Returns `false` if `stop` was set before it was done.
    pub fn submit_with<'m>(
        &self,
        pipeline: &ComputePipeline,
        derived: &Derived,
        own: &dyn Fn(&GlobalVariable) -> Option<&'m Buffer>,
        memory: &'m Uploaded,
        stop: Option<&AtomicBool>,
    ) -> Result<bool> {
        let _span = tracing::debug_span!("submit").entered();
        let purpose = || failed_to(format!("run `{}`", self.name()));
        let (bindings, immediates) = self.bind(pipeline, derived, own, memory).map_err(purpose())?;
        let workgroups = self.dispatch.workgroups;
        let job = Job::new().dispatch_with(pipeline, &bindings, immediates, workgroups);
        let limit = self.launch.limits.timeout.unwrap_or(TIME_LIMIT);
        match self.device.run(&job, WaitLimit { limit, stop }) {
            Ok(()) => Ok(true),
            Err(Error::Stopped) => Ok(false),
            Err(error) => Err(purpose()(error)),
        }
    }

    /// Returns the bindings of the pipeline (the pass's own memory and that of the launch) and the launch's immediate data.
    pub fn bind<'m>(
        &self,
        pipeline: &ComputePipeline,
        derived: &Derived,
        own: &dyn Fn(&GlobalVariable) -> Option<&'m Buffer>,
        memory: &'m Uploaded,
    ) -> hirace_gpu::Result<(Bindings, &'m [u8])> {
        let mut bindings = Vec::new();
        let mut immediates: &[u8] = &[];
        for (handle, variable) in derived.module.global_variables.iter() {
            if derived.info.get_entry_point(0)[handle].is_empty() {
                continue;
            }
            let of_launch = memory.by_global.get(handle.index()).and_then(Option::as_ref);
            if let Some(Bound::Immediate(bytes)) = of_launch {
                immediates = bytes;
            }
            let Some(naga::ResourceBinding { group, binding }) = variable.binding else { continue };
            let resource = match (own(variable), of_launch) {
                (Some(buffer), _) | (None, Some(Bound::Buffer(buffer))) => {
                    buffer.as_entire_binding()
                }
                (None, Some(Bound::Texture(_, view))) => BindingResource::TextureView(view),
                (None, Some(Bound::Sampler(sampler))) => BindingResource::Sampler(sampler),
                (None, Some(Bound::Immediate(_)) | None) => continue,
            };
            bindings.push(Binding { group, binding, resource });
        }
        Ok((self.device.bind(pipeline, bindings)?, immediates))
    }
}

impl PreparedDispatch {
    /// Returns the buffer that is bound to one of the monitor's variables.
    pub fn of_monitor(&self, variable: &GlobalVariable) -> Option<&Buffer> {
        let plan = &self.made.monitored.plan;
        let part = plan.shadow.iter().position(|binding| variable.binding == Some(*binding));
        if let Some(part) = part {
            self.shadow.get(part)
        } else if variable.binding == plan.table_binding {
            self.table.as_ref()
        } else {
            None
        }
    }
}
