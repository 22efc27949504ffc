//! One dispatch: instrumented, compiled, bound, run, and its shadow read.

use super::PATIENCE;
use super::failure::{ELSEWHERE, could_not_run, guarded};
use super::memory::{Bound, Memory};
use super::needs::Needs;
use super::noted::{Noted, trace_of};
use super::opened::Opened;
use crate::analysis::uniformity::non_uniform_barriers;
use crate::diagnostic::{Diagnostic, Result};
use crate::exec::reading::Reading;
use crate::exec::{AS_ASKED, Dispatched, Watch};
use crate::finding::place::{entry_name, location, span_of};
use crate::finding::who::count;
use crate::ir::memory::Shape;
use crate::ir::sites::SiteId;
use crate::launch::build::is_used;
use crate::launch::{Dispatch, Launch, grid};
use crate::observe::Granule;
use crate::observe::trace::Trace;
use crate::pass::monitor::{Monitored, monitor};
use crate::program::Program;
use crate::shadow::fields::Width;
use crate::shadow::fit::fit;
use crate::shadow::layout::{Layout, Limits};
use crate::shadow::log::{self, Stopped};
use crate::shadow::plan::{Options, Plan, Purpose, Table, Unwatched, Watched};
use crate::shadow::{record, tally};
use crate::vm::memory::Resource;
use naga::{AddressSpace, GlobalVariable, ImageClass, Module, StorageAccess, TypeInner};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use wgpu::{BindGroupDescriptor, BindGroupEntry, BindingResource, Features};

/// Words of shadow that an invocation may look at each time a clock starts anew, where wide words
/// would do as well: those take another run of the launch.
const SWEEP: u32 = 1 << 10;

/// And where they are all there is.
const SWEEP_WITHOUT_WIDE: u32 = 1 << 14;

/// A dispatch and where it runs.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub device: &'a Opened,
    pub program: &'a Program,
    pub launch: &'a Launch,
    pub dispatch: &'a Dispatch,
    pub watch: &'a Watch,
    /// How long shadow words of storage memory and textures are to be at least.
    pub width: Width,
    /// What the shadow may take at most, whatever the device has.
    pub shadow: Limits,
}

/// How a dispatch went.
#[derive(Debug)]
pub enum Ran<T> {
    /// It ended by itself, or was stopped from outside.
    ToTheEnd(T),
    /// Its loops took more turns than the device can be trusted with.
    CutOff,
    /// The clock of narrow shadow words ran out, and wide ones would do.
    OutOfClock,
}

/// An instrumented dispatch, ready to run.
struct Ready {
    monitored: Monitored,
    layout: Layout,
    pipeline: wgpu::ComputePipeline,
    shadow: Vec<wgpu::Buffer>,
    table: Option<wgpu::Buffer>,
}

impl Case<'_> {
    /// Runs it on `memory`, under the monitor.
    pub fn run(&self, memory: &Memory, stop: Option<&AtomicBool>) -> Result<Ran<Dispatched>> {
        let _span = self.span().entered();
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        let mut dispatched = Dispatched::default();
        dispatched.warnings.extend(memory.warnings.iter().cloned());
        dispatched.warnings.extend(self.unheard());
        let ready = self.prepare(&self.options(&mut dispatched.unwatched)?, self.limits())?;
        let Ready { monitored, layout, .. } = &ready;
        dispatched.unwatched.extend(layout.unwatched.iter().cloned());
        dispatched.warnings.extend(self.unjudged_barriers());
        dispatched.watched = layout.granules;
        dispatched.shadow = Some(shadow_said(&monitored.plan, layout));
        if !self.submit(&ready, memory, stop)? {
            dispatched.run.stopped = true;
            return Ok(Ran::ToTheEnd(dispatched));
        }
        let buffers = self.read(&ready, log::ENTRY)?;
        let noted = Noted::read(self.program, self.launch, layout, &buffers[0]);
        if noted.cut_off(self.launch, self.turns()) {
            return Ok(Ran::CutOff);
        }
        noted.put_into(&mut dispatched.run, self.turns());
        let reading = Reading { program: self.program, plan: &monitored.plan, layout };
        let found = reading.of(&buffers);
        if found.stopped.dispatch && self.width == Width::Narrow && self.limits().wide {
            return Ok(Ran::OutOfClock);
        }
        dispatched.racy = found.racy;
        if found.dropped > 0 {
            dispatched.warnings.push(format!(
                "{} more racy words had no room in the log of the device",
                found.dropped
            ));
        }
        dispatched.warnings.extend(unjudged_said(found.stopped));
        Ok(Ran::ToTheEnd(dispatched))
    }

    fn span(&self) -> tracing::Span {
        tracing::debug_span!(
            "dispatch",
            executor = "wgpu",
            grid = grid::show(self.dispatch.workgroups)
        )
    }

    /// Runs it on `memory` and logs the accesses to `granules`.
    pub fn record(
        &self,
        memory: &Memory,
        granules: &[Granule],
        stop: Option<&AtomicBool>,
    ) -> Result<Ran<Trace>> {
        let _span = self.span().entered();
        let options = Options { purpose: Purpose::Record, ..self.options(&mut Vec::new())? };
        // Of workgroup memory, that of these workgroups is all that has to have room. (For other memory the
        // workgroup is 0.)
        let workgroups: BTreeSet<u32> = granules.iter().map(|granule| granule.workgroup).collect();
        let limits = Limits { slots: workgroups.len() as u32, ..self.limits() };
        let ready = self.prepare(&options, limits)?;
        let Ready { monitored, layout, .. } = &ready;
        let mut slots = FxHashMap::default();
        if let (Some(shared), Some(head)) = (layout.slots, ready.shadow.first()) {
            for (workgroup, slot) in workgroups.into_iter().zip(0..shared.count) {
                self.device.write(head, shared.of_workgroups + workgroup, slot + 1);
                slots.insert(workgroup, slot);
            }
        }
        for granule in granules {
            let mut stretches = layout.stretches.iter();
            let of = stretches.find(|s| s.global.index() as u32 == granule.memory.0);
            let Some(stretch) = of else { continue };
            let instance = match stretch.shared {
                true => slots.get(&granule.workgroup).copied(),
                false => Some(granule.workgroup),
            };
            let Some(instance) = instance else { continue };
            let (buffer, word) = layout.word(stretch, instance * stretch.granules + granule.index);
            if let Some(buffer) = ready.shadow.get(buffer) {
                self.device.write(buffer, word as u32, record::MARK);
            }
        }
        if !self.submit(&ready, memory, stop)? {
            return Ok(Ran::ToTheEnd(Trace::default()));
        }
        let buffers = self.read(&ready, record::WORDS)?;
        let noted = Noted::read(self.program, self.launch, layout, &buffers[0]);
        if noted.cut_off(self.launch, self.turns()) {
            return Ok(Ran::CutOff);
        }
        let (events, dropped) = record::read(&buffers[0], layout.log_entries);
        let size = self.device.subgroup_sizes[1];
        Ok(Ran::ToTheEnd(trace_of(self.program, &monitored.plan, &events, dropped, size)))
    }

    /// How long it takes on `memory`, under the monitor with this place of the transition table or bare,
    /// without the making of buffers and pipelines.
    pub fn time(&self, memory: &Memory, table: Option<Table>) -> Result<Duration> {
        Needs { device: self.device, program: self.program }.check_dispatch(self.dispatch)?;
        let options = self.options(&mut Vec::new())?;
        let tally = table.is_some();
        let options = Options { tally, table: table.unwrap_or(options.table), ..options };
        let mut ready = self.prepare(&options, self.limits())?;
        // Drivers compile when they run a shader first.
        self.submit(&ready, memory, None)?;
        ready.shadow = self.shadow(&ready.layout)?;
        self.device.wait(None, PATIENCE)?;
        let started = Instant::now();
        self.submit(&ready, memory, None)?;
        Ok(started.elapsed())
    }

    /// The module that `options` ask for, compiled, and its buffers.
    fn prepare(&self, options: &Options, limits: Limits) -> Result<Ready> {
        let shape = self.shape();
        let bytes = |watched: &Watched| self.bytes(watched);
        let options = fit(options.clone(), self.program, shape, bytes, limits);
        let monitored = monitor(self.program, &options)?;
        let plan = &monitored.plan;
        let layout = Layout::new(plan, shape, bytes, limits);
        let pipeline = self.compile(&monitored, &layout)?;
        self.check_compiled()?;
        let shadow = self.shadow(&layout)?;
        let table = match plan.table_binding {
            Some(_) => Some(self.device.words("the monitor's table", &fsm_spec::packed())?),
            None => None,
        };
        Ok(Ready { monitored, layout, pipeline, shadow, table })
    }

    /// The shadow's buffers.
    fn shadow(&self, layout: &Layout) -> Result<Vec<wgpu::Buffer>> {
        let zeros =
            |words: &u32| self.device.zeros("the monitor's shadow memory", u64::from(*words) * 4);
        layout.buffers.iter().map(zeros).collect()
    }

    /// Turns of loops that an invocation may take.
    fn turns(&self) -> u32 {
        let steps = u32::try_from(self.launch.limits.steps).unwrap_or(u32::MAX - 1);
        self.device.turns.map_or(steps, |turns| turns.min(steps))
    }

    /// The words of the shadow's first buffer up to the end of the tally; and of all buffers if more
    /// raced than the log has room for. Entries of the log have `entry` words each.
    fn read(&self, ready: &Ready, entry: u32) -> Result<Vec<Vec<u32>>> {
        let Ready { shadow, layout, monitored, .. } = ready;
        let words = |buffer: &wgpu::Buffer, first: u32, count: u32| -> Result<Vec<u32>> {
            let bytes = self.device.read(buffer, u64::from(first) * 4, u64::from(count) * 4)?;
            Ok(bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect())
        };
        let Some(first) = shadow.first() else { return Ok(vec![Vec::new()]) };
        let header = words(first, 0, log::HEADER)?;
        let found = header.get(log::REPORTS as usize).copied().unwrap_or(0);
        if found > layout.log_entries {
            let all = shadow.iter().zip(&layout.buffers);
            return all.map(|(buffer, count)| words(buffer, 0, *count)).collect();
        }
        let mut read = words(first, 0, log::HEADER + found * entry)?;
        let sites = monitored.plan.tally.unwrap_or(0);
        if sites > 0 {
            read.resize(layout.tally as usize, 0);
            read.extend(words(first, layout.tally, sites * tally::WORDS)?);
        }
        Ok(vec![read])
    }

    fn options(&self, unwatched: &mut Vec<Unwatched>) -> Result<Options> {
        let module = &self.program.module;
        let mut ignore = Vec::new();
        let used = |handle| is_used(self.program, std::slice::from_ref(self.dispatch), handle);
        for (handle, variable) in module.global_variables.iter() {
            let name = variable.name.clone().unwrap_or_default();
            if !self.watch.watches(&name) {
                if used(handle) && is_written(module, variable) {
                    let reason = AS_ASKED.to_owned();
                    unwatched.push(Unwatched { name: name.clone(), reason });
                }
                ignore.push(name);
            }
        }
        let limits = self.device.device.limits();
        let table = match self.free_bindings().min(self.shadow.bindings) {
            0 => {
                let error = could_not_run(format!(
                    "`{}` uses all {} storage buffers that the device has, and the monitor needs one",
                    self.entry().map_or("", |entry| &entry.name),
                    limits.max_storage_buffers_per_shader_stage
                ));
                return Err(Box::new(error.help("check it without --device")));
            }
            1 => Table::Computed,
            _ => Table::default(),
        };
        Ok(Options {
            ignore,
            table,
            workgroup_memory: limits
                .max_compute_workgroup_storage_size
                .min(self.shadow.workgroup_memory),
            width: self.width,
            tally: true,
            ..Options::new(vec![self.dispatch.entry])
        })
    }

    /// Storage bindings that the program leaves.
    fn free_bindings(&self) -> u32 {
        let variables = self.program.module.global_variables.iter();
        let taken = variables.filter(|(handle, variable)| {
            matches!(variable.space, AddressSpace::Storage { .. })
                && is_used(self.program, std::slice::from_ref(self.dispatch), *handle)
        });
        let all = self.device.device.limits().max_storage_buffers_per_shader_stage;
        all.saturating_sub(taken.count() as u32)
    }

    fn limits(&self) -> Limits {
        let limits = self.device.device.limits();
        let atomics = Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS;
        let wide = self.shadow.wide && self.device.device.features().contains(atomics);
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let uniform = non_uniform_barriers(self.program, self.dispatch.entry).is_empty();
        let sweep = match (uniform, wide) {
            (false, _) => 0,
            (true, true) => SWEEP,
            (true, false) => SWEEP_WITHOUT_WIDE,
        };
        let most = self.shadow;
        let words = u32::try_from(binding / 4).unwrap_or(u32::MAX);
        Limits {
            bindings: self.free_bindings().min(most.bindings),
            wide,
            binding_words: words.min(most.binding_words),
            words: self.watch.shadow_bytes.unwrap_or(u64::MAX) / 4,
            sweep: sweep.min(most.sweep),
            turns: self.turns(),
            ..most
        }
    }

    fn entry(&self) -> Option<&naga::EntryPoint> {
        self.program.module.entry_points.get(self.dispatch.entry)
    }

    fn shape(&self) -> Shape {
        let size = self.entry().map_or([1; 3], |entry| entry.workgroup_size);
        let volume = |size: [u32; 3]| size.iter().fold(1, |n: u32, &m| n.saturating_mul(m));
        Shape {
            workgroups: volume(self.dispatch.workgroups),
            workgroup_size: volume(size),
            subgroup_size: self.device.subgroup_sizes[1],
        }
    }

    /// The length of a watched buffer or texture.
    fn bytes(&self, watched: &Watched) -> u64 {
        match self.launch.resources.by_global.get(watched.global.index()) {
            Some(Some(Resource::Buffer(buffer))) => buffer.len().into(),
            Some(Some(Resource::Texture(texture))) => {
                texture.size.iter().map(|&size| u64::from(size)).product::<u64>() * 4
            }
            _ => 0,
        }
    }

    /// What was asked for, and only the embedded executor does.
    fn unheard(&self) -> impl Iterator<Item = String> {
        let schedule = self.launch.schedule;
        let schedule = (!schedule.is_plain()).then(|| {
            let name = match schedule.seed() {
                Some(seed) => format!("{seed:#x}"),
                None => format!("`{schedule}`"),
            };
            format!("schedule {name} was not followed: a device has an order of its own")
        });
        let oracle = self.watch.oracle.then(|| {
            "the oracle was not asked: it sees what runs on the embedded executor alone".to_owned()
        });
        schedule.into_iter().chain(oracle)
    }

    /// What is to be said of barriers that may be in non-uniform control flow: a device does not tell
    /// who reached them.
    fn unjudged_barriers(&self) -> Option<String> {
        let barriers = non_uniform_barriers(self.program, self.dispatch.entry);
        let mut places: Vec<String> =
            barriers.iter().map(|found| self.place(found.barrier)).collect();
        places.dedup();
        (!places.is_empty()).then(|| {
            format!(
                "whether all invocations of a workgroup reach the barrier at {} was not checked, and races after it may have been missed: a device does not tell (without --device it is checked)",
                places.join(", ")
            )
        })
    }

    fn place(&self, site: SiteId) -> String {
        location(&self.program.source, span_of(self.program.sites.get(site)))
    }

    fn compile(&self, monitored: &Monitored, layout: &Layout) -> Result<wgpu::ComputePipeline> {
        let name = self.entry().map_or("", |entry| entry.name.as_str());
        let values: BTreeMap<String, f64> = layout
            .overrides
            .iter()
            .map(|(name, value)| (name.clone(), f64::from(*value)))
            .collect();
        let _span = tracing::debug_span!("compile", entry = name).entered();
        let module = monitored.derived.module.clone();
        let constants: Vec<(&str, f64)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let device = &self.device.device;
        let compiled = guarded(device, &format!("compile `{name}`"), || {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: None,
                module: &module,
                entry_point: Some(name),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    zero_initialize_workgroup_memory: true,
                },
                cache: None,
            })
        });
        compiled.map_err(|error| self.at_entry(*error))
    }

    /// Says so if the driver gave the device up over the shader.
    fn check_compiled(&self) -> Result<()> {
        let name = self.entry().map_or("", |entry| entry.name.as_str());
        self.device.check_alive(&format!("compile `{name}`")).map_err(|error| {
            let message = format!("the device's driver failed to compile `{name}`, and was lost");
            self.at_entry(Diagnostic { message, help: Some(ELSEWHERE.to_owned()), ..*error })
        })
    }

    /// `error`, at the entry point's name in the source.
    fn at_entry(&self, mut error: Diagnostic) -> Box<Diagnostic> {
        if error.source_map.is_none()
            && let Some(at) = self.entry().and_then(|entry| entry_name(self.program, &entry.name))
        {
            error.source_map = Some(self.program.source.clone());
            error.labels.push((at, String::new()));
        }
        Box::new(error)
    }

    /// Runs what is ready. `false`: `stop` was set before it was done.
    fn submit(&self, ready: &Ready, memory: &Memory, stop: Option<&AtomicBool>) -> Result<bool> {
        let _span = tracing::debug_span!("submit").entered();
        let Ready { monitored, pipeline, .. } = ready;
        let derived = &monitored.derived;
        let mut groups: BTreeMap<u32, Vec<BindGroupEntry<'_>>> = BTreeMap::new();
        let mut immediates = None;
        for (handle, variable) in derived.module.global_variables.iter() {
            if derived.info.get_entry_point(0)[handle].is_empty() {
                continue;
            }
            let own = memory.by_global.get(handle.index()).and_then(Option::as_ref);
            if let Some(Bound::Immediate(bytes)) = own {
                immediates = Some(bytes);
            }
            let Some(binding) = variable.binding else { continue };
            let resource = match ready.of_monitor(variable) {
                Some(buffer) => buffer.as_entire_binding(),
                None => match own {
                    Some(Bound::Buffer(buffer)) => buffer.as_entire_binding(),
                    Some(Bound::Texture(_, view)) => BindingResource::TextureView(view),
                    Some(Bound::Sampler(sampler)) => BindingResource::Sampler(sampler),
                    Some(Bound::Immediate(_)) | None => continue,
                },
            };
            let entry = BindGroupEntry { binding: binding.binding, resource };
            groups.entry(binding.group).or_default().push(entry);
        }
        let Opened { device, queue, .. } = self.device;
        let [x, y, z] = self.dispatch.workgroups;
        let name = self.entry().map_or("", |entry| entry.name.as_str());
        guarded(device, &format!("run `{name}`"), || {
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            for (group, entries) in &groups {
                let group_made = device.create_bind_group(&BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.get_bind_group_layout(*group),
                    entries,
                });
                pass.set_bind_group(*group, &group_made, &[]);
            }
            if let Some(bytes) = immediates {
                pass.set_immediates(0, bytes);
            }
            pass.dispatch_workgroups(x, y, z);
            drop(pass);
            queue.submit([encoder.finish()]);
        })?;
        self.device.wait(stop, self.launch.limits.timeout.unwrap_or(PATIENCE))
    }
}

impl Ready {
    /// The buffer that one of the monitor's variables is bound to.
    fn of_monitor(&self, variable: &GlobalVariable) -> Option<&wgpu::Buffer> {
        let plan = &self.monitored.plan;
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

/// Whether invocations share a variable and may write it.
fn is_written(module: &Module, variable: &GlobalVariable) -> bool {
    match (&variable.space, &module.types[variable.ty].inner) {
        (AddressSpace::Storage { access }, _)
        | (_, TypeInner::Image { class: ImageClass::Storage { access, .. }, .. }) => {
            access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC)
        }
        (space, _) => *space == AddressSpace::WorkGroup,
    }
}

/// `32-bit shadow words, 12 bits for barriers of storage memory`.
fn shadow_said(plan: &Plan, layout: &Layout) -> String {
    let clocks = layout.clocks.iter().map(|(name, bits)| {
        let memory = if *name == "workgroup" { "workgroup" } else { "storage" };
        format!(", {bits} bits for barriers of {memory} memory")
    });
    let width = match plan.width {
        Width::Narrow => "32-bit shadow words",
        Width::Wide => "64-bit shadow words",
    };
    let mut said = width.to_owned() + &clocks.collect::<String>();
    if plan.spread().0 > 1 {
        said.push_str(&format!(", in {} buffers", plan.shadow.len()));
    }
    if let Some(slots) = layout.slots {
        let slots = count(slots.count.into(), "workgroup", "workgroups");
        said.push_str(&format!(", for the memory of {slots} at a time"));
    }
    said
}

/// What is to be said of what was not judged.
fn unjudged_said(stopped: Stopped) -> impl Iterator<Item = String> {
    let many = "after too many barriers for the shadow's words to count";
    let said = [
        (stopped.dispatch, "storage memory and textures", many),
        (stopped.workgroup, "workgroup memory", many),
        (
            stopped.slots,
            "workgroup memory",
            "in workgroups that waited for its shadow for too long",
        ),
    ];
    let said = said.into_iter().filter(|(is_so, ..)| *is_so);
    said.map(|(_, what, why)| format!("accesses to {what} {why} were not checked"))
}
